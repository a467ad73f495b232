/** The client of one incarnation against a server that answers whatever a test wants. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createPlain } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { CallFailure } from '../../../src/commands/ports.js';
import { type Either, left, must } from '../../../src/contract/fp.js';
import { DEFAULT_LIMITS, type Limits } from '../../../src/contract/limits.js';
import type { Registration } from '../../../src/contract/wire.js';
import { interpret } from '../../../src/process/answers.js';
import { Deadlines } from '../../../src/process/deadlines.js';
import { parseEndpoint } from '../../../src/process/exchange.js';
import { BoundClient } from '../../../src/process/runtime-client.js';
import { assert, suite } from '../../support/harness.js';
import { envelope, systemClock } from '../../support/supervisor-rig.js';

const test = suite('runtime client');

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly port: number | undefined;
}

let server: Server;
let seen: Seen[] = [];
let answer: (request: Seen, response: ServerResponse) => void = () => {};
test.beforeEach(async () => {
  seen = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body, port: request.socket.remotePort };
    seen.push(one);
    answer(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
test.afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const deadlines = new Deadlines(systemClock, () => performance.now());
function open(limits: Partial<Limits> = {}, port = (server.address() as AddressInfo).port): BoundClient {
  const endpoint = `http://127.0.0.1:${port}`;
  const registration: Registration = {
    protocol: 1,
    addonId: 'counter',
    version: '1.0.0',
    generation: 1,
    incarnation: 'f'.repeat(32),
    endpoint,
    capabilities: {},
  };
  return new BoundClient({
    registration,
    credential: 'secret',
    endpoint: must(parseEndpoint(endpoint), 'endpoint'),
    limits: { ...DEFAULT_LIMITS, ...limits },
    clock: systemClock,
    deadlines,
  });
}

const say = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  answer = (_, response) => {
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
};
const failure = <A>(outcome: Either<CallFailure, A>): CallFailure => {
  if (outcome._tag === 'Right') throw new Error(`answered ${JSON.stringify(outcome.right)}`);
  return outcome.left;
};
const RECEIPT = { operationId: 'op-1', state: 'committed', revision: { schema: 1, data: 1 }, result: { payload: 7 } };
const REVISION = { schema: 1, data: 0 };
const readEnvelope = (over = {}) => envelope('read', { arguments: { tool: 'value' }, ...over });
const applyEnvelope = () => envelope('apply', { arguments: { tool: 'add' } });

test('every call is a POST of JSON with the credential and the incarnation [RUNTIME-026] [RUNTIME-033] [RUNTIME-034]', async () => {
  const client = open();
  answer = ({ url }, response) => {
    const preview = { operationId: 'op-1', revision: REVISION, expiresAt: '2030-01-01T00:00:00Z', summary: null };
    response.end(JSON.stringify(url === '/read' ? { payload: 1 } : url === '/preview' ? preview : RECEIPT));
  };
  const [read, preview, apply] = [readEnvelope(), envelope('preview', { arguments: {} }), applyEnvelope()];
  must(await client.read(read), 'read');
  must(await client.preview(preview), 'preview');
  must(await client.apply(apply, REVISION), 'apply');
  must(await client.receipt('op-1'), 'receipt');
  assert.equal(
    seen.map(({ method, url, body }) => [method, url, JSON.parse(body) as unknown]),
    [
      ['POST', '/read', read],
      ['POST', '/preview', preview],
      ['POST', '/apply', { envelope: apply, revision: REVISION }],
      ['POST', '/receipt', { operationId: 'op-1' }],
    ],
  );
  for (const { headers } of seen) {
    assert.is(headers.authorization, 'Bearer secret');
    assert.is(headers['x-localai-incarnation'], 'f'.repeat(32));
    assert.is(headers['content-type'], 'application/json');
  }
});

test('reads share a connection, each change has one of its own', async () => {
  const client = open();
  say(200, { payload: 1 });
  must(await client.read(readEnvelope()), 'read');
  must(await client.read(readEnvelope()), 'read');
  say(200, RECEIPT);
  must(await client.apply(applyEnvelope(), REVISION), 'apply');
  must(await client.apply(applyEnvelope(), REVISION), 'apply');
  const ports = seen.map(({ port }) => port);
  assert.is(ports[0], ports[1]);
  assert.is(new Set(ports).size, 3);
});

test('what does not fit the incarnation, the method or the moment is not sent [RUNTIME-038]', async () => {
  const client = open();
  say(200, { payload: 1 });
  const stale = { ...readEnvelope(), authority: { ...readEnvelope().authority, expiresAt: '2020-01-01T00:00:00Z' } };
  const unfit = [readEnvelope({ generation: 2 }), readEnvelope({ addonId: 'other' }), applyEnvelope(), stale];
  for (const each of unfit) assert.is(failure(await client.read(each)).kind, 'not-sent');
  assert.is(failure(await client.apply(readEnvelope(), REVISION)).kind, 'not-sent');
  assert.is(seen.length, 0);
});

test('a withdrawn client sends nothing more, and lets what it sent finish [RUNTIME-050]', async () => {
  const client = open();
  let finish = () => {};
  answer = (_, response) => {
    finish = () => response.end('{"payload":1}');
  };
  const running = client.read(readEnvelope());
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  client.withdraw('it was stopped');
  assert.is(failure(await client.read(readEnvelope())).kind, 'not-sent');
  finish();
  must(await running, 'the running call');
  await client.idle();
  assert.is(seen.length, 1);
});

test('a call above the concurrency limit is not sent [RUNTIME-039]', async () => {
  const client = open({ concurrency: 2 });
  const waiting: ServerResponse[] = [];
  answer = (_, response) => void waiting.push(response);
  const running = [client.read(readEnvelope()), client.read(readEnvelope())];
  assert.is(failure(await client.read(readEnvelope())).kind, 'not-sent');
  while (waiting.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const response of waiting) response.end('{"payload":1}');
  for (const each of running) must(await each, 'an admitted call');
  say(200, { payload: 1 });
  must(await client.read(readEnvelope()), 'a later call');
});

test('an answer above the limit is cut while it streams, also when it declares no length [RUNTIME-039]', async () => {
  const client = open({ envelopeBytes: 10_000 });
  let written = 0;
  answer = (_, response) => {
    const more = () => {
      while (!response.destroyed && written < 50_000_000) {
        written += 65_536;
        if (!response.write('x'.repeat(65_536))) return void response.once('drain', more);
      }
    };
    more();
  };
  const cut = failure(await client.read(readEnvelope()));
  assert.is(cut.kind, 'outage');
  assert.match((cut as { message: string }).message, /longer than 10000 bytes/);
  assert.ok(written < 20_000_000, `${written} bytes were written`);
});

test('a redirect is never followed [RUNTIME-037]', async () => {
  const client = open();
  for (const status of [301, 302, 303, 307, 308]) {
    say(status, '', { Location: `http://127.0.0.1:${(server.address() as AddressInfo).port}/elsewhere` });
    const outcome = failure(await client.read(readEnvelope()));
    assert.is(outcome.kind, 'outage');
  }
  assert.equal([...new Set(seen.map(({ url }) => url))], ['/read']);
});

test('only the literal loopback address with a port is an endpoint [RUNTIME-037]', () => {
  assert.is(parseEndpoint('http://127.0.0.1:8080')._tag, 'Right');
  const bad = [
    'localhost:1',
    '127.0.0.1',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:80/x',
    '127.0.0.1:80@evil',
    '10.0.0.1:80',
    '127.1:80',
    '0.0.0.0:80',
    '[::1]:80',
  ];
  for (const each of bad) assert.is(parseEndpoint(`http://${each}`)._tag, 'Left', each);
  assert.is(parseEndpoint('https://127.0.0.1:80')._tag, 'Left');
});

test('400 and 422 with an error are refusals, 429 is busy, 409 a conflict, 404 no receipt', async () => {
  const client = open();
  const error = { error: { code: 'amount', message: 'No.' } };
  for (const status of [400, 422]) {
    say(status, error);
    assert.equal(failure(await client.apply(applyEnvelope(), REVISION)), {
      kind: 'refused',
      code: 'amount',
      message: 'No.',
    });
  }
  say(409, { error: { message: 'Stale.' } });
  assert.equal(failure(await client.apply(applyEnvelope(), REVISION)), { kind: 'conflict', message: 'Stale.' });
  say(429, '', { 'Retry-After': '7' });
  assert.equal(failure(await client.apply(applyEnvelope(), REVISION)), { kind: 'busy', retryAfter: 7 });
  say(429, '', { 'Retry-After': '999999' });
  assert.equal(failure(await client.read(readEnvelope())), { kind: 'busy', retryAfter: 300 });
  say(404, error);
  assert.equal(failure(await client.receipt('op-1')), { kind: 'no-receipt' });
  assert.is(failure(await client.read(readEnvelope())).kind, 'outage');
});

test('every other answer to a change proves nothing', async () => {
  const client = open();
  const other: [number, unknown][] = [
    [400, ''],
    [400, 'no'],
    [422, { error: 'text' }],
    [401, {}],
    [500, {}],
    [201, RECEIPT],
    [204, ''],
    [200, ''],
    [200, 'null'],
    [200, '{"a":'],
    [200, { ...RECEIPT, operationId: 'op-2' }],
    [200, { ...RECEIPT, more: 1 }],
    [200, JSON.stringify(RECEIPT).replace('}', ',"state":"committed"}')],
  ];
  for (const [status, body] of other) {
    say(status, body);
    assert.is(
      failure(await client.apply(applyEnvelope(), REVISION)).kind,
      'outage',
      `${status} ${JSON.stringify(body)}`,
    );
  }
  say(200, RECEIPT, { 'Content-Encoding': 'gzip' });
  assert.is(failure(await client.apply(applyEnvelope(), REVISION)).kind, 'outage');
});

test('an apply whose connection fails after it was made is an outage and is not repeated', async () => {
  const client = open();
  answer = (_, response) => response.destroy();
  assert.is(failure(await client.apply(applyEnvelope(), REVISION)).kind, 'outage');
  assert.is(seen.length, 1);
});

test('only a failed connect counts as never sent', async () => {
  const closed = createPlain();
  closed.listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  assert.is(failure(await open({}, port).apply(applyEnvelope(), REVISION)).kind, 'not-sent');
});

test('a call that takes too long is a timeout, and its connection is closed', async () => {
  const client = open({ readTimeoutMs: 60, applyTimeoutMs: 60 });
  let cut = 0;
  answer = (_, response) => void response.on('close', () => (cut += 1));
  assert.equal(failure(await client.read(readEnvelope())), { kind: 'timeout' });
  assert.equal(failure(await client.apply(applyEnvelope(), REVISION)), { kind: 'timeout' });
  while (cut < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(seen.length, 2);
});

test('an answer that trickles is bounded by the same deadline [RUNTIME-040]', async () => {
  const client = open({ readTimeoutMs: 150 });
  answer = (_, response) => {
    response.write('{"payload":"');
    const drip = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(drip));
  };
  const started = performance.now();
  assert.equal(failure(await client.read(readEnvelope())), { kind: 'timeout' });
  assert.ok(performance.now() - started < 2_000);
});

test('cancelling the caller cancels the request at the add-on [RUNTIME-040]', async () => {
  const client = open();
  const controller = new AbortController();
  let cut = false;
  answer = (_, response) => {
    response.on('close', () => (cut = true));
    controller.abort();
  };
  assert.is(failure(await client.read(readEnvelope(), controller.signal)).kind, 'outage');
  while (!cut) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.is(failure(await client.apply(applyEnvelope(), REVISION, controller.signal)).kind, 'not-sent');
  assert.is(seen.length, 1);
});

test('a read on a kept connection that was closed meanwhile is sent once more, a change never is', async () => {
  const client = open();
  let requests = 0;
  const flaky = createServer((request, response) => {
    requests += 1;
    if (requests === 2) return void request.socket.destroy();
    response.end('{"payload":1}');
  });
  flaky.listen(0, '127.0.0.1');
  await once(flaky, 'listening');
  const other = open({}, (flaky.address() as AddressInfo).port);
  must(await other.read(readEnvelope()), 'first');
  must(await other.read(readEnvelope()), 'second, over a new connection');
  assert.is(requests, 3);
  flaky.closeAllConnections();
  flaky.close();
  client.withdraw('done');
});

test('the words of a refusal are never cut within a character, which could not be written as JSON', () => {
  const message = `${'x'.repeat(999)}\u{1f600} and more`;
  const body = Buffer.from(JSON.stringify({ error: { message } }));
  const told = interpret({ kind: 'answer', status: 422, body }, () => left('not used'));
  assert.equal(told, left({ kind: 'refused', message: `${'x'.repeat(999)}\u2026` }));
});

test.run();
