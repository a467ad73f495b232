/** The two calls of the client that are no plain exchange: an action tool, and the bytes of an output. */
import type { CallFailure, OutputStream } from '../../../src/commands/ports.js';
import { OutputCut } from '../../../src/commands/ports.js';
import { type Either, must } from '../../../src/contract/fp.js';
import { DEFAULT_LIMITS } from '../../../src/contract/limits.js';
import { assert, suite } from '../../support/harness.js';
import { type RuntimeServer, runtimeServer } from '../../support/runtime-server.js';
import { envelope, eventually } from '../../support/supervisor-rig.js';

const test = suite('runtime client, act and output');
let server: RuntimeServer;
test.beforeEach(async () => {
  server = await runtimeServer();
});
test.afterEach(() => server.close());

const actEnvelope = () => envelope('act', { resourceId: 'chat-1', arguments: { tool: 'run' } });
const outputEnvelope = () => envelope('output', { action: 'read', arguments: { tool: 'report' } });
const failure = <A>(outcome: Either<CallFailure, A>): CallFailure => {
  if (outcome._tag === 'Right') throw new Error('it answered');
  return outcome.left;
};
const collect = async ({ bytes }: OutputStream): Promise<number> => {
  let length = 0;
  for await (const chunk of bytes) length += chunk.length;
  return length;
};
const cutOf = async (reading: Promise<unknown>): Promise<OutputCut['kind'] | 'whole'> =>
  reading.then(
    () => 'whole' as const,
    (error: unknown) => {
      assert.instance(error, OutputCut);
      return (error as OutputCut).kind;
    },
  );

test('an action goes to /act with action and scope act, on a connection of its own, and answers a result [ACTION-006] [WIRE-017]', async () => {
  const client = server.client();
  server.answer((response) => response.end('{"payload":{"out":"done"}}'));
  const asked = actEnvelope();
  assert.equal(must(await client.act(asked), 'act'), { payload: { out: 'done' } });
  must(await client.act(asked), 'act');
  assert.equal(
    server.seen.map(({ url }) => url),
    ['/act', '/act'],
  );
  assert.equal(JSON.parse(server.seen[0]?.body ?? ''), asked);
  assert.is(server.seen[0]?.headers.authorization, 'Bearer secret');
  assert.is(server.seen[0]?.headers['x-localai-incarnation'], 'f'.repeat(32));
  assert.is(new Set(server.seen.map(({ port }) => port)).size, 2);
  for (const scope of ['read', 'apply', 'output'] as const)
    assert.is(failure(await client.act(envelope(scope, { arguments: {} }))).kind, 'not-sent');
  server.answer((response) => void response.writeHead(404).end('{"error":{"message":"no"}}'));
  assert.is(failure(await client.act(asked)).kind, 'outage', 'an add-on without action tools refuses');
  assert.is(server.seen.length, 3);
});

test('an action has thirty minutes and is sent once, whatever becomes of it [ACTION-007]', async () => {
  assert.is(DEFAULT_LIMITS.actTimeoutMs, 30 * 60_000);
  server.answer(() => {});
  const slow = server.client({ actTimeoutMs: 60, readTimeoutMs: 10, applyTimeoutMs: 10 });
  assert.equal(failure(await slow.act(actEnvelope())), { kind: 'timeout' });
  server.answer((response) => void response.destroy());
  assert.is(failure(await slow.act(actEnvelope())).kind, 'outage');
  server.answer((response) => void response.writeHead(500).end());
  assert.is(failure(await slow.act(actEnvelope())).kind, 'outage');
  server.answer((response) => void response.writeHead(429, { 'Retry-After': '9' }).end());
  assert.equal(failure(await slow.act(actEnvelope())), { kind: 'busy', retryAfter: 9 });
  assert.is(server.seen.length, 4);
});

