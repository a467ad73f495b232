/** What must hold for every sequence of decisions on one proposal, whatever the order. */
import fc from 'fast-check';
import {
  evolve,
  isKnown,
  type Proposal,
  type ProposalCommand,
  type ProposalEvent,
  type ProposalRecord,
  proposalDecider,
} from '../../src/aggregates/proposal.js';
import { isRight } from '../../src/contract/fp.js';
import type { Recorded } from '../../src/events/event.js';
import { assert, suite } from '../support/harness.js';

const test = suite('proposal aggregate, properties');

const ref = (letter: string) => `sha256:${letter.repeat(64)}`;
const AT = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const record: ProposalRecord = {
  operationId: 'op-1',
  addonId: 'tables',
  resourceId: 'r-1',
  action: 'write',
  tool: 'insert-rows',
  generation: 1,
  addonOperationId: 'op-1',
  proposer: { userId: 'ada', credentialId: 'c', mode: 'named-user' },
  via: { kind: 'key' },
  revision: { schema: 1, data: 0 },
  count: 1,
  sampleRef: ref('a'),
  argumentsRef: ref('b'),
  argumentsBytes: 2,
  digest: ref('c'),
  createdAt: AT(0),
  expiresAt: AT(30),
};

const second = fc.integer({ min: 0, max: 60 }).map(AT);
const digest = fc.constantFrom(record.digest, record.digest, record.digest, ref('d'));
const lookup = fc.constantFrom('automatic' as const, 'proposer' as const, 'resolver' as const, undefined);
const withLookup = <T extends object>(command: T, by: 'automatic' | 'proposer' | 'resolver' | undefined) =>
  by === undefined ? command : { ...command, lookup: by };

const command: fc.Arbitrary<ProposalCommand> = fc.oneof(
  fc.constant({ type: 'store' as const, record }),
  second.map((now) => ({ type: 'cancel' as const, by: 'ada', why: 'withdrawn', now })),
  second.map((now) => ({ type: 'expire' as const, now })),
  fc.record({ digest, recomputed: digest, now: second }).map((given) => ({
    type: 'confirm' as const,
    by: 'ada',
    credentialId: 'session',
    ...given,
  })),
  fc.constant({ type: 'not-sent' as const, why: 'busy' }),
  lookup.map((by) => withLookup({ type: 'applied' as const, outcome: { revision: { schema: 1, data: 1 } } }, by)),
  lookup.map((by) =>
    withLookup({ type: 'rejected' as const, outcome: { code: 'stale', refused: false, outcomeRef: ref('e') } }, by),
  ),
  fc.constant({ type: 'lose-outcome' as const, why: 'timeout' }),
  digest.map((shown) => ({ type: 'abandon' as const, by: 'ada', reason: 'checked by hand', digest: shown })),
  fc.constantFrom('retention' as const, 'room' as const).map((why) => ({ type: 'forget' as const, why })),
);
const commands = fc.array(command, { minLength: 1, maxLength: 40 });

const recorded = (event: ProposalEvent, position: number): Recorded<ProposalEvent> =>
  ({
    ...event,
    position,
    id: `e${position}`,
    stream: 'proposal-op-1',
    revision: position,
    at: AT(position),
  }) as Recorded<ProposalEvent>;

interface Run {
  readonly events: readonly Recorded<ProposalEvent>[];
  readonly states: readonly Proposal[];
}

/** Runs every command, keeping what was decided and each state on the way. */
function run(given: readonly ProposalCommand[]): Run {
  let state: Proposal = proposalDecider.initial;
  const events: Recorded<ProposalEvent>[] = [];
  const states: Proposal[] = [state];
  for (const next of given) {
    const decided = proposalDecider.decide(state, next);
    if (!isRight(decided)) continue;
    for (const event of decided.right) {
      const at = recorded(event, events.length + 1);
      events.push(at);
      state = evolve(state, at);
      states.push(state);
    }
  }
  return { events, states };
}

test('nothing is executed twice without proof that the first call never left [RECOVER-011]', () => {
  fc.assert(
    fc.property(commands, (given) => {
      let open = false;
      for (const { type } of run(given).events) {
        if (type === 'ExecutionStarted') {
          assert.not(open, 'a second execution without ExecutionNotSent between');
          open = true;
        }
        if (type === 'ExecutionNotSent') open = false;
      }
    }),
    { numRuns: 2_000 },
  );
});

