import fc from 'fast-check';
import type { Decider } from '../../../src/aggregates/decider.js';
import {
  type Generation,
  type InstallationCommand,
  type InstallationEvent,
  installation,
} from '../../../src/aggregates/installation.js';
import { type OperationCommand, type OperationEvent, operation } from '../../../src/aggregates/operation.js';
import { type SourceCommand, type SourceEvent, source } from '../../../src/aggregates/source.js';
import { CATALOGUE } from '../../../src/events/catalogue/index.js';
import { encodeEvent } from '../../../src/events/codec.js';
import type { NewEvent } from '../../../src/events/event.js';
import { recorded } from '../../support/fold.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('lifecycle aggregates, properties');

const digest = `sha256:${'3'.repeat(64)}`;
const label = fc.constantFrom('a', 'b');

const pack: fc.Arbitrary<Omit<Generation, 'generation'>> = fc.record({
  version: fc.constantFrom('1.0.0', '2.0.0'),
  directory: label,
  sourceId: label,
  sourceIdentity: label,
  channel: fc.constantFrom('', 'latest', 'development'),
  selection: label,
  artifact: label,
  digest: fc.constant(digest),
  verification: fc.constantFrom('sha256' as const, 'sha256+sigstore' as const),
  os: fc.constant('linux'),
  arch: fc.constant('amd64'),
  manifestDigest: fc.constant(digest),
  manifest: fc.constant('{}'),
});

const installationCommand: fc.Arbitrary<InstallationCommand> = fc.oneof(
  fc.record({
    type: fc.constant('publish' as const),
    purpose: fc.constantFrom('install' as const, 'upgrade' as const),
    package: pack,
    dataRetained: fc.boolean(),
  }),
  fc.record({ type: fc.constant('install' as const), generation: fc.integer({ min: 1, max: 6 }) }),
  fc.constantFrom({ type: 'enable' } as const, { type: 'disable' } as const, { type: 'uninstall' } as const),
);

const binding = {
  addonId: label,
  digest: fc.constant(digest),
  action: fc.constantFrom('install' as const, 'enable' as const),
};
const operationCommand: fc.Arbitrary<OperationCommand> = fc.oneof(
  fc.record({ type: fc.constant('request' as const), generation: fc.nat(3), ...binding }),
  fc.record({ type: fc.constant('record' as const), result: fc.constant('{}'), ...binding }),
  fc.record({ type: fc.constant('prepare' as const), generation: fc.nat(3) }),
  fc.constantFrom({ type: 'apply' } as const, { type: 'complete' } as const, { type: 'fail', code: 'denied' } as const),
);

const settings = fc.record({
  name: label,
  url: fc.constant('https://lib.test/i.yaml'),
  format: fc.constant('library' as const),
  policy: fc.record({ requireSignature: fc.boolean() }),
});
const place = { kind: fc.constant('addon' as const), id: label, settings };
const sourceCommand: fc.Arbitrary<SourceCommand> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), enabled: fc.boolean(), ...place }),
  fc.record({ type: fc.constant('ship' as const), enabled: fc.boolean(), ...place }),
  fc.record({ type: fc.constantFrom('change' as const, 'move' as const), settings }),
  fc.constantFrom({ type: 'enable' } as const, { type: 'disable' } as const, { type: 'remove' } as const),
);

/** What a list of commands makes of a new stream, event by event. */
function run<S, C, E extends NewEvent>(
  decider: Decider<S, C, E>,
  commands: readonly C[],
): { events: E[]; states: S[] } {
  const events: E[] = [];
  const states: S[] = [decider.initial];
  for (const command of commands) {
    const state = states.at(-1) as S;
    const decided = decider.decide(state, command);
    assert.equal(decided, decider.decide(state, command), 'decide is not deterministic');
    if (decided._tag === 'Left') continue;
    for (const event of decided.right) {
      events.push(event);
      states.push(decider.evolve(states.at(-1) as S, recorded([event])[0] as never));
    }
  }
  return { events, states };
}

/** Whatever the point at which a state was kept as JSON, going on from there gives the same state. */
function replays<S, C, E extends NewEvent>(decider: Decider<S, C, E>, commands: readonly C[], cut: number): void {
  const { events, states } = run(decider, commands);
  const at = cut % (events.length + 1);
  const kept = JSON.parse(JSON.stringify(states[at])) as S;
  const rest = recorded(events.slice(at)).reduce((state, event) => decider.evolve(state, event as never), kept);
  assert.equal(JSON.parse(JSON.stringify(rest)), JSON.parse(JSON.stringify(states.at(-1))));
}

