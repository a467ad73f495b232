/** Runs a command that needs the journal: over the control socket, or holding the owner root itself when no server runs. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Either, isLeft, left } from '../contract/fp.js';
import { NO_GRANTS } from '../contract/host-grants.js';
import type { Json, JsonObject } from '../contract/json.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import { DEFAULT_BACKENDS } from './backends.js';
import { askServer } from './control/client.js';

export async function ownerCommand(
  dataPath: string,
  command: string,
  args: JsonObject,
): Promise<Either<Refusal, Json>> {
  const answered = await askServer(join(resolve(dataPath), 'addons', 'runtime'), command, args);
  if (answered !== undefined) return answered;
  if (command !== 'library.add' && !existsSync(join(resolve(dataPath), 'addons')))
    return left(refuse('not_found', `There is no data of a server at ${dataPath}. Name it with --data-path.`));
  const { openOwner } = await import('./owner.js');
  const { createLog } = await import('./system.js');
  // The variable of `run`, so that a library can name its credential before a server was ever started.
  const credentials = process.env.CASTELLAN_CREDENTIALS;
  const owner = await openOwner({
    dataPath,
    log: createLog('silent'),
    officialLibrary: true,
    hostGrants: NO_GRANTS,
    officialLibraries: true,
    backends: DEFAULT_BACKENDS,
    build: 'cli',
    ...(credentials ? { credentialsPath: credentials } : {}),
  });
  if (isLeft(owner)) return left(refuse('unavailable', owner.left));
  try {
    const run = owner.right.commands[command];
    return run === undefined ? left(refuse('not_found', `There is no command ${command}.`)) : await run(args);
  } finally {
    await owner.right.close();
  }
}

/** Prints an answer and sets the exit code: 0 done, 1 refused. */
export async function printAnswer(
  answer: Promise<Either<Refusal, Json>>,
  options: { readonly json?: boolean },
  show: (value: Json) => string,
): Promise<void> {
  const result = await answer;
  if (isLeft(result)) {
    if (options.json)
      console.log(JSON.stringify({ error: { code: result.left.refusal, message: result.left.message } }));
    else console.error(result.left.message);
    process.exitCode = 1;
    return;
  }
  console.log(options.json ? JSON.stringify(result.right) : show(result.right));
}
