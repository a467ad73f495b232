import { once } from 'node:events';
import { assert, suite } from '../../support/harness.js';
import { assertReplays, assertVerifies, counterState, settle } from '../../support/job-oracle.js';
import { KillLoad } from '../../support/kill-load.js';
import { ARGS } from '../../support/killing-server.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';
import { AMOUNT, addLibrary, type ProposalView } from '../../support/main-job.js';
import { clientOf, type RunningServer, startServer } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('kills at random moments');
/** Set CASTELLAN_KILL_SEED to repeat a run (moments are the same, what the machine does in them is not). */
const SEED = Number(process.env.CASTELLAN_KILL_SEED ?? Date.now() % 1_000_000);
/** More rounds for a long run; never fewer. */
const ROUNDS = Math.max(100, Number(process.env.CASTELLAN_KILL_ROUNDS ?? 100));
/** Seeds that once failed; each root of rounds has one of its own. */
const EXAMPLES: readonly number[] = [20_261_130, 72_399];
const ROUNDS_A_ROOT = 10;
/** Roots at work at the same time. */
const AT_ONCE = 2;
const CLIENTS = 4;
/** A kill comes after a random number of answers and a random time behind the last of them. */
const MOST_ANSWERS = 30;
const MOST_LOAD_MS = 20;
const MOST_START_MS = 600;

let library: TestLibrary;
test.before(async () => {
  library = await counterLibrary();
});
test.after(() => library.close());

/** Numbers from 0 to 1 that only the seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A root on which the add-on runs and each client has a counter of its own. */
async function prepared(dataPath: string): Promise<{ server: RunningServer; resourceIds: string[] }> {
  const server = await startServer(dataPath, ARGS);
  const client = clientOf(server.address);
  await addLibrary(dataPath, library.url);
  const wanted = { sourceId: 'mine', version: '1.0.0' };
  const order = { addonId: 'counter', operationId: 'install-1', action: 'install', arguments: wanted };
  assert.is((await client.dispatch(order)).status, 200);
  assert.is((await client.post('/api/addons/apps/counter/start', { operationId: 'on-1', generation: 1 })).status, 200);
  const resourceIds: string[] = [];
  for (let index = 1; index <= CLIENTS; index += 1) {
    const body = { addonId: 'counter', operationId: `make-${index}`, generation: 1, arguments: { name: `C ${index}` } };
    const made = await client.own<{ resourceId: string }>('/api/addons/resources', `make-${index}`, body);
    assert.is(made.status, 201, JSON.stringify(made.body));
    resourceIds.push(made.body.resourceId);
  }
  return { server, resourceIds };
}

async function allProposals(address: string): Promise<Map<string, ProposalView>> {
  const client = clientOf(address);
  const found = new Map<string, ProposalView>();
  let cursor = '';
  do {
    const page = await client.get<{ proposals: ProposalView[]; next?: string }>(
      `/api/addons/proposals?state=all&limit=100${cursor}`,
    );
    for (const proposal of page.body.proposals) found.set(proposal.id, proposal);
    cursor = page.body.next === undefined ? '' : `&cursor=${encodeURIComponent(page.body.next)}`;
  } while (cursor !== '');
  return found;
}

/** What every client was told is still so, and the add-on did exactly what was confirmed, once. */
async function judge(load: KillLoad, address: string, dataPath: string): Promise<void> {
  const proposals = await allProposals(address);
  const { applied, counters } = counterState(dataPath);
  for (const [id, told] of load.told) {
    const state = proposals.get(id)?.state ?? 'absent';
    const times = applied[id] ?? 0;
    const seen = `${id}: asked ${told.asked}, told ${told.answered}, is ${state}, applied ${times} times`;
    if (told.answered === 'nothing') assert.match(state, /^(absent|pending|cancelled)$/, seen);
    else if (told.answered !== 'pending') assert.is(state, told.answered, seen);
    else if (told.asked === 'confirm')
      assert.match(state, /^(pending|applied|rejected|cancelled|outcome-unknown|abandoned-unknown)$/, seen);
    else assert.match(state, /^(pending|cancelled)$/, seen);
    assert.is(times, state === 'applied' ? 1 : 0, seen);
  }
  const total = Object.values(counters).reduce((sum, { value }) => sum + value, 0);
  const changes = Object.keys(applied).filter((id) => id.startsWith('p-')).length;
  assert.is(total, changes * AMOUNT, 'the counters hold each applied change once');
  assert.is(load.wrong.join('\n'), '', 'a client was told what no client may be told');
}

