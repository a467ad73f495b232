/**
 * One launch, in the order that makes it recoverable: the intent is durable before exec and before the port is open,
 * the identity of the process is durable before the process is given its credential (07:33-45).
 */
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, HostBroker, Ids, LaunchLedger, LaunchSpec, Log } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';
import { unlessAborted } from '../contract/unless-aborted.js';
import type { Registration } from '../contract/wire.js';
import type { ControlGroups } from './cgroups.js';
import type { Child } from './child.js';
import { describeExit, SIGKILL } from './child.js';
import type { Deadlines } from './deadlines.js';
import { parseEndpoint } from './exchange.js';
import type { Fence } from './fence.js';
import { codeOf } from './files.js';
import { Held } from './held.js';
import { channelFor } from './host-channel.js';
import type { Libc } from './libc.js';
import type { LogSink } from './log-sink.js';
import type { Proc } from './proc.js';
import { BoundClient } from './runtime-client.js';
import type { SupervisorSettings } from './settings.js';
import { checkExecutable, spawnAddon } from './spawn.js';
import { newSecrets, registrationOf, type Secrets, startupLine } from './startup-line.js';
import type { UsageMeter } from './usage.js';

/** Everything the parts of the supervisor share. */
export interface Deps {
  readonly ledger: LaunchLedger;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly deadlines: Deadlines;
  readonly settings: SupervisorSettings;
  readonly fence: Fence;
  readonly libc: () => Libc;
  readonly proc: Proc;
  readonly usage: UsageMeter;
  readonly cgroups: () => ControlGroups | undefined;
  /** Absent where host operations are not served. */
  readonly host?: HostBroker;
}

export interface Launched {
  readonly child: Child;
  readonly registration: Registration;
  readonly client: BoundClient;
  readonly held: Held;
}

export interface LaunchFailure {
  readonly reason: string;
  /** Another attempt would end the same way, so none is made. */
  readonly final: boolean;
  /** Of a launch that was recorded. */
  readonly incarnation?: string;
}

const again = (reason: string, incarnation?: string): Either<LaunchFailure, never> =>
  left({ reason, final: false, ...(incarnation === undefined ? {} : { incarnation }) });
const never = (reason: string): Either<LaunchFailure, never> => left({ reason, final: true });

/** Left: no process runs, and the ledger says so, unless the fence is up. */
export async function launch(
  deps: Deps,
  spec: LaunchSpec,
  sink: LogSink,
  signal: AbortSignal,
): Promise<Either<LaunchFailure, Launched>> {
  const verified = await verify(deps, spec, signal);
  if (verified._tag === 'Left') return verified;
  const prepared = prepare(spec);
  if (prepared._tag === 'Left') return prepared;
  if (signal.aborted) return again('it was stopped');
  const { executable, dataDir } = prepared.right;
  const { addonId, generation } = spec;
  const world = deps.proc.world();
  const secrets = newSecrets(deps.ids);
  const { incarnation } = secrets;
  const intent = { incarnation, generation, executable, dataDir, ...world };
  const pending = await deps.ledger.pending(addonId, intent);
  if (pending._tag === 'Left') return again(`its launch could not be recorded: ${pending.left.message}`);
  if (signal.aborted) return neverStarted(deps, addonId, incarnation, 'it was stopped');
  sink.hide(secrets.credential);
  const spawned = await spawnAddon({ libc: deps.libc(), proc: deps.proc, executable, dataDir, sink });
  if (spawned._tag === 'Left') return neverStarted(deps, addonId, incarnation, spawned.left);
  return introduce(deps, spec, sink, spawned.right, secrets, world);
}

