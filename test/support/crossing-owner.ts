/**
 * A real owner (owner root, LMDB journal, supervisor) in a process of its own that settles what the last one left, starts
 * its add-ons, says so, and on the word "go" works on them until it is killed.
 *
 * What can break: the process ends by SIGKILL right before or right after its n-th crossing. A crossing is a spawn, a
 * commit with its sync, or the write of a startup line; they are counted from "go" on.
 */
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LaunchSpec } from '../../src/commands/ports.js';
import { ProcessLedger } from '../../src/commands/process-ledger.js';
import { Store } from '../../src/commands/store.js';
import { isLeft, must, right } from '../../src/contract/fp.js';
import { LmdbStorage } from '../../src/events/lmdb/lmdb-storage.js';
import { openLmdbJournal } from '../../src/events/lmdb/open.js';
import { Child } from '../../src/process/child.js';
import { openOwnerRoot } from '../../src/process/owner-root.js';
import { Supervisor } from '../../src/process/supervisor.js';
import { KINDS } from '../../src/projections/kinds.js';
import {
  eventually,
  pidsOf,
  QUICK,
  QUICK_LIMITS,
  randomIds,
  recordingLog,
  systemClock,
  traceOf,
} from './supervisor-rig.js';

export interface CrossingOrder {
  readonly dataPath: string;
  /** Holds a package folder for each add-on, named by it. */
  readonly packages: string;
  readonly addons: readonly string[];
  /** The crossing at which to die, from 1; twice as many places as crossings, before and after each. */
  readonly dieAt?: number;
  /** `steps`: start, restart, upgrade, stop, once. `busy`: all of them on all add-ons until the end. */
  readonly work: 'steps' | 'busy';
}

const order = JSON.parse(process.argv[2] ?? '{}') as CrossingOrder;
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
let counted = -1;

function cross(): void {
  if (counted < 0) return;
  counted += 1;
  if (counted !== order.dieAt) return;
  process.kill(process.pid, 'SIGKILL');
  // The signal is taken at the next return from the kernel; nothing more may happen until then.
  for (;;);
}

function aroundEach<A extends unknown[], R>(what: (this: unknown, ...args: A) => R): (this: unknown, ...args: A) => R {
  return function crossing(this: unknown, ...args: A): R {
    cross();
    const done = what.apply(this, args);
    cross();
    return done;
  };
}

childProcess.spawn = aroundEach(childProcess.spawn as never) as never;
syncBuiltinESMExports();
LmdbStorage.prototype.commit = aroundEach(LmdbStorage.prototype.commit as never) as never;
Child.prototype.give = aroundEach(Child.prototype.give as never) as never;

async function main(): Promise<void> {
  const root = must(openOwnerRoot({ dataPath: order.dataPath, ownerId: 'owner', storageId: 'disk' }), 'the root');
  const journal = must(await openLmdbJournal(root.folder('journal')), 'the journal');
  const ledger = new ProcessLedger(await Store.open(journal, systemClock, KINDS));
  const options = {
    ledger,
    clock: systemClock,
    ids: randomIds,
    log: recordingLog([]),
    limits: { ...QUICK_LIMITS, shutdownTimeoutMs: 200 },
  };
  const supervisor = new Supervisor({ ...options, settings: { ...QUICK, healthEveryMs: 5_000 } });
  const dataDir = (id: string) => join(root.folder('data'), id);
  const spec = (addonId: string, generation: number): LaunchSpec => ({
    addonId,
    version: `${generation}.0.0`,
    generation,
    packageDir: join(order.packages, addonId),
    executable: 'addon.py',
    dataDir: dataDir(addonId),
    capabilities: {},
    verify: async () => right(undefined),
  });
  setInterval(() => {}, 1_000);
  const recovered = await supervisor.recover();
  if (isLeft(recovered)) return void say({ uncertain: recovered.left.reason });
  const started = await Promise.all(order.addons.map((id) => supervisor.start(spec(id, 1))));
  say({ settled: started.filter((one) => one._tag === 'Right').length, unfinished: ledger.unfinished().length });
  await word('go');
  const restart = async (id: string) => {
    const pid = pidsOf(traceOf(dataDir(id))).at(-1);
    const before = supervisor.observe(id).restarts;
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await eventually('it is started anew', () => supervisor.observe(id).restarts > before);
    await eventually('it runs', () => supervisor.observe(id).state === 'running');
  };
  if (order.work === 'busy') {
    for (;;)
      await Promise.all(
        order.addons.map(async (id, index) => {
          if (index % 3 === 0) return restart(id).catch(() => undefined);
          await supervisor.stop(id);
          return supervisor.start(spec(id, 1 + (index % 2)));
        }),
      );
  }
  const [id = ''] = order.addons;
  await supervisor.stop(id);
  counted = 0;
  await supervisor.start(spec(id, 1));
  await restart(id);
  await supervisor.stop(id);
  await supervisor.start(spec(id, 2));
  await supervisor.stop(id);
  const crossings = counted;
  counted = -1;
  await supervisor.shutdown();
  say({ done: crossings, unfinished: ledger.unfinished().length });
  await journal.close();
  process.exit(0);
}

async function word(wanted: string): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) if (line === wanted) break;
  lines.close();
}

await main();
