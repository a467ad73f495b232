/** The places for streams: who gets one, when it comes back, and that an open page does not hold up the end. */
import { connect } from 'node:net';
import type { Hono } from 'hono';
import { isLeft, left, right } from '../../../src/contract/fp.js';
import { refuse } from '../../../src/contract/refusal.js';
import { listen } from '../../../src/http/server.js';
import { StreamSlots } from '../../../src/http/streams.js';
import { assert, suite } from '../../support/harness.js';
import { httpFixture, ORIGIN, post } from '../../support/http.js';
import { ManualClock } from '../../support/manual-clock.js';

const test = suite('streams');

test('one person holds four streams and the server sixteen, and a place comes back once', () => {
  const slots = new StreamSlots();
  const mine = Array.from({ length: 4 }, () => slots.take('me', () => {}));
  assert.ok(mine.every((release) => release !== undefined));
  assert.is(
    slots.take('me', () => {}),
    undefined,
  );
  mine[0]?.();
  mine[0]?.();
  assert.ok(slots.take('me', () => {}));
  assert.is(
    slots.take('me', () => {}),
    undefined,
  );
  for (let other = 0; other < 12; other += 1) assert.ok(slots.take(`user-${other}`, () => {}));
  assert.is(
    slots.take('one more', () => {}),
    undefined,
  );
});

test('HEAD of the event stream takes no place', async () => {
  const { app } = httpFixture();
  for (let round = 0; round < 6; round += 1) {
    const head = await app.request(`${ORIGIN}/api/events`, { method: 'HEAD' });
    assert.is(head.status, 200);
    assert.is(head.headers.get('Content-Type'), 'text/event-stream');
  }
  const stream = await app.request(`${ORIGIN}/api/events`);
  assert.is(stream.status, 200);
  await stream.body?.cancel();
});

test('a page of another site gets no event stream', async () => {
  const { app } = httpFixture();
  for (const site of ['cross-site', 'same-site']) {
    const response = await app.request(`${ORIGIN}/api/events`, { headers: { 'Sec-Fetch-Site': site } });
    assert.is(response.status, 403, site);
  }
});

test('a stream whose client went away gives its place back', async () => {
  const { app } = httpFixture();
  for (let round = 0; round < 12; round += 1) {
    const stream = await app.request(`${ORIGIN}/api/events`);
    assert.is(stream.status, 200, `round ${round}`);
    await stream.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

const busy = async (app: ReturnType<typeof httpFixture>['app']) => {
  const response = await app.request(`${ORIGIN}/api/events`);
  await response.body?.cancel();
  return response.status === 429;
};
const RUNNING = { operationId: 'op', addonId: 'x', action: 'install', state: 'intent', generation: 0 };
const openRelay = (app: ReturnType<typeof httpFixture>['app']) =>
  post(app, '/api/addons/relay', { request: { operationId: 'op', action: 'install' }, kind: 'progress' });

test('a reader that takes nothing for a minute while bytes wait is cut and loses its place, in both kinds of stream', async () => {
  for (const open of [(app: Hono) => app.request(`${ORIGIN}/api/events`), openRelay]) {
    const clock = new ManualClock();
    const { app } = httpFixture({ operationStatus: right(RUNNING) }, undefined, clock);
    for (let n = 0; n < 4; n += 1) assert.is((await open(app)).status, 200);
    await clock.pass(59_000);
    assert.is(await busy(app), true);
    await clock.pass(7_000);
    assert.is(await busy(app), false);
  }
});

test('a reader that takes what is sent keeps its stream for an hour, and its page then opens the next one', async () => {
  const clock = new ManualClock();
  const { app } = httpFixture({}, undefined, clock);
  const response = await app.request(`${ORIGIN}/api/events`);
  const seen: string[] = [];
  const all = (async () => {
    for await (const chunk of response.body ?? []) seen.push(Buffer.from(chunk as Uint8Array).toString());
    return 'ended';
  })();
  let ended = false;
  void all.then(() => (ended = true));
  await clock.pass(3_599_000);
  assert.is(ended, false);
  assert.ok(seen.length > 700, String(seen.length));
  await clock.pass(2_000);
  assert.is(await all, 'ended');
});

test('a stalled reader on a real connection is disconnected', async () => {
  const clock = new ManualClock();
  let tell: (kind: string) => void = () => {};
  const subscribe = (_: unknown, listener: (kind: string) => void) => {
    tell = listener;
    return () => {};
  };
  const { app } = httpFixture({ subscribe }, undefined, clock);
  const server = await listen(app, { host: '127.0.0.1', port: 0, hosts: { allowedHosts: new Set() } });
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1');
  socket.write('GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.pause();
  const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')));
  // More than the kernel keeps for it: a kind as long as a megabyte stands for very many events.
  for (let n = 0; n < 24; n += 1) {
    tell('x'.repeat(1_048_576) + n);
    await clock.pass(100);
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  await clock.pass(61_000);
  socket.resume();
  const late = new Promise((resolve) => setTimeout(() => resolve('still open'), 3_000));
  const how = await Promise.race([closed, late]);
  socket.destroy();
  await server.close(1_000);
  assert.is(how, 'closed');
});

test('the end of the server ends the streams, and takes no new one', async () => {
  const { app, streams } = httpFixture();
  const server = await listen(app, { host: '127.0.0.1', port: 0, hosts: { allowedHosts: new Set() } });
  const events = await fetch(`${server.address}/api/events`);
  const began = Date.now();
  streams.endAll();
  const busy = await fetch(`${server.address}/api/events`);
  assert.is(busy.status, 429);
  await busy.text();
  await events.text();
  await server.close(30_000);
  assert.ok(Date.now() - began < 10_000);
});

test('progress that loses its authority midway is a broken stream, never a clean end', async () => {
  const running = { operationId: 'op', addonId: 'x', action: 'install', state: 'intent', generation: 0 };
  for (const last of [left(refuse('denied', 'No longer.')), right({ ...running, state: 'completed' })]) {
    let asked = 0;
    const operationStatus = () => {
      asked += 1;
      return asked < 3 ? right(running) : last;
    };
    const { app } = httpFixture({ operationStatus });
    const server = await listen(app, { host: '127.0.0.1', port: 0, hosts: { allowedHosts: new Set() } });
    const response = await fetch(`${server.address}/api/addons/relay`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ request: { operationId: 'op', action: 'install' }, kind: 'progress' }),
    });
    assert.is(response.status, 200);
    const ended = await response.text().then(
      (text) => (/"completed"/.test(text) ? 'completed' : 'clean'),
      () => 'broken',
    );
    assert.is(ended, isLeft(last) ? 'broken' : 'completed');
    await server.close(1_000);
  }
});

test.run();
