import { connect } from 'node:net';
import { type Listening, listen } from '../../../src/http/server.js';
import { assert, suite } from '../../support/harness.js';
import { httpFixture } from '../../support/http.js';

const test = suite('a body that is refused before its end');
const PIECE = 'x'.repeat(65_536);
let server: Listening;
let port = 0;

test.before(async () => {
  server = await listen(httpFixture().app, { host: '127.0.0.1', port: 0, hosts: { allowedHosts: new Set() } });
  port = Number(new URL(server.address).port);
});
test.after(() => server.close(100));

/** The answer to a body that is sent in pieces, slowly, by a client that reads only when all is sent. */
function answerOf(path: string, pieces: number): Promise<string> {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `Content-Length: ${pieces * PIECE.length}`,
    'Connection: close',
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', async () => {
      socket.pause();
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      for (let sent = 0; sent < pieces; sent += 1) {
        await new Promise((resume) => setTimeout(resume, 15));
        socket.write(PIECE);
      }
      socket.resume();
    });
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
  });
}

test('a client that is still sending gets the reason, not a cut connection', async () => {
  assert.match(await answerOf('/api/addons/dispatch', 50), /^HTTP\/1\.1 413 .*"too_large"/s);
  assert.match(await answerOf('/api/nowhere', 50), /^HTTP\/1\.1 404 .*"not_found"/s);
});

test('a client that announces more than it sends does not wait for its answer', async () => {
  const began = performance.now();
  const socket = connect(port, '127.0.0.1');
  const head = `POST /api/addons/dispatch HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: 99999999\r\n\r\n{}`);
  const first = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(chunk.toString())));
  assert.match(first, /^HTTP\/1\.1 413 /);
  assert.ok(performance.now() - began < 6_000);
  socket.destroy();
});

test('of a body that is far over the bound not everything is taken in', async () => {
  const mebibytes = 64;
  const head = `POST /api/nowhere HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n`;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`${head}Content-Length: ${mebibytes * 1_048_576}\r\n\r\n`);
  let sent = 0;
  const write = () => new Promise<boolean>((resolve) => socket.write(PIECE.repeat(16), (error) => resolve(!error)));
  while (sent < mebibytes && (await write())) sent += 1;
  assert.ok(sent > 15 && sent < mebibytes, `${sent} MiB were taken`);
  socket.destroy();
});

test.run();
