/** Deadlines, backoff, places and defaults of the supervisor. */
import { DEFAULT_LIMITS } from '../../../src/contract/limits.js';
import { AttemptBudget } from '../../../src/process/backoff.js';
import { Deadlines, pause } from '../../../src/process/deadlines.js';
import { Places } from '../../../src/process/places.js';
import { defaultSettings } from '../../../src/process/settings.js';
import { assert, suite } from '../../support/harness.js';
import { ManualClock } from '../../support/manual-clock.js';

const test = suite('supervisor times');

test('the defaults are those of the chapter [RUNTIME-052]', () => {
  const { limits, readinessMs } = defaultSettings(DEFAULT_LIMITS);
  assert.is(limits.shutdownTimeoutMs, 10_000);
  assert.is(readinessMs, 30_000);
});

test('the pause before a launch doubles from 250 ms to 30 s, and the fifth launch is the last [RUNTIME-031]', () => {
  const budget = new AttemptBudget(DEFAULT_LIMITS);
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 5; i++) {
    budget.begin();
    waits.push(budget.next());
  }
  assert.equal(waits, [250, 500, 1_000, 2_000, undefined]);
  const many = new AttemptBudget({ ...DEFAULT_LIMITS, attempts: 50 });
  for (let i = 0; i < 49; i++) many.begin();
  assert.is(many.next(), 30_000);
});

test('sustained health gives the budget back, and the pause starts small again [RUNTIME-032]', () => {
  const budget = new AttemptBudget(DEFAULT_LIMITS);
  for (let i = 0; i < 5; i++) budget.begin();
  budget.restore();
  assert.is(budget.next(), 250);
});

test('a deadline passes when its time has passed, and not when it was cancelled', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, clock.monotonic);
  const passed: string[] = [];
  deadlines.start(1_000, () => passed.push('kept'));
  deadlines.start(1_000, () => passed.push('cancelled'))();
  await clock.pass(999);
  assert.equal(passed, []);
  await clock.pass(1);
  assert.equal(passed, ['kept']);
});

test('a deadline does not count the time in which the owner’s own event loop stood still', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, clock.monotonic);
  let passed = false;
  deadlines.start(1_000, () => {
    passed = true;
  });
  await clock.pass(500);
  await clock.stall(20_000);
  assert.is(passed, false);
  await clock.pass(400);
  assert.is(passed, false);
  await clock.pass(150);
  assert.is(passed, true);
});

test('work that is late is answered with the word for it, and a pause ends when it is cut short', async () => {
  const clock = new ManualClock();
  const deadlines = new Deadlines(clock, clock.monotonic);
  const outcome = deadlines.within(100, new Promise<string>(() => {}), 'late');
  await clock.pass(100);
  assert.is(await outcome, 'late');
  assert.is(await deadlines.within(100, Promise.resolve('done'), 'late'), 'done');
  const cut = new AbortController();
  const waiting = pause(clock, 1_000_000, cut.signal);
  cut.abort();
  await waiting;
});

test('at most so many start at a time; the next one starts when a place is given back', async () => {
  const clock = new ManualClock();
  const places = new Places(clock, 2, 1_000);
  const signal = new AbortController().signal;
  const [first, second] = [await places.take(signal), await places.take(signal)];
  let third = false;
  void places.take(signal).then(() => {
    third = true;
  });
  await clock.pass(10);
  assert.is(third, false);
  first();
  first();
  await clock.pass(10);
  assert.is(third, true);
  let fourth = false;
  void places.take(signal).then(() => {
    fourth = true;
  });
  await clock.pass(10);
  assert.is(fourth, false, 'giving back twice frees one place');
  second();
  await clock.pass(10);
  assert.is(fourth, true);
});

test('a slow start gives its place to the next after a while, so that it delays nobody for long [RUNTIME-010]', async () => {
  const clock = new ManualClock();
  const places = new Places(clock, 1, 1_000);
  const signal = new AbortController().signal;
  await places.take(signal);
  let next = false;
  void places.take(signal).then(() => {
    next = true;
  });
  await clock.pass(999);
  assert.is(next, false);
  await clock.pass(1);
  assert.is(next, true);
});

test('one that waits for a place leaves the queue when it is stopped', async () => {
  const clock = new ManualClock();
  const places = new Places(clock, 1, 1_000);
  const stopped = new AbortController();
  const giveBack = await places.take(new AbortController().signal);
  const waiting = places.take(stopped.signal);
  stopped.abort();
  (await waiting)();
  giveBack();
  await places.take(new AbortController().signal);
});

test.run();
