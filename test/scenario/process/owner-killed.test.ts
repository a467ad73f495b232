/** A real owner killed by SIGKILL at the steps of a launch: nothing of it runs twice, whoever comes next. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { counterPackage, type FixtureOptions } from '../../support/fixture-addon.js';
import { assert, suite } from '../../support/harness.js';
import type { OwnerOrder } from '../../support/owner-process.js';
import { OwnerRun } from '../../support/run-owner.js';
import { alive, eventually, pidsOf } from '../../support/supervisor-rig.js';

const test = suite('owner killed');
let dir = '';
let runs: OwnerRun[] = [];
test.beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'castellan-kill-'));
  runs = [];
});
test.afterEach(async () => {
  for (const run of runs) await run.kill();
  for (const pid of [...pidsOf(trace('counter')), ...pidsOf(trace('second'))])
    if (alive(pid)) process.kill(pid, 'SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

const trace = (id: string): string[] => {
  const path = join(dir, 'addons', 'data', id, 'trace.log');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};

const order = (fixtures: readonly FixtureOptions[], over: Partial<OwnerOrder> = {}): OwnerOrder => ({
  dataPath: dir,
  packages: fixtures.map((fixture) => {
    const id = fixture.id ?? 'counter';
    const made = counterPackage(join(dir, 'packages', id), fixture);
    return { id, packageDir: made.packageDir, executable: made.executable, capabilities: made.manifest.capabilities };
  }),
  ...over,
});

const owner = (what: OwnerOrder) => {
  const run = new OwnerRun(what);
  runs.push(run);
  return run;
};

test('children of a killed owner see the end of descriptor 4 and exit [RUNTIME-016]', async () => {
  const first = owner(order([{}, { id: 'second' }]));
  await first.ready(2);
  await first.kill();
  for (const id of ['counter', 'second'])
    await eventually(`${id} saw the end`, () => trace(id).some((line) => line.startsWith('eof ')));
});

test('a child that ignores its owner’s end and SIGTERM is ended before its replacement starts [RUNTIME-017] [RUNTIME-021]', async () => {
  const what = order([{ behaviour: { ignoreEof: true, ignoreTerm: true } }]);
  const first = owner(what);
  await first.ready(1);
  await first.kill();
  const [old] = pidsOf(trace('counter')) as [number];
  assert.ok(alive(old));
  const second = owner(what);
  await second.ready(1);
  assert.not.ok(alive(old));
  assert.is(await second.says('recovered'), true);
  assert.is(pidsOf(trace('counter')).length, 2);
});

test('a child that ignores its owner’s end and SIGTERM holds up its own replacement, and neither the recovery nor the others', async () => {
  const first = owner(order([{ id: 'second', behaviour: { ignoreEof: true, ignoreTerm: true } }, {}]));
  await first.ready(2);
  const [stubborn] = pidsOf(trace('second'));
  await first.kill();
  const second = owner(order([{}, { id: 'second', behaviour: {} }]));
  assert.is(await second.says('recovered'), true);
  assert.ok(alive(stubborn as number), 'it takes a whole shutdown interval');
  await eventually('the other one runs', () =>
    second.said.some(({ started, outcome }) => started === 'counter' && outcome === 'ready'),
  );
  await second.ready(2);
  assert.not.ok(alive(stubborn as number));
  assert.is(pidsOf(trace('second')).filter(alive).length, 1);
});

test('a stopped child of a killed owner is ended before its replacement starts [RUNTIME-017]', async () => {
  const what = order([{}]);
  const first = owner(what);
  await first.ready(1);
  const [old] = pidsOf(trace('counter')) as [number];
  process.kill(old, 'SIGSTOP');
  await first.kill();
  const second = owner(what);
  await second.ready(1);
  assert.not.ok(alive(old));
});

test('an owner killed before the intent is recorded has started nothing [RUNTIME-020]', async () => {
  const first = owner(order([{}], { dieBefore: 'pending' }));
  await first.ended;
  assert.equal(trace('counter'), []);
  const second = owner(order([{}], { onlyLook: true }));
  assert.equal(await second.says('unfinished'), []);
});

test('a child started just before its owner died is found without a recorded pid, and ended [RUNTIME-021]', async () => {
  const first = owner(order([{ behaviour: { ignoreEof: true, ignoreTerm: true } }], { dieBefore: 'started' }));
  await first.ended;
  const [old] = await eventually('the child began', () =>
    trace('counter').length > 0 ? pidsOf(trace('counter')) : undefined,
  );
  const second = owner(order([{}]));
  const [launch] = await second.says('unfinished');
  assert.is(launch?.state, 'pending');
  assert.is(launch?.pid, undefined);
  await second.ready(1);
  assert.not.ok(alive(old as number));
  assert.is(pidsOf(trace('counter')).length, 2);
});

test('an owner that dies before the identity is durable has given its child no credential [RUNTIME-019]', async () => {
  const first = owner(order([{ behaviour: { report: true } }], { dieBefore: 'started' }));
  await first.ended;
  await eventually('the child began', () => trace('counter').length > 0);
  await eventually('the child ended', () => pidsOf(trace('counter')).every((pid) => !alive(pid)));
  assert.not.ok(trace('counter').some((line) => line.startsWith('incarnation')));
  assert.not.ok(existsSync(join(dir, 'addons', 'data', 'counter', 'startup.json')));
});

test('killed again and again at any step, an add-on never runs twice at a time', async () => {
  const what = order([{ behaviour: { ignoreEof: true } }]);
  for (const dieBefore of ['started', 'ready', 'started', 'ready', 'pending'] as const) {
    await owner({ ...what, dieBefore }).ended;
    assert.ok(pidsOf(trace('counter')).filter(alive).length <= 1);
  }
  const last = owner(what);
  await last.ready(1);
  assert.is(pidsOf(trace('counter')).filter(alive).length, 1);
  const { code } = (await last.kill('SIGTERM')) as { code: number };
  assert.is(code, 0);
  assert.is(pidsOf(trace('counter')).filter(alive).length, 0);
});

test('a second owner on the same root exits with 1 and the words operators look for [LIFECYCLE-005]', async () => {
  const first = owner(order([{}]));
  await first.ready(1);
  const second = owner(order([{}]));
  assert.is((await second.ended).code, 1);
  assert.is(second.stderr, 'addon storage already owned\n');
  assert.is(pidsOf(trace('counter')).length, 1);
});

test('no descriptor of the journal reaches a child', async () => {
  const first = owner(order([{ behaviour: { report: true } }]));
  await first.ready(1);
  const given = readFileSync(join(dir, 'addons', 'data', 'counter', 'given.json'), 'utf8');
  assert.not.match(given, /\.mdb|owner\.lock|eventpoll/);
});

test.run();
