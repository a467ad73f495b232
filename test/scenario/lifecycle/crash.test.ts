/**
 * The owner stops at every single commit of a life of an add-on, once before and once after the bytes were kept, and
 * starts again. Nothing acknowledged may be lost, nothing may be done twice, and the state must be what the log says.
 */
import { type Operation, type OperationEvent, operation } from '../../../src/aggregates/operation.js';
import type { OperationStatus } from '../../../src/contract/api.js';
import type { Json } from '../../../src/contract/json.js';
import { BatchingJournal } from '../../../src/events/batching-journal.js';
import type { Recorded } from '../../../src/events/event.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { operationKind } from '../../../src/projections/kinds/operation.js';
import { KINDS } from '../../../src/projections/kinds.js';
import { OwnerState } from '../../../src/projections/owner-state.js';
import { startEnabled } from '../../../src/recovery/reconcile-lifecycle.js';
import { assert, suite } from '../../support/harness.js';
import { testRelease, World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle, crash at every commit');

interface Shape {
  readonly version: string | undefined;
  readonly enabled: boolean;
}

interface Step {
  readonly action: string;
  readonly args: Json;
  readonly leaves: Shape;
}

const NOTHING: Shape = { version: undefined, enabled: false };

const LIFE: readonly Step[] = [
  { action: 'install', args: { sourceId: 'lib', version: '1.0.0' }, leaves: { version: '1.0.0', enabled: false } },
  { action: 'enable', args: {}, leaves: { version: '1.0.0', enabled: true } },
  { action: 'upgrade', args: { sourceId: 'lib', version: '1.1.0' }, leaves: { version: '1.1.0', enabled: true } },
  { action: 'disable', args: {}, leaves: { version: '1.1.0', enabled: false } },
  { action: 'upgrade', args: { sourceId: 'lib', version: '1.0.0' }, leaves: { version: '1.0.0', enabled: false } },
  { action: 'uninstall', args: {}, leaves: NOTHING },
  { action: 'install', args: { sourceId: 'lib', channel: 'latest' }, leaves: { version: '1.1.0', enabled: false } },
];

const shapeOf = (world: World): Shape => {
  const found = findInstalled(world.store.visible, 'demo');
  return found === undefined ? NOTHING : { version: found.version, enabled: found.enabled };
};

function assertStateIsTheFold(world: World): void {
  const fold = new OwnerState(KINDS);
  for (const slice of world.store.journal.read({ from: 1 })) for (const event of slice) fold.apply(event);
  assert.equal(JSON.parse(JSON.stringify(world.store.visible)), JSON.parse(JSON.stringify(fold)));
  assert.equal(JSON.parse(JSON.stringify(world.store.ahead)), JSON.parse(JSON.stringify(fold)));
}

const isStatus = (answer: OperationStatus | string): answer is OperationStatus => typeof answer !== 'string';

/** Runs the life of an add-on with one crash in it; the number of commits it took when there was none. */
async function live(at: number, how: 'before' | 'after'): Promise<{ crashed: boolean; commits: number }> {
  const world = await World.open();
  try {
    const releases = [testRelease('demo', '1.0.0'), testRelease('demo', '1.1.0', { channel: 'latest' })];
    await world.library(releases);
    world.storage.survive();
    world.storage.plan = { at, how };
    let shape = NOTHING;
    let crashed = false;
    const acknowledged: string[] = [];
    for (const [index, step] of LIFE.entries()) {
      const id = `op-${index}`;
      const crash = world.storage.nextCrash();
      const answer = await Promise.race([world.act(step.action, id, step.args), crash]);
      if (answer !== 'crash') {
        assert.is(isStatus(answer) ? answer.state : answer, 'completed', step.action);
        acknowledged.push(id);
        shape = step.leaves;
        continue;
      }
      crashed = true;
      await afterCrash(world, step, id, shape, acknowledged);
      shape = step.leaves;
      acknowledged.push(id);
    }
    assert.equal(shapeOf(world), LIFE.at(-1)?.leaves);
    assertStateIsTheFold(world);
    return { crashed, commits: world.storage.commits };
  } finally {
    world.close();
  }
}

/** An intent is failed, what was prepared is finished, what was never kept never was. */
const RECOVERS_TO: Readonly<Record<Operation['phase'], string>> = {
  none: 'not_found',
  intent: 'failed',
  prepared: 'completed',
  applied: 'completed',
  completed: 'completed',
  failed: 'failed',
};

function phaseOnDisk(world: World, id: string): Operation['phase'] {
  const events = new BatchingJournal(world.storage).readStream(
    `operation-${id}`,
  ) as readonly Recorded<OperationEvent>[];
  return events.reduce(operation.evolve, operation.initial).phase;
}

async function afterCrash(
  world: World,
  step: Step,
  id: string,
  before: Shape,
  acknowledged: readonly string[],
): Promise<void> {
  const fetched = world.catalog.fetched.length;
  const staged = world.packages.staged;
  const published = [...world.packages.published.keys()];
  const kept = phaseOnDisk(world, id);
  await world.boot();
  await startEnabled(world.lifecycle);
  assertStateIsTheFold(world);
  assert.is(world.store.visible.all(operationKind).size, 0, 'an operation is unfinished');
  assert.is(world.catalog.fetched.length, fetched, 'recovery resolved the catalog');
  assert.is(world.packages.staged, staged, 'recovery staged again');
  assert.is(world.packages.stages.size, 0, 'a stage was left');
  assert.equal([...world.packages.published.keys()], published, 'a published package went or came');
  for (const done of acknowledged) assert.is(await world.status(done), 'completed', `${done} was acknowledged`);
  const state = await world.status(id);
  assert.is(state, RECOVERS_TO[kept], `it was ${kept} when the owner stopped`);
  const now = shapeOf(world);
  assert.equal(now, state === 'completed' ? step.leaves : before, `${step.action} is ${state}`);
  assert.is(world.runtimes.running.has('demo'), now.enabled, 'the process is not as desired');
  const again = await world.act(step.action, id, step.args);
  if (state === 'completed') {
    assert.is((again as OperationStatus).state, 'completed');
    assert.is(world.packages.staged, staged, 'a repeat staged again');
  } else if (state === 'failed') {
    assert.is(again, 'denied');
    assert.equal(shapeOf(world), before, 'a failed operation was tried again under its id');
    assert.ok(isStatus(await world.act(step.action, `${id}-again`, step.args)));
  } else assert.is(state, 'not_found');
  assert.equal(shapeOf(world), step.leaves);
}

test('no crash loses what was acknowledged or does it twice [LIFECYCLE-023] [LIFECYCLE-027] [LIFECYCLE-030] [LIFECYCLE-031] [LIFECYCLE-035]', async () => {
  const { commits } = await live(Number.POSITIVE_INFINITY, 'before');
  assert.ok(commits > 25, `${commits} commits`);
  for (let at = 1; at <= commits; at += 1)
    for (const how of ['before', 'after'] as const) {
      const { crashed } = await live(at, how);
      assert.ok(crashed, `no crash ${how} commit ${at}`);
    }
});

test.run();
