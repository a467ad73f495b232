/**
 * Any sequence of lifecycle commands on two add-ons, with versions that do not start and an owner that stops at any
 * commit, against a model of a few lines. The model knows nothing of phases: it says what is installed and enabled.
 */
import fc from 'fast-check';
import type { OperationStatus } from '../../../src/contract/api.js';
import type { Json } from '../../../src/contract/json.js';
import { findInstalled } from '../../../src/projections/installed.js';
import { operationKind } from '../../../src/projections/kinds/operation.js';
import { KINDS } from '../../../src/projections/kinds.js';
import { OwnerState } from '../../../src/projections/owner-state.js';
import { startEnabled } from '../../../src/recovery/reconcile-lifecycle.js';
import { assert, suite } from '../../support/harness.js';
import { testRelease, World } from '../../support/lifecycle-world.js';

const test = suite('lifecycle against a model');

interface Command {
  readonly action: 'install' | 'upgrade' | 'enable' | 'disable' | 'uninstall';
  readonly addonId: 'demo' | 'other';
  readonly version: '1.0.0' | '2.0.0' | '3.0.0';
  /** Stop at this commit of the command, before or after its bytes are kept; 0 for no crash. */
  readonly crashAt: number;
  readonly how: 'before' | 'after';
}

interface Shape {
  readonly version: string | undefined;
  readonly enabled: boolean;
}

type Model = Map<string, Shape>;

/** The one version that never starts. */
const BROKEN = '3.0.0';
const NOTHING: Shape = { version: undefined, enabled: false };

const command: fc.Arbitrary<Command> = fc.record({
  action: fc.constantFrom('install', 'upgrade', 'enable', 'disable', 'uninstall'),
  addonId: fc.constantFrom('demo', 'other'),
  version: fc.constantFrom('1.0.0', '2.0.0', '3.0.0'),
  crashAt: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 6 })),
  how: fc.constantFrom('before', 'after'),
});

/** What a command that is carried out answers and leaves; a refusal leaves everything. */
function expected({ action, version }: Command, before: Shape): { readonly answer: string; readonly leaves: Shape } {
  const installed = before.version !== undefined;
  if (action === 'install')
    return installed
      ? { answer: 'denied', leaves: before }
      : { answer: 'completed', leaves: { version, enabled: false } };
  if (!installed) return { answer: 'not_found', leaves: before };
  switch (action) {
    case 'upgrade':
      return before.enabled && version === BROKEN
        ? { answer: 'upgrade_failed', leaves: before }
        : { answer: 'completed', leaves: { version, enabled: before.enabled } };
    case 'enable':
      return {
        answer: before.version === BROKEN ? 'outcome_unknown' : 'completed',
        leaves: { ...before, enabled: true },
      };
    case 'disable':
      return { answer: 'completed', leaves: { ...before, enabled: false } };
    case 'uninstall':
      return { answer: 'completed', leaves: NOTHING };
  }
}

function assertAgrees(world: World, model: Model): void {
  for (const addonId of ['demo', 'other']) {
    const found = findInstalled(world.store.visible, addonId);
    const shape = found === undefined ? NOTHING : { version: found.version, enabled: found.enabled };
    assert.equal(shape, model.get(addonId) ?? NOTHING, addonId);
    const runs = shape.enabled && shape.version !== BROKEN;
    assert.is(world.runtimes.running.get(addonId)?.version, runs ? shape.version : undefined, `process of ${addonId}`);
  }
  assert.is(world.store.visible.all(operationKind).size, 0);
  const fold = new OwnerState(KINDS);
  for (const slice of world.store.journal.read({ from: 1 })) for (const event of slice) fold.apply(event);
  assert.equal(JSON.parse(JSON.stringify(world.store.visible)), JSON.parse(JSON.stringify(fold)));
}

async function step(world: World, model: Model, given: Command, id: string): Promise<void> {
  const { action, addonId, version, crashAt, how } = given;
  const before = model.get(addonId) ?? NOTHING;
  const { answer, leaves } = expected(given, before);
  const args: Json = action === 'install' || action === 'upgrade' ? { sourceId: 'lib', version } : {};
  world.storage.survive();
  if (crashAt > 0) world.storage.plan = { at: crashAt, how };
  const crash = world.storage.nextCrash();
  const got = await Promise.race([world.act(action, id, args, addonId), crash]);
  if (got !== 'crash') {
    assert.is(
      typeof got === 'string' ? got : (got as OperationStatus).state,
      answer,
      `${action} ${addonId} ${version}`,
    );
    model.set(addonId, leaves);
    return;
  }
  await world.boot();
  await startEnabled(world.lifecycle);
  const state = await world.status(id);
  assert.ok(['completed', 'failed', 'not_found'].includes(state), state);
  model.set(addonId, state === 'completed' ? leaves : before);
}

test('any commands and any crashes leave what the model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 14 }), async (commands) => {
      const world = await World.open();
      try {
        const versions = ['1.0.0', '2.0.0', '3.0.0'] as const;
        await world.library(['demo', 'other'].flatMap((id) => versions.map((version) => testRelease(id, version))));
        for (const id of ['demo', 'other']) world.runtimes.broken.add(`${id}@${BROKEN}`);
        const model: Model = new Map();
        for (const [index, given] of commands.entries()) {
          await step(world, model, given, `op-${index}`);
          assertAgrees(world, model);
        }
      } finally {
        world.close();
      }
    }),
    { numRuns: 150 },
  );
}, 120_000);

test.run();
