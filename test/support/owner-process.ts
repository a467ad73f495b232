/**
 * A real owner in a process of its own: owner root, LMDB journal and supervisor, without HTTP. It is told what to run
 * as JSON in its first argument, prints one JSON line for each step, and lives until it is signalled.
 */

import { join } from 'node:path';
import { ProcessLedger } from '../../src/commands/process-ledger.js';
import { Store } from '../../src/commands/store.js';
import { isLeft, must, right } from '../../src/contract/fp.js';
import type { JsonObject } from '../../src/contract/json.js';
import { openLmdbJournal } from '../../src/events/lmdb/open.js';
import { openOwnerRoot } from '../../src/process/owner-root.js';
import { Supervisor } from '../../src/process/supervisor.js';
import { KINDS } from '../../src/projections/kinds.js';
import { QUICK, QUICK_LIMITS, randomIds, recordingLog, systemClock } from './supervisor-rig.js';

export interface OwnerOrder {
  readonly dataPath: string;
  readonly packages: readonly {
    readonly id: string;
    readonly packageDir: string;
    readonly executable: string;
    readonly capabilities: JsonObject;
  }[];
  /** Kill this owner by SIGKILL when it is about to record that step: `pending`, `started` or `ready`. */
  readonly dieBefore?: 'pending' | 'started' | 'ready';
  /** Do not settle what an earlier owner left, only say what the ledger holds. */
  readonly onlyLook?: boolean;
}

const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

class MortalLedger extends ProcessLedger {
  constructor(
    store: Store,
    private readonly dieBefore: OwnerOrder['dieBefore'],
  ) {
    super(store);
  }

  private live(step: OwnerOrder['dieBefore']): void {
    if (step === this.dieBefore) process.kill(process.pid, 'SIGKILL');
  }

  override pending(...args: Parameters<ProcessLedger['pending']>) {
    this.live('pending');
    return super.pending(...args);
  }

  override started(...args: Parameters<ProcessLedger['started']>) {
    this.live('started');
    return super.started(...args);
  }

  override ready(...args: Parameters<ProcessLedger['ready']>) {
    this.live('ready');
    return super.ready(...args);
  }
}

async function main(order: OwnerOrder): Promise<void> {
  const opened = openOwnerRoot({ dataPath: order.dataPath, ownerId: 'owner', storageId: 'disk' });
  if (isLeft(opened)) {
    console.error(opened.left.message);
    process.exit(1);
  }
  const root = opened.right;
  const journal = must(await openLmdbJournal(root.folder('journal')), 'the journal did not open');
  const store = await Store.open(journal, systemClock, KINDS);
  const ledger = new MortalLedger(store, order.dieBefore);
  say({ unfinished: ledger.unfinished() });
  if (order.onlyLook === true) process.exit(0);
  const supervisor = new Supervisor({
    ledger,
    clock: systemClock,
    ids: randomIds,
    log: recordingLog([]),
    limits: QUICK_LIMITS,
    settings: QUICK,
  });
  const recovered = await supervisor.recover();
  say({ recovered: isLeft(recovered) ? recovered.left.reason : true });
  process.on('SIGTERM', async () => {
    const ended = await supervisor.shutdown();
    await journal.close();
    process.exit(isLeft(ended) ? 1 : 0);
  });
  const keep = setInterval(() => {}, 1_000);
  for (const { id, ...rest } of order.packages) {
    const dataDir = join(root.folder('data'), id);
    const spec = {
      addonId: id,
      version: '1.0.0',
      generation: 1,
      dataDir,
      verify: async () => right(undefined),
      ...rest,
    };
    const outcome = await supervisor.start(spec);
    say({ started: id, outcome: isLeft(outcome) ? outcome.left.reason : 'ready' });
  }
  keep.ref();
}

await main(JSON.parse(process.argv[2] ?? '{}') as OwnerOrder);