test('a proposal is in one state of the table and a settled one never goes back to pending [PROPOSAL-035]', () => {
  const table = [
    'pending',
    'cancelled',
    'expired',
    'executing',
    'applied',
    'rejected',
    'outcome-unknown',
    'abandoned-unknown',
  ];
  const final = new Set(['cancelled', 'expired', 'applied', 'rejected']);
  fc.assert(
    fc.property(commands, (given) => {
      const { states } = run(given);
      states.forEach((state, index) => {
        const before = states[index - 1];
        if (isKnown(state)) assert.ok(table.includes(state.state));
        if (before === undefined || !isKnown(before)) return;
        if (final.has(before.state)) assert.ok(state.state === before.state || state.state === 'forgotten');
        if (before.state === 'abandoned-unknown')
          assert.ok(['abandoned-unknown', 'applied', 'rejected', 'forgotten'].includes(state.state));
        if (before.state === 'outcome-unknown') assert.is.not(state.state, 'pending');
      });
    }),
    { numRuns: 2_000 },
  );
});

test('replay of any prefix and the rest is replay of all, and a decision depends on state and command alone', () => {
  fc.assert(
    fc.property(commands, fc.nat(), command, (given, cut, next) => {
      const { events } = run(given);
      const fold = (from: Proposal, some: readonly Recorded<ProposalEvent>[]) => some.reduce(evolve, from);
      const at = cut % (events.length + 1);
      const whole = fold(proposalDecider.initial, events);
      assert.equal(fold(fold(proposalDecider.initial, events.slice(0, at)), events.slice(at)), whole);
      assert.equal(JSON.parse(JSON.stringify(whole)), whole);
      assert.equal(proposalDecider.decide(whole, next), proposalDecider.decide(whole, next));
    }),
    { numRuns: 1_000 },
  );
});

test('evolve is total: any event on any state gives a state', () => {
  const samples = run([
    { type: 'store', record },
    { type: 'confirm', by: 'a', credentialId: 'c', digest: record.digest, recomputed: record.digest, now: AT(1) },
    { type: 'lose-outcome', why: 'timeout' },
    { type: 'abandon', by: 'a', reason: 'r', digest: record.digest },
    { type: 'applied', outcome: { revision: { schema: 1, data: 1 } }, lookup: 'automatic' },
    { type: 'forget', why: 'retention' },
  ]);
  const extra: ProposalEvent[] = [
    { type: 'ProposalCancelled', payload: { by: 'a', why: 'w' } },
    { type: 'ProposalExpired', payload: {} },
    { type: 'ExecutionNotSent', payload: { why: 'w' } },
    { type: 'ProposalRejected', payload: { code: 'c', refused: true, outcomeRef: ref('f') } },
  ];
  const events = [...samples.events, ...extra.map((event, index) => recorded(event, 20 + index))];
  for (const state of samples.states) for (const event of events) assert.type(evolve(state, event).state, 'string');
});

test('only the digest that was shown and still holds confirms; expired and cancelled proposals never do [PROPOSAL-030]', () => {
  fc.assert(
    fc.property(commands, digest, digest, second, (given, shown, recomputed, now) => {
      const state = run(given).states.at(-1) ?? proposalDecider.initial;
      const decided = proposalDecider.decide(state, {
        type: 'confirm',
        by: 'ada',
        credentialId: 'session',
        digest: shown,
        recomputed,
        now,
      });
      const may =
        state.state === 'pending' && now < record.expiresAt && shown === record.digest && recomputed === record.digest;
      assert.is(isRight(decided), may);
    }),
    { numRuns: 2_000 },
  );
});

test('a proposal that may still have run is never forgotten for room or age', () => {
  fc.assert(
    fc.property(commands, (given) => {
      const { states, events } = run(given);
      events.forEach((event, index) => {
        const before = states[index];
        if (event.type !== 'ProposalForgotten' || before === undefined) return;
        assert.ok(['cancelled', 'expired', 'applied', 'rejected', 'abandoned-unknown'].includes(before.state));
      });
    }),
  );
});

test.run();