function encodes(events: readonly NewEvent[]): void {
  for (const event of events) assert.is(encodeEvent(CATALOGUE, event)._tag, 'Right', event.type);
}

/** Any event at any state: evolve answers something and throws nothing. */
function total<S, E extends object>(
  decider: { initial: S; evolve: (s: S, e: never) => S },
  events: readonly E[],
): void {
  const end = recorded(events).reduce((state, event) => decider.evolve(state, event as never), decider.initial);
  assert.ok(end !== undefined && end !== null);
}

const list = <A>(one: fc.Arbitrary<A>): fc.Arbitrary<A[]> => fc.array(one, { maxLength: 24 });

test('a state kept at any point and the events behind it give the whole state', () => {
  fc.assert(fc.property(list(installationCommand), fc.nat(), (commands, cut) => replays(installation, commands, cut)));
  fc.assert(fc.property(list(operationCommand), fc.nat(), (commands, cut) => replays(operation, commands, cut)));
  fc.assert(fc.property(list(sourceCommand), fc.nat(), (commands, cut) => replays(source, commands, cut)));
});

test('every event that is decided fits its own codec', () => {
  fc.assert(fc.property(list(installationCommand), (commands) => encodes(run(installation, commands).events)));
  fc.assert(fc.property(list(operationCommand), (commands) => encodes(run(operation, commands).events)));
});

test('generations only grow, and what is installed was published', () => {
  fc.assert(
    fc.property(list(installationCommand), (commands) => {
      const { states } = run(installation, commands);
      for (const [index, state] of states.entries()) {
        const before = states[index - 1];
        assert.ok(state.lastGeneration >= (before?.lastGeneration ?? 0));
        assert.ok((state.current?.generation ?? 0) >= (before?.current?.generation ?? 0));
        assert.ok((state.current?.generation ?? 0) <= state.lastGeneration);
        assert.ok(!state.enabled || state.status === 'installed');
      }
    }),
  );
});

test('an upgrade never changes what an add-on is trusted as', () => {
  fc.assert(
    fc.property(list(installationCommand), (commands) => {
      const { states } = run(installation, commands);
      for (const [index, state] of states.entries()) {
        const before = states[index - 1];
        if (before?.status !== 'installed' || state.status !== 'installed') continue;
        assert.is(state.current?.sourceId, before.current?.sourceId);
        assert.is(state.current?.sourceIdentity, before.current?.sourceIdentity);
        assert.is(state.current?.verification, before.current?.verification);
        assert.is(state.installedAt, before.installedAt);
      }
    }),
  );
});

const RANK = { none: 0, intent: 1, prepared: 2, applied: 3, completed: 4, failed: 4 } as const;

test('phases only move forward, and an id keeps its binding for ever', () => {
  fc.assert(
    fc.property(list(operationCommand), (commands) => {
      const { states } = run(operation, commands);
      for (const [index, state] of states.entries()) {
        const before = states[index - 1];
        if (before === undefined) continue;
        assert.ok(RANK[state.phase] > RANK[before.phase], `${before.phase} then ${state.phase}`);
        if (before.phase === 'none' || state.phase === 'none') continue;
        assert.is(state.digest, before.digest);
        assert.is(state.action, before.action);
        assert.is(state.addonId, before.addonId);
        if (state.phase === 'completed') assert.is(before.phase, 'applied');
      }
    }),
  );
});

test('evolve answers any event in any state', () => {
  const anyOf = <E>(events: readonly E[]): fc.Arbitrary<E[]> => fc.array(fc.constantFrom(...events), { maxLength: 12 });
  const installationEvents = fc.sample(list(installationCommand), 50).flatMap((c) => run(installation, c).events);
  const operationEvents = fc.sample(list(operationCommand), 50).flatMap((c) => run(operation, c).events);
  const sourceEvents = fc.sample(list(sourceCommand), 50).flatMap((c) => run(source, c).events);
  fc.assert(fc.property(anyOf<InstallationEvent>(installationEvents), (events) => total(installation, events)));
  fc.assert(fc.property(anyOf<OperationEvent>(operationEvents), (events) => total(operation, events)));
  fc.assert(fc.property(anyOf<SourceEvent>(sourceEvents), (events) => total(source, events)));
});

test.run();