/** Decides what is open, as people would, so that the next round is not refused for it. */
async function tidy(address: string): Promise<void> {
  const client = clientOf(address);
  for (const { id, state, digest } of (await allProposals(address)).values()) {
    if (state === 'pending') await client.post(`/api/addons/proposals/${id}/cancel`, {});
    if (state !== 'outcome-unknown') continue;
    const given = await client.own(`/api/addons/proposals/${id}/resolve`, id, { digest, reason: 'It was killed.' });
    assert.is(given.status, 200, JSON.stringify(given.body));
  }
}

/** Kills during a start; the server may have been ready by then. */
async function killInStart(dataPath: string, afterMs: number): Promise<void> {
  const wrap = ['timeout', '-s', 'KILL', `${(afterMs / 1_000).toFixed(3)}s`];
  try {
    const server = await startServer(dataPath, ARGS, wrap);
    if (server.child.exitCode === null && server.child.signalCode === null) await once(server.child, 'exit');
  } catch (error) {
    assert.match(String(error), /ended with (SIGKILL|137)/);
  }
}

/** Rounds on one root: load, kill, sometimes kills of the restart, restart, judge. Answers how many changes were applied. */
async function rounds(seed: number, count: number): Promise<number> {
  const random = randomOf(seed);
  const dataPath = tempDir('random');
  const { server: first, resourceIds } = await prepared(dataPath);
  let server = first;
  const load = new KillLoad(resourceIds, random);
  try {
    for (let kills = 0; kills < count; ) {
      const running = load.run(server.address);
      const ms = random() * MOST_LOAD_MS;
      const { child } = server;
      load.after(Math.floor(random() * MOST_ANSWERS), () => setTimeout(() => child.kill('SIGKILL'), ms));
      await running;
      await server.stop('SIGKILL');
      kills += 1;
      for (; kills < count && random() < 0.3; kills += 1) await killInStart(dataPath, random() * MOST_START_MS);
      server = await startServer(dataPath, ARGS);
      await settle(server.address, dataPath);
      await judge(load, server.address, dataPath);
      await assertReplays(dataPath);
      await tidy(server.address);
    }
    await assertVerifies(dataPath);
    assert.not.match(server.output(), /fenced|request failed/);
    return Object.keys(counterState(dataPath).applied).length;
  } catch (error) {
    throw new Error(`seed ${seed}: ${error}\n${server.output()}`, { cause: error });
  } finally {
    await server.stop('SIGKILL');
  }
}

test('seeds that failed once pass', async () => {
  const applied = await Promise.all(EXAMPLES.map((seed) => rounds(seed, 4)));
  for (const count of applied) assert.ok(count > 0);
}, 300_000);

test('after a hundred kills under load nothing acknowledged is lost, and each change is applied once or not at all', async () => {
  console.log(`seed ${SEED}`);
  let applied = 0;
  let next = 0;
  const worker = async () => {
    while (next < ROUNDS) {
      const from = next;
      next += ROUNDS_A_ROOT;
      applied += await rounds(SEED + from, Math.min(ROUNDS_A_ROOT, ROUNDS - from));
    }
  };
  // The others end their root before a failure is told, or their servers would outlive the test.
  const ended = await Promise.allSettled(
    Array.from({ length: AT_ONCE }, () =>
      worker().catch((error: unknown) => {
        next = ROUNDS;
        throw error;
      }),
    ),
  );
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  assert.ok(applied > ROUNDS, `${applied} changes were applied under load`);
}, 600_000);

test.run();
