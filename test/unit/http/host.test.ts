import { connect } from 'node:net';
import { type Listening, listen } from '../../../src/http/server.js';
import { assert, suite } from '../../support/harness.js';
import { httpFixture } from '../../support/http.js';

const test = suite('host rule');
let server: Listening;
let port = 0;

test.before(async () => {
  const { app } = httpFixture();
  server = await listen(app, { host: '127.0.0.1', port: 0, hosts: { allowedHosts: new Set(['castellan.example']) } });
  port = Number(new URL(server.address).port);
});
test.after(() => server.close(100));

/** The answer to a request written by hand, since clients would not send these. */
function answerOf(...lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`));
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}
const statusOf = async (...lines: string[]) => Number(/^HTTP\/1\.1 (\d+)/.exec(await answerOf(...lines))?.[1]);
const get = (host: string) => statusOf('GET /api/addons/apps HTTP/1.1', `Host: ${host}`);

test('localhost, the own address and an allowed name pass with any port', async () => {
  for (const host of ['localhost', `localhost:${port}`, '127.0.0.1:9', `127.0.0.1:${port}`, 'CASTELLAN.example:443'])
    assert.is(await get(host), 200, host);
});

test('a rebound name, another address and a malformed host are 421', async () => {
  for (const host of [
    'evil.example',
    '127.0.0.2',
    'localhost.evil.example',
    'localhost@evil',
    '',
    'localhost:1:2',
    'localhost:65536',
    'localhost.',
    '[::1]',
  ])
    assert.is(await get(host), 421, host);
});

test('a missing or repeated Host is 421', async () => {
  assert.is(await statusOf('GET /api/addons/apps HTTP/1.1', 'Accept: */*'), 421);
  assert.is(await statusOf('GET /api/addons/apps HTTP/1.1', 'Host: localhost', 'Host: evil.example'), 421);
  assert.is(await statusOf('GET /api/addons/apps HTTP/1.1', 'Host: localhost', 'host: localhost'), 421);
});

test('an absolute-form target is 421 even when its host is right', async () => {
  assert.is(await statusOf(`GET http://localhost:${port}/api/addons/apps HTTP/1.1`, 'Host: localhost'), 421);
  assert.is(await statusOf('GET http://evil.example/healthz HTTP/1.1', 'Host: localhost'), 421);
});

test('only the two health paths answer under any name', async () => {
  assert.is(await statusOf('GET /healthz HTTP/1.1', 'Host: evil.example'), 200);
  assert.is(await statusOf('GET /readyz?a=1 HTTP/1.1', 'Host: evil.example'), 200);
  assert.is(await statusOf('GET /healthz/ HTTP/1.1', 'Host: evil.example'), 421);
  assert.is(await statusOf('GET /healthz/../api/addons/apps HTTP/1.1', 'Host: evil.example'), 421);
});
test('health is answered under any name, and under none', async () => {
  for (const host of ['Host: evil.example', 'Host: a:b:c', 'Host: [', 'Accept: */*'])
    for (const path of ['/healthz', '/readyz'])
      assert.is(await statusOf(`GET ${path} HTTP/1.1`, host), 200, `${path} ${host}`);
});

test('a request that is refused before it is routed gets the common error body and headers', async () => {
  const refused = [
    ['GET /api\\addons HTTP/1.1', 'Host: localhost'],
    ['GET /api/addons/apps HTTP/1.1', 'Host: localhost', 'No colon here'],
    ['GET /api/addons/apps HTTP/1.1', 'Host: localhost', `X-Long: ${'x'.repeat(20_000)}`],
    ['POST /api/addons/dispatch HTTP/1.1', 'Host: localhost', 'Content-Length: 2', 'Transfer-Encoding: chunked'],
  ];
  for (const lines of refused) {
    const text = await answerOf(...lines);
    assert.match(text, /^HTTP\/1\.1 400 /, lines[0]);
    assert.match(text, /"error":\{"type":"invalid_request"/, lines[0]);
    assert.match(text.toLowerCase(), /x-content-type-options: nosniff/, lines[0]);
  }
});

test.run();
