import { left, right } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { assert, suite } from '../../support/harness.js';
import { BROWSER, errorOf, httpFixture, post } from '../../support/http.js';

const test = suite('confirmation surface');
const CONFIRM = '/api/addons/proposals/p-1/confirm';
const BODY = { digest: `sha256:${'0'.repeat(64)}` };
const SURFACE = { ...BROWSER, 'X-LocalAI-Confirm': 'p-1' };

async function reaches(headers: Record<string, string | undefined>, path = CONFIRM): Promise<boolean> {
  const { app, reached } = httpFixture();
  const response = await post(app, path, BODY, headers);
  const allowed = response.status === 200;
  assert.is(reached.length, allowed ? 1 : 0);
  if (!allowed) assert.is(response.status, 403);
  return allowed;
}

test('a same-origin fetch of the own page reaches the owner with the confirmed id', async () => {
  const { app, reached } = httpFixture();
  assert.is((await post(app, CONFIRM, BODY, SURFACE)).status, 200);
  assert.equal(reached[0]?.caller?.surface, { subject: 'p-1' });
  assert.equal(reached[0]?.args, ['p-1', BODY]);
});

test('confirm needs Sec-Fetch-Site same-origin, Dest empty and Mode cors or same-origin [CONFIRM-005]', async () => {
  assert.ok(await reaches({ ...SURFACE, 'Sec-Fetch-Mode': 'same-origin' }));
  for (const [name, values] of Object.entries({
    'Sec-Fetch-Site': [undefined, 'none', 'same-site', 'cross-site', 'Same-Origin'],
    'Sec-Fetch-Dest': [undefined, 'document', 'script', ''],
    'Sec-Fetch-Mode': [undefined, 'navigate', 'no-cors', 'websocket', ''],
  }))
    for (const value of values) assert.not(await reaches({ ...SURFACE, [name]: value }), `${name}: ${value}`);
});

test('the value of X-LocalAI-Confirm is what the owner compares, an absent one is empty [CONFIRM-006]', async () => {
  for (const [sent, subject] of [
    [undefined, ''],
    ['p-2', 'p-2'],
  ] as const) {
    const { app, reached } = httpFixture({ confirm: left(refuse('denied', 'no')) });
    assert.is((await post(app, CONFIRM, BODY, { ...SURFACE, 'X-LocalAI-Confirm': sent })).status, 403);
    assert.equal(reached[0]?.caller?.surface, { subject });
  }
  const { app, reached } = httpFixture();
  assert.is((await post(app, CONFIRM, {}, SURFACE)).status, 400);
  assert.is(reached.length, 0);
});

test('a tool, agent or MCP marker on the request is refused [CONFIRM-007]', async () => {
  for (const marker of ['Mcp-Session-Id', 'X-LocalAI-Tool-Call', 'X-LocalAI-Agent', 'X-LocalAI-Execution-Context'])
    for (const value of ['1', '']) assert.not(await reaches({ ...SURFACE, [marker]: value }), `${marker}: "${value}"`);
});

test('any API credential, in a header or in the query, is refused in local-owner mode [CONFIRM-008] [CONFIRM-004]', async () => {
  for (const header of ['Authorization', 'x-api-key', 'xi-api-key', 'Proxy-Authorization'])
    assert.not(await reaches({ ...SURFACE, [header]: 'Bearer anything' }), header);
  for (const query of ['api_key=a', 'token=', 'ACCESS_TOKEN=a', 'key=a'])
    assert.not(await reaches(SURFACE, `${CONFIRM}?${query}`), query);
});

test('resolve and the unresolved list take the same surface [RECOVER-023] [RECOVER-025]', async () => {
  const { app, reached } = httpFixture({ unresolved: right([]) });
  const get = (headers: Record<string, string>) =>
    app.request('http://127.0.0.1:8080/api/addons/resources/r-1/proposals?state=unresolved', { headers });
  assert.is((await get({})).status, 403);
  assert.is((await get({ ...SURFACE, Authorization: 'Bearer x' })).status, 403);
  assert.is((await post(app, '/api/addons/proposals/p-1/resolve', { ...BODY, reason: 'x' }, {})).status, 403);
  assert.is(reached.length, 0);
  assert.is((await get({ ...SURFACE, 'X-LocalAI-Confirm': 'r-1' })).status, 200);
  assert.equal(reached[0]?.caller?.surface, { subject: 'r-1' });
});

test('a confirmation of another site is refused even with every other header right', async () => {
  const { app, reached } = httpFixture();
  const response = await post(app, CONFIRM, BODY, { ...SURFACE, Origin: 'http://evil.example' });
  assert.is(response.status, 403);
  assert.is((await errorOf(response)).code, 'denied');
  assert.is(reached.length, 0);
});
test.run();
