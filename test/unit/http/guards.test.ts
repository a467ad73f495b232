import { assert, suite } from '../../support/harness.js';
import { BROWSER, errorOf, httpFixture, ORIGIN, post } from '../../support/http.js';

const test = suite('http guards');
const PATH = '/api/addons/proposals/p-1/cancel';

test('a mutation of another site is refused by its Origin, null included', async () => {
  for (const origin of ['http://evil.example', 'null', 'https://127.0.0.1:8080', 'http://127.0.0.1:8081', '']) {
    const { app, reached } = httpFixture();
    const response = await post(app, PATH, {}, { Origin: origin });
    assert.is(response.status, 403, origin);
    assert.is(reached.length, 0);
  }
});

test('no Origin, the own one and that of the external URL pass', async () => {
  for (const origin of [undefined, ORIGIN, 'https://castellan.example']) {
    const { app } = httpFixture();
    assert.is((await post(app, PATH, {}, { Origin: origin })).status, 200, origin);
  }
});

test('Sec-Fetch-Site must be absent, same-origin or none', async () => {
  for (const [site, status] of [
    [undefined, 200],
    ['same-origin', 200],
    ['none', 200],
    ['same-site', 403],
    ['cross-site', 403],
  ] as const) {
    const { app } = httpFixture();
    assert.is((await post(app, PATH, {}, { 'Sec-Fetch-Site': site })).status, status, site);
  }
});

test('only application/json without an encoding is read', async () => {
  const { app, reached } = httpFixture();
  for (const type of [
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
  ]) {
    const response = await post(app, PATH, {}, { 'Content-Type': type });
    assert.is(response.status, 415, type);
    assert.is((await errorOf(response)).type, 'invalid_request');
  }
  assert.is((await post(app, PATH, {}, { 'Content-Encoding': 'gzip' })).status, 415);
  assert.is((await post(app, PATH, {}, { 'Content-Encoding': 'identity' })).status, 415);
  assert.is(reached.length, 0);
  assert.is((await post(app, PATH, {}, { 'Content-Type': 'Application/JSON; charset="UTF-8"' })).status, 200);
});

test('a body over 2 MiB is 413, whether it is declared or only sent', async () => {
  const { app, reached } = httpFixture();
  const body = `{"a":"${'x'.repeat(2_097_152)}"}`;
  const response = await post(app, PATH, body);
  assert.is(response.status, 413);
  assert.is((await errorOf(response)).type, 'too_large');
  const stream = new Blob([body]).stream();
  const streamed = await app.request(`${ORIGIN}${PATH}`, {
    method: 'POST',
    body: stream,
    duplex: 'half',
    headers: { 'Content-Type': 'application/json' },
  } as RequestInit);
  assert.is(streamed.status, 413);
  assert.is(reached.length, 0);
});

test('an unknown or repeated field, a wrong type, trailing data and broken JSON are 400 and reach nothing', async () => {
  const { app, reached } = httpFixture();
  const cases = [
    '',
    '{',
    '[]',
    'null',
    '{}{}',
    '{"digest":1}',
    '{"digest":"a","x":1}',
    '{"digest":"a","digest":"a"}',
    '\ufeff{}',
  ];
  for (const body of cases) {
    const response = await post(app, '/api/addons/proposals/p-1/confirm', body, {
      ...BROWSER,
      'X-LocalAI-Confirm': 'p-1',
    });
    assert.is(response.status, 400, body);
    assert.is((await errorOf(response)).type, 'invalid_request');
  }
  assert.is(reached.length, 0);
});

test('every answer carries the headers that keep other origins out', async () => {
  const { app } = httpFixture();
  for (const response of [
    await app.request(`${ORIGIN}/api/addons/apps`),
    await app.request(`${ORIGIN}/nothing`),
    await post(app, PATH, {}, { Origin: 'null' }),
    await app.request(`${ORIGIN}/healthz`),
  ]) {
    assert.is(response.headers.get('cross-origin-resource-policy'), 'same-origin');
    assert.is(response.headers.get('cross-origin-opener-policy'), 'same-origin');
    assert.is(response.headers.get('x-frame-options'), 'DENY');
    assert.match(response.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  }
});

test('an unknown route is 404, a known one with another method 405 with Allow', async () => {
  const { app } = httpFixture();
  const missing = await app.request(`${ORIGIN}/api/addons/nothing`);
  assert.is(missing.status, 404);
  assert.is((await errorOf(missing)).code, 'not_found');
  const method = await app.request(`${ORIGIN}/api/addons/dispatch`);
  assert.is(method.status, 405);
  assert.is((await errorOf(method)).code, 'method');
  assert.is(method.headers.get('allow'), 'POST');
});

test('while the journal is replayed nothing but health is answered', async () => {
  const { app, reached } = httpFixture({ notReady: { code: 'starting', message: 'Replaying the journal.' } });
  assert.is((await app.request(`${ORIGIN}/healthz`)).status, 200);
  const ready = await app.request(`${ORIGIN}/readyz`);
  assert.is(ready.status, 503);
  assert.is((await errorOf(ready)).code, 'starting');
  assert.is((await app.request(`${ORIGIN}/api/addons/apps`)).status, 503);
  assert.is(reached.length, 0);
});
test.run();
