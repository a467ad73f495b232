/** A supervisor on a journal in memory, with real processes in a folder of its own; see `fixture-addon.ts`. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock, Ids, LaunchSpec, Log, RuntimeClient } from '../../src/commands/ports.js';
import { ProcessLedger } from '../../src/commands/process-ledger.js';
import { Store } from '../../src/commands/store.js';
import { LOCAL_OWNER } from '../../src/contract/actor.js';
import { must, right } from '../../src/contract/fp.js';
import type { JsonObject } from '../../src/contract/json.js';
import { DEFAULT_LIMITS, type Limits } from '../../src/contract/limits.js';
import type { Envelope, Scope } from '../../src/contract/wire.js';
import type { Journal } from '../../src/events/journal.js';
import { memoryJournal } from '../../src/events/memory-journal.js';
import { Supervisor, type SupervisorOptions } from '../../src/process/supervisor.js';
import { KINDS } from '../../src/projections/kinds.js';
import { counterPackage, type FixtureOptions } from './fixture-addon.js';

export const systemClock: Clock = {
  now: () => new Date(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
};

export const randomIds: Ids = {
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  bytes: (length) => randomBytes(length),
};

export interface LoggedLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

export function recordingLog(lines: LoggedLine[]): Log {
  const at = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** Short times, so that what takes ten seconds in production takes one here. */
export const QUICK = { readinessMs: 10_000, healthEveryMs: 100, healthTimeoutMs: 3_000, busyHealthTimeoutMs: 6_000 };
export const QUICK_LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  shutdownTimeoutMs: 1_000,
  backoffInitialMs: 20,
  backoffMaxMs: 100,
};

export interface RigOptions {
  readonly settings?: SupervisorOptions['settings'];
  readonly limits?: Partial<Limits>;
  readonly options?: Partial<SupervisorOptions>;
  readonly journal?: Journal;
}

export async function openRig(options: RigOptions = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'castellan-run-'));
  const journal = options.journal ?? memoryJournal();
  const store = await Store.open(journal, systemClock, KINDS);
  const ledger = new ProcessLedger(store);
  const logged: LoggedLine[] = [];
  const supervisor = new Supervisor({
    ledger,
    clock: systemClock,
    ids: randomIds,
    log: recordingLog(logged),
    limits: { ...QUICK_LIMITS, ...options.limits },
    settings: { ...QUICK, ...options.settings },
    ...options.options,
  });
  const dataDir = (id: string) => join(dir, 'data', id);
  return {
    dir,
    journal,
    store,
    ledger,
    supervisor,
    logged,
    dataDir,
    /** A package of the counter add-on and what to start it with. */
    spec: (fixture: FixtureOptions & { generation?: number } = {}): LaunchSpec => {
      const { id = 'counter', version = '1.0.0', generation = 1 } = fixture;
      const made = counterPackage(join(dir, `${id}-${generation}`), fixture);
      return {
        addonId: id,
        version,
        generation,
        packageDir: made.packageDir,
        executable: made.executable,
        dataDir: dataDir(id),
        capabilities: made.manifest.capabilities,
        verify: async () => right(undefined),
      };
    },
    file: (id: string, name: string) => readFileSync(join(dataDir(id), name), 'utf8'),
    /** The lines of the add-on's own trace; empty before it ran. */
    trace: (id = 'counter') => traceOf(dataDir(id)),
    events: (id = 'counter') => journal.readStream(`process-${id}`).map((event) => event.type),
    client: (id = 'counter', generation = 1): RuntimeClient => must(supervisor.current(id, generation), 'no client'),
    close: async () => {
      await supervisor.shutdown();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export type Rig = Awaited<ReturnType<typeof openRig>>;

/** An envelope of the local owner, good for a minute. */
export function envelope(scope: Scope, request: Partial<Envelope['request']> & { arguments: JsonObject }): Envelope {
  return {
    request: { addonId: 'counter', operationId: 'op-1', generation: 1, action: scope, ...request },
    authority: { actor: LOCAL_OWNER, scope, expiresAt: new Date(Date.now() + 60_000).toISOString() },
  };
}

/** Waits until `look` answers something, and fails with `what` when it does not. */
export async function eventually<A>(what: string, look: () => A | undefined | false, ms = 30_000): Promise<A> {
  const until = Date.now() + ms;
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > until) throw new Error(`did not happen within ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Whether a process with this number is there and not a zombie. */
export function alive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}

/** What a fixture add-on left in its data directory; nothing before it ran. */
export function traceOf(dataDir: string): string[] {
  const file = join(dataDir, 'trace.log');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** The processes that run in one of the folders below `folder`. */
export function runningBelow(folder: string): { readonly pid: number; readonly in: string }[] {
  if (!existsSync(folder)) return [];
  const base = `${realpathSync(folder)}/`;
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || !alive(Number(name))) return [];
    try {
      const cwd = readlinkSync(`/proc/${name}/cwd`);
      return cwd.startsWith(base) ? [{ pid: Number(name), in: cwd.slice(base.length) }] : [];
    } catch {
      return [];
    }
  });
}

export const pidsOf = (trace: readonly string[]): number[] =>
  trace.filter((line) => line.startsWith('start ')).map((line) => Number(line.slice(6)));
