/** Which decision about host operations this start takes, and from where: by presence of a setting, not by its length (17:41-55). */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Log } from '../commands/ports.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import {
  type HostGrants,
  MAX_POLICY_BYTES,
  NO_GRANTS,
  parseHostOps,
  parseHostPolicy,
} from '../contract/host-grants.js';

/** What the flags and variables choose; a file is read later, once. */
export type HostOpsChoice =
  | { readonly source: 'host-ops'; readonly grants: HostGrants; readonly ignoredPolicy?: string }
  | { readonly source: 'policy'; readonly path: string }
  | { readonly source: 'disabled' }
  | { readonly source: 'unconfigured' };

/** Flag and variable of the same setting are one value here, the flag's where both are set. Left names the flag. */
export function hostOpsChoice(hostOps: string | undefined, policy: string | undefined): Either<string, HostOpsChoice> {
  if (hostOps !== undefined) {
    const grants = parseHostOps(hostOps);
    if (isLeft(grants)) return left(`--addon-host-ops: ${grants.left}.`);
    return right({ source: 'host-ops', grants: grants.right, ...(policy ? { ignoredPolicy: policy } : {}) });
  }
  if (policy === undefined) return right({ source: 'unconfigured' });
  if (policy === '') return right({ source: 'disabled' });
  return isAbsolute(policy)
    ? right({ source: 'policy', path: policy })
    : left('--addon-host-policy must be an absolute path.');
}

/** The grants of this start, which stay as they are until the next. Left: why the server must not start. */
export async function hostGrantsOf(choice: HostOpsChoice, log: Log): Promise<Either<string, HostGrants>> {
  const decided = await decide(choice);
  if (isLeft(decided)) return decided;
  if (choice.source === 'host-ops' && choice.ignoredPolicy !== undefined)
    log.warn({}, 'the host policy file is ignored and was not opened, because --addon-host-ops is set');
  if (choice.source === 'unconfigured')
    log.warn(
      {},
      'no add-on may use host operations: neither --addon-host-ops nor --addon-host-policy is set. Add-ons that need them do not start',
    );
  const prefixes = [...decided.right.values()].reduce((sum, each) => sum + each.length, 0);
  log.info({ source: choice.source, addons: decided.right.size, prefixes }, 'host operations were decided');
  return decided;
}

async function decide(choice: HostOpsChoice): Promise<Either<string, HostGrants>> {
  if (choice.source === 'host-ops') return right(choice.grants);
  if (choice.source !== 'policy') return right(NO_GRANTS);
  const bytes = await readPolicy(choice.path);
  const grants = isLeft(bytes) ? bytes : parseHostPolicy(bytes.right);
  return isLeft(grants)
    ? left(
        `The host policy file ${choice.path} cannot be used: ${grants.left}. The server did not start. Correct the file, or choose none with --addon-host-policy=`,
      )
    : grants;
}

async function readPolicy(path: string): Promise<Either<string, Uint8Array>> {
  try {
    // A FIFO would hold the start up for ever; a link to a regular file is fine (17:8-9).
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return left('it is not a regular file');
      const bytes = Buffer.alloc(MAX_POLICY_BYTES + 1);
      let size = 0;
      for (let read = -1; read !== 0 && size < bytes.length; size += read)
        ({ bytesRead: read } = await file.read(bytes, size, bytes.length - size));
      return size > MAX_POLICY_BYTES ? left(`it is over ${MAX_POLICY_BYTES} bytes`) : right(bytes.subarray(0, size));
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return left(code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${code ?? 'fault'})`);
  }
}
