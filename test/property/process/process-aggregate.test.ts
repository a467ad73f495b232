/** The launches of one add-on, under any order of steps: never two at once, nothing beside an uncertain one. */
import fc from 'fast-check';
import { type ProcessCommand, type ProcessState, processDecider, unfinished } from '../../../src/aggregates/process.js';
import { isLeft, isRight, must } from '../../../src/contract/fp.js';
import { processEvents } from '../../../src/events/catalogue/process.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('process aggregate, any order of steps');

const WORLD = { bootId: 'boot', pidNamespace: 'pid:[1]' };
const incarnation = fc.constantFrom('a', 'b', 'c');
const command: fc.Arbitrary<ProcessCommand> = fc.oneof(
  fc
    .record({ type: fc.constant('launch' as const), incarnation, generation: fc.integer({ min: 1, max: 3 }) })
    .map((c) => ({
      ...c,
      ...WORLD,
      executable: '/p/bin',
      dataDir: '/d',
    })),
  fc
    .record({ type: fc.constant('started' as const), incarnation })
    .map((c) => ({ ...c, ...WORLD, pid: 7, startTime: '9' })),
  fc.record({ type: fc.constantFrom('ready' as const, 'drain' as const, 'attempts-spent' as const), incarnation }),
  fc.record({ type: fc.constantFrom('exited' as const, 'uncertain' as const), incarnation, reason: fc.string() }),
);

/** Every state after each accepted command, with the command, from the initial state on. */
function run(commands: readonly ProcessCommand[]) {
  let state: ProcessState = processDecider.initial;
  const steps: { before: ProcessState; command: ProcessCommand; accepted: boolean; after: ProcessState }[] = [];
  for (const command of commands) {
    const decided = processDecider.decide(state, command);
    const before = state;
    if (isRight(decided)) {
      for (const event of decided.right) {
        assert.ok(
          isRight(processEvents[event.type].payload.decode(event.payload)),
          `${event.type} has a valid payload`,
        );
        state = processDecider.evolve(state, event as never);
      }
    }
    steps.push({ before, command, accepted: isRight(decided), after: state });
  }
  return steps;
}

const always = (body: (commands: readonly ProcessCommand[]) => void) =>
  fc.assert(fc.property(fc.array(command, { maxLength: 30, size: 'max' }), body), { numRuns: 300 });

test('a launch is accepted exactly when no earlier one could still run [RUNTIME-046]', () => {
  always((commands) => {
    let open: string | undefined;
    for (const { command, accepted } of run(commands)) {
      if (command.type === 'launch') {
        assert.ok(!accepted || open === undefined, 'nothing is launched beside an unfinished launch');
        if (accepted) open = command.incarnation;
      } else if (command.type === 'exited' && accepted && command.incarnation === open) open = undefined;
    }
  });
});

test('an uncertain launch ends by a confirmed exit and by nothing else [RUNTIME-023]', () => {
  always((commands) => {
    for (const { before, command, after } of run(commands))
      if (before.phase === 'uncertain' && after.phase !== 'uncertain') assert.is(command.type, 'exited');
  });
});

test('a step of another incarnation is refused and changes nothing [RUNTIME-043]', () => {
  always((commands) => {
    for (const { before, command, accepted, after } of run(commands))
      if (command.type !== 'launch' && before.phase !== 'none' && before.incarnation !== command.incarnation) {
        assert.is(accepted, false);
        assert.is(after, before);
      }
  });
});

test('only a started process becomes ready, and only from pending one becomes started', () => {
  always((commands) => {
    for (const { before, after } of run(commands)) {
      if (after.phase === 'ready' && before.phase !== 'ready') assert.is(before.phase, 'started');
      if (after.phase === 'started' && before.phase !== 'started') assert.is(before.phase, 'pending');
    }
  });
});

test('a repeated exit or drain is no second event, and an ended incarnation is never launched again', () => {
  const start: readonly ProcessCommand[] = [
    { type: 'launch', incarnation: 'a', generation: 1, executable: '/p', dataDir: '/d', ...WORLD },
    { type: 'started', incarnation: 'a', pid: 7, startTime: '9', ...WORLD },
    { type: 'drain', incarnation: 'a' },
    { type: 'exited', incarnation: 'a', reason: 'stopped' },
  ];
  const state = run(start).at(-1)?.after as ProcessState;
  assert.is(unfinished(state), undefined);
  const exited = must(processDecider.decide(state, { type: 'exited', incarnation: 'a', reason: 'again' }), 'exited');
  assert.equal(exited, []);
  assert.ok(isLeft(processDecider.decide(state, start[0] as ProcessCommand)));
});

test.run();