test('an output is a stream under the credential, and holds a call until it was read or closed [WIRE-016] [WIRE-027]', async () => {
  const client = server.client({ concurrency: 1 });
  server.answer((response) => void response.end('x'.repeat(200_000)));
  const asked = outputEnvelope();
  const first = must(await client.openOutput(asked, 'report.1'), 'output');
  assert.equal(JSON.parse(server.seen[0]?.body ?? ''), { envelope: asked, handle: 'report.1' });
  assert.is(server.seen[0]?.url, '/output');
  assert.is(server.seen[0]?.headers.authorization, 'Bearer secret');
  assert.is(client.busy, true);
  assert.equal(failure(await client.openOutput(asked, 'other')).kind, 'not-sent');
  assert.is(await collect(first), 200_000);
  assert.is(client.busy, false);
  const second = must(await client.openOutput(asked, 'report.1'), 'output');
  second.close();
  second.close();
  assert.is(client.busy, false);
  assert.is(await cutOf(collect(second)), 'cut');
  assert.is(client.busy, false);
});

test('what is no authority for an output, and a malformed handle, is not sent', async () => {
  const client = server.client();
  for (const scope of ['read', 'apply', 'preview'] as const)
    assert.is(failure(await client.openOutput(envelope(scope, { arguments: {} }), 'h')).kind, 'not-sent');
  for (const handle of ['', '../x', 'a/b', 'a b', `a${'b'.repeat(128)}`, 'http://x'])
    assert.is(failure(await client.openOutput(outputEnvelope(), handle)).kind, 'not-sent', handle);
  client.withdraw('it was stopped');
  assert.is(failure(await client.openOutput(outputEnvelope(), 'h')).kind, 'not-sent');
  assert.is(server.seen.length, 0);
});

test('an output that is too long, stands still or breaks off says so, and gives its place back [RUNTIME-040]', async () => {
  const client = server.client({ artifactBytes: 100_000, readTimeoutMs: 250 });
  server.answer((response) => void response.writeHead(200, { 'Content-Length': '100001' }).write('x'));
  assert.is(failure(await client.openOutput(outputEnvelope(), 'h')).kind, 'outage');
  server.answer((response) => {
    response.write('x');
    response.end('x'.repeat(100_000));
  });
  const undeclared = must(await client.openOutput(outputEnvelope(), 'h'), 'output');
  assert.is(await cutOf(collect(undeclared)), 'too-large');
  server.answer((response) => void response.write('x'));
  assert.is(await cutOf(collect(must(await client.openOutput(outputEnvelope(), 'h'), 'output'))), 'timeout');
  let breakOff = () => {};
  server.answer((response) => {
    response.writeHead(200, { 'Content-Length': '10' });
    response.write('x');
    breakOff = () => response.destroy();
  });
  const broken = must(await client.openOutput(outputEnvelope(), 'h'), 'output');
  breakOff();
  assert.is(await cutOf(collect(broken)), 'cut');
  server.answer(() => {});
  assert.equal(failure(await client.openOutput(outputEnvelope(), 'h')), { kind: 'timeout' });
  assert.is(client.busy, false);
});

test('an output that the add-on refuses is the refusal, and giving up reaches the add-on', async () => {
  const client = server.client();
  server.answer((response) => void response.writeHead(422).end('{"error":{"code":"gone","message":"No."}}'));
  assert.equal(failure(await client.openOutput(outputEnvelope(), 'h')), {
    kind: 'refused',
    code: 'gone',
    message: 'No.',
  });
  server.answer((response) => void response.writeHead(429, { 'Retry-After': '3' }).end());
  assert.equal(failure(await client.openOutput(outputEnvelope(), 'h')), { kind: 'busy', retryAfter: 3 });
  let ended = 0;
  server.answer((response) => {
    response.on('close', () => (ended += 1));
    response.write('x');
  });
  const stop = new AbortController();
  const cut = must(await client.openOutput(outputEnvelope(), 'h', stop.signal), 'output');
  stop.abort();
  assert.is(await cutOf(collect(cut)), 'cut');
  const left = must(await client.openOutput(outputEnvelope(), 'h'), 'output');
  for await (const _ of left.bytes) break;
  await eventually('both connections ended', () => ended === 2);
  assert.is(client.busy, false);
});

test.run();