/** Records who the process is, and only then gives it its credential. */
async function introduce(
  deps: Deps,
  spec: LaunchSpec,
  sink: LogSink,
  child: Child,
  { incarnation, credential }: Secrets,
  world: { bootId: string; pidNamespace: string },
): Promise<Either<LaunchFailure, Launched>> {
  const { pid, startTime } = child;
  const { log, usage, cgroups } = deps;
  const watched = { clock: deps.clock, log, usage, cgroups, limitsEveryMs: deps.settings.limitsEveryMs };
  // In the turn of the spawn, before the process can have done anything of note.
  const held = new Held(watched, child, spec.addonId, spec.limits ?? (() => ({})));
  const started = await deps.ledger.started(spec.addonId, { incarnation, pid, startTime, ...world });
  const endpoint = parseEndpoint(child.endpoint);
  if (started._tag === 'Left' || endpoint._tag === 'Left') {
    child.signal(SIGKILL);
    const exit = await child.exited;
    held.release();
    await recordExit(deps, spec.addonId, incarnation, exit, 'its start could not be recorded');
    return again('its start could not be recorded, so it was ended before it was given its credential', incarnation);
  }
  const { clock, deadlines, settings } = deps;
  const { limits } = settings;
  const registration = registrationOf(spec, incarnation, child.endpoint);
  const client = new BoundClient({ registration, credential, endpoint: endpoint.right, limits, clock, deadlines });
  const channel = await channelFor(deps, spec.addonId, client, child);
  if (channel !== undefined) sink.hide(channel.credential);
  child.give(startupLine(spec, registration, { credential, channel }, limits));
  log.info({ addonId: spec.addonId, generation: spec.generation, incarnation, pid }, 'add-on process started');
  return right({ child, registration, client, held });
}

/** Bounded, since a file system that hangs must not hold an add-on in its start for ever, nor its stop. */
async function verify(deps: Deps, spec: LaunchSpec, signal: AbortSignal): Promise<Either<LaunchFailure, void>> {
  const { verifyMs } = deps.settings;
  try {
    const work = unlessAborted(spec.verify(), signal, 'stopped' as const);
    const verified = await deps.deadlines.within(verifyMs, work, 'late' as const);
    if (verified === 'stopped') return again('it was stopped');
    if (verified === 'late')
      return again(`its package was not compared with its receipt within ${verifyMs / 1000} seconds`);
    return verified._tag === 'Left' ? never(verified.left) : verified;
  } catch (error) {
    return again(`its package could not be read (${fileFault(error)})`);
  }
}

/** The code alone: the words of a file error name the path, and the reason of a failure is shown to callers. */
function fileFault(error: unknown): string {
  return codeOf(error) ?? (error instanceof Error ? error.message : String(error));
}

/** The paths as the kernel will show them, so that recovery can recognise the process. */
function prepare(spec: LaunchSpec): Either<LaunchFailure, { executable: string; dataDir: string }> {
  const executable = join(spec.packageDir, spec.executable);
  const fit = checkExecutable(executable);
  if (fit._tag === 'Left') return never(fit.left);
  try {
    mkdirSync(spec.dataDir, { recursive: true, mode: 0o700 });
    if (!lstatSync(spec.dataDir).isDirectory()) return never('its data directory is a symbolic link');
    return right({ executable: realpathSync(executable), dataDir: realpathSync(spec.dataDir) });
  } catch (error) {
    return again(`its data directory cannot be used (${fileFault(error)})`);
  }
}

async function neverStarted(
  deps: Deps,
  addonId: string,
  incarnation: string,
  reason: string,
): Promise<Either<LaunchFailure, never>> {
  await recordExit(deps, addonId, incarnation, {}, `never started: ${reason}`);
  return again(reason, incarnation);
}

/** Records a confirmed end. When that fails, nothing may be launched any more: the ledger would no longer be true. */
export async function recordExit(
  deps: Deps,
  addonId: string,
  incarnation: string,
  exit: { readonly code?: number; readonly signal?: string },
  reason: string,
): Promise<void> {
  const recorded = await deps.ledger.exited(addonId, incarnation, { ...exit, reason });
  if (recorded._tag === 'Left')
    deps.fence.raise(
      `The end of a process of ${addonId} could not be recorded: ${recorded.left.message} No add-on is started any more. Restart the server when the storage works again.`,
    );
  else deps.log.info({ addonId, incarnation, ...exit, reason }, `add-on process ${describeExit(exit)}`);
}
