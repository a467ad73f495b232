import { systemIds } from '../../../src/cli/system.js';
import { ConfirmCodes } from '../../../src/http/guard/confirm-code.js';
import { assert, suite } from '../../support/harness.js';
import { BROWSER, errorOf, httpFixture, post } from '../../support/http.js';

const test = suite('local confirmation code');
const CONFIRM = '/api/addons/proposals/p-1/confirm';
const BODY = { digest: 'd' };
const SURFACE = { ...BROWSER, 'X-LocalAI-Confirm': 'p-1' };

function fixture() {
  const shown: string[] = [];
  let now = 0;
  const clock = { now: () => new Date(now), after: () => () => {} };
  const codes = new ConfirmCodes(clock, systemIds, (code) => shown.push(code), false);
  return { ...httpFixture({}, codes), shown, pass: (ms: number) => (now += ms) };
}
const enter = (app: Parameters<typeof post>[0], code: string) => post(app, '/api/local-confirm', { code }, BROWSER);
const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

test('without the cookie a confirmation is 403 confirm_code_required and reaches nothing', async () => {
  const { app, reached } = fixture();
  const response = await post(app, CONFIRM, BODY, SURFACE);
  assert.is(response.status, 403);
  assert.is((await errorOf(response)).code, 'confirm_code_required');
  assert.is(reached.length, 0);
});

test('the shown code sets an HttpOnly, SameSite=Strict cookie with which confirmations pass', async () => {
  const { app, shown } = fixture();
  const entered = await enter(app, ` ${shown[0]?.toUpperCase()} `);
  assert.is(entered.status, 204);
  assert.match(entered.headers.get('set-cookie') ?? '', /HttpOnly/);
  assert.match(entered.headers.get('set-cookie') ?? '', /SameSite=Strict/);
  assert.is((await post(app, CONFIRM, BODY, { ...SURFACE, Cookie: cookieOf(entered) })).status, 200);
});

test('a code works once; the terminal shows the next one', async () => {
  const { app, shown } = fixture();
  assert.is((await enter(app, shown[0] ?? '')).status, 204);
  assert.is((await enter(app, shown[0] ?? '')).status, 403);
  assert.is(shown.length, 2);
  assert.is.not(shown[1], shown[0]);
  assert.is((await enter(app, shown[1] ?? '')).status, 204);
});

test('ten wrong tries spend the code, and for a minute not even the new one is taken', async () => {
  const { app, shown, pass } = fixture();
  for (let i = 0; i < 10; i++) assert.is((await enter(app, 'wrong-wrong')).status, 403);
  assert.is(shown.length, 2);
  for (let i = 0; i < 30; i++) {
    const paused = await enter(app, shown[1] ?? '');
    assert.equal([paused.status, paused.headers.get('retry-after')], [429, '60']);
    assert.is(paused.headers.get('set-cookie'), null);
  }
  pass(59_001);
  const last = await enter(app, shown[1] ?? '');
  assert.equal([last.status, last.headers.get('retry-after')], [429, '1']);
  assert.match((await errorOf(last)).message, /Wait 1 second, then enter the newest code/);
  // The guesses during the pause cost no new code, so the terminal shows what is good now.
  assert.is(shown.length, 2);
  pass(999);
  assert.is((await enter(app, shown[0] ?? '')).status, 403);
  assert.is((await enter(app, shown[1] ?? '')).status, 204);
});

test('guessing goes on no faster than ten tries a minute, and a clock that is set back ends the pause', async () => {
  const { app, shown, pass } = fixture();
  let looked = 0;
  for (let second = 0; second < 300; second += 1) {
    for (let i = 0; i < 20; i += 1) if ((await enter(app, 'wrong-wrong')).status === 403) looked += 1;
    pass(1_000);
  }
  assert.equal([looked, shown.length], [50, 6]);
  pass(-3_600_000);
  assert.is((await enter(app, shown.at(-1) ?? '')).status, 204);
});

test('a forged or expired cookie does not confirm, and another site cannot enter a code', async () => {
  const { app, shown, pass } = fixture();
  const cookie = cookieOf(await enter(app, shown[0] ?? ''));
  const name = cookie.split('=')[0] ?? '';
  assert.is((await post(app, CONFIRM, BODY, { ...SURFACE, Cookie: `${name}=${'0'.repeat(64)}` })).status, 403);
  pass(12 * 3_600_000 + 1);
  assert.is((await post(app, CONFIRM, BODY, { ...SURFACE, Cookie: cookie })).status, 403);
  assert.is((await post(app, '/api/local-confirm', { code: shown[1] ?? '' }, {})).status, 403);
});
test.run();
