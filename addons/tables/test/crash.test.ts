/**
 * Killed at any moment, the add-on keeps each change and its receipt together. The process is ended with SIGKILL while
 * changes run; after each restart every operation's receipt must agree with the rows that are there.
 */
import { rmSync } from 'node:fs';
import { assert, suite } from '../../../test/support/harness.js';
import { Addon } from './support/addon.js';

const test = suite('tables crashes');
const ROUNDS = 8;

/** A small generator with a printed seed, so that a failing run can be played again. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Kills within a call chosen at random, at a moment scaled by how long calls take on this machine now. */
class Killer {
  private readonly inCall: number;
  private calls = 0;
  private longest = 5;

  constructor(
    private readonly addon: Addon,
    private readonly next: () => number,
  ) {
    this.inCall = 2 + Math.floor(next() * 6);
  }

  async during<A>(call: () => Promise<A>): Promise<A> {
    this.calls += 1;
    if (this.calls === this.inCall) {
      setTimeout(() => this.addon.process.kill('SIGKILL'), this.next() * this.longest * 1.2);
    }
    const started = performance.now();
    const answer = await call();
    this.longest = Math.max(this.longest, performance.now() - started);
    return answer;
  }
}

interface Sent {
  readonly operationId: string;
  readonly value: number;
  answered: boolean;
}

async function writeUntilKilled(addon: Addon, resourceId: string, sent: Sent[], next: () => number): Promise<void> {
  const killer = new Killer(addon, next);
  try {
    for (;;) {
      const value = sent.length + 1;
      const operation: Sent = { operationId: `op-${value}`, value, answered: false };
      const args = { tool: 'insert-rows', table: 'log', columns: ['value'], rows: [[value]] };
      const { body } = await addon.preview('write', args, { resourceId, operationId: operation.operationId });
      sent.push(operation);
      const options = { resourceId, operationId: operation.operationId };
      const applied = await killer.during(() => addon.apply('write', args, body.revision, options));
      operation.answered = applied.body.state === 'committed';
    }
  } catch {
    // The connection broke, which is how this ends: the process is gone.
  }
  await addon.exited;
}

async function agree(addon: Addon, resourceId: string, sent: readonly Sent[], seed: number): Promise<void> {
  const listed = await addon.read(
    { tool: 'query', sql: 'SELECT value, count(*) FROM log GROUP BY value' },
    { resourceId },
  );
  const rows = new Map<number, number>(listed.body.payload.rows);
  for (const operation of sent) {
    const receipt = await addon.receipt(operation.operationId);
    const committed = receipt.status === 200 && receipt.body.state === 'committed';
    const said = `seed ${seed}, ${operation.operationId}`;
    assert.is(rows.get(operation.value) ?? 0, committed ? 1 : 0, `${said}: row and receipt differ`);
    if (operation.answered) assert.ok(committed, `${said}: acknowledged and lost`);
  }
  const known = new Set(sent.map((operation) => operation.value));
  const oldest = Math.min(...known);
  for (const value of rows.keys())
    assert.ok(value < oldest || known.has(value), `seed ${seed}: row ${value} is nobody's`);
}

test('keeps a change and its receipt together over kills at random moments [WIRE-035] [WIRE-031]', async () => {
  const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
  const next = random(seed);
  const resourceId = 'res-crash';
  let addon = await Addon.start();
  const { dataDir } = addon;
  try {
    await addon.createDatabase(resourceId);
    const columns = [{ name: 'value', type: 'integer' }];
    await addon.change('schema', 'op-table', { tool: 'create-table', table: 'log', columns }, { resourceId });
    const sent: Sent[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await writeUntilKilled(addon, resourceId, sent, next);
      addon = await Addon.start({ dataDir });
      await agree(addon, resourceId, sent.slice(-8), seed);
    }
    await agree(addon, resourceId, sent, seed);
    assert.ok(sent.filter((operation) => operation.answered).length >= ROUNDS, 'hardly anything was written');
    // What was cut off may be sent again under its own id, and then happens once.
    const { revision } = (await addon.read({ tool: 'inspect' }, { resourceId })).body.payload;
    for (const operation of sent.filter((one) => !one.answered)) {
      const known = await addon.receipt(operation.operationId);
      if (known.status === 200) continue;
      const args = { tool: 'insert-rows', table: 'log', columns: ['value'], rows: [[operation.value]] };
      const options = { resourceId, operationId: operation.operationId };
      const applied = await addon.apply('write', args, revision, options);
      assert.is(applied.body.state, 'committed');
      break;
    }
    await agree(addon, resourceId, sent, seed);
  } finally {
    await addon.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 140_000);

test('creates and deletes databases wholly or not at all over kills at random moments [WIRE-035]', async () => {
  const seed = Number(process.env.CRASH_SEED ?? Date.now() % 1_000_000);
  const next = random(seed);
  let addon = await Addon.start();
  const { dataDir } = addon;
  const first = { schema: 1, data: 0 };
  const made: string[] = [];
  const removed: string[] = [];
  const create = { tool: 'create-database', name: 'Crash' };
  const remove = { tool: 'delete-database' };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const serving = addon;
      const killer = new Killer(serving, next);
      try {
        for (;;) {
          const resourceId = `res-${made.length + 1}`;
          made.push(resourceId);
          const creation = { resourceId, operationId: `create-${resourceId}` };
          await killer.during(() => serving.apply('create', create, first, creation));
          if (made.length % 2 === 0) continue;
          removed.push(resourceId);
          const deletion = { resourceId, operationId: `ui-${resourceId}` };
          await killer.during(() => serving.apply('delete', remove, first, deletion));
        }
      } catch {
        // Killed in between.
      }
      await addon.exited;
      addon = await Addon.start({ dataDir });
      for (const resourceId of round === ROUNDS - 1 ? made : made.slice(-4)) {
        const exists = (await addon.read({ tool: 'resource-exists' }, { resourceId })).body.payload.exists;
        const created = (await addon.receipt(`create-${resourceId}`)).status === 200;
        const deleted = (await addon.receipt(`ui-${resourceId}`)).status === 200;
        assert.is(exists, created && !deleted, `seed ${seed}, ${resourceId}`);
        if (deleted) assert.ok(created);
        const inspected = await addon.read({ tool: 'inspect' }, { resourceId });
        assert.is(inspected.status, exists ? 200 : 422);
      }
    }
    assert.ok(removed.length > 0);
  } finally {
    await addon.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 140_000);

test.run();
