/** The control socket: whatever is said to it, the server behind it goes on. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askServer } from '../../../src/cli/control/client.js';
import type { ControlCommands } from '../../../src/cli/control/protocol.js';
import { type Control, serveControl } from '../../../src/cli/control/server.js';
import { isLeft, right } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('control socket');
const faults: unknown[] = [];
let dir = '';
let control: Control;

test.before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'castellan-control-'));
  const commands: ControlCommands = {
    echo: async (args) => right(args),
    fail: async () => {
      throw new Error('a fault of a command');
    },
  };
  control = await serveControl(dir, commands, (error) => faults.push(error));
});
test.after(async () => {
  await control.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What comes back for bytes written by hand; the connection is cut after `cutMs`. */
function say(text: string, cutMs: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(join(dir, 'control.sock'), () => socket.write(text));
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(said));
    setTimeout(() => socket.destroy(), cutMs);
  });
}
const post = (body: string, length = Buffer.byteLength(body)) =>
  `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n${body}`;
const alive = async () => assert.equal(await askServer(dir, 'echo', { a: 1 }), right({ a: 1 }));

test('only the user of the server may connect', () => {
  assert.is(statSync(join(dir, 'control.sock')).mode & 0o777, 0o600);
});

test('a malformed command is refused and the server goes on', async () => {
  for (const body of [
    '',
    '{',
    'null',
    '[]',
    '{"command":1,"args":{}}',
    '{"command":"echo"}',
    '{"command":"x","args":1}',
  ])
    assert.match(await say(post(body), 5_000), /"refusal":"invalid_request"/, body);
  await alive();
});

test('a caller that goes away within its command ends nothing', async () => {
  await say(post('{"command"', 100), 50);
  await alive();
  assert.equal(faults, []);
});

test('a name of a property that every object has is no command', async () => {
  const answer = await askServer(dir, 'constructor', {});
  assert.ok(answer !== undefined && isLeft(answer) && answer.left.refusal === 'not_found');
});

test('a fault of a command is logged, and its caller learns that the outcome is unknown', async () => {
  const answer = await askServer(dir, 'fail', {});
  assert.ok(answer !== undefined && isLeft(answer) && answer.left.refusal === 'outcome_unknown');
  assert.is(faults.length, 1);
  await alive();
});

test.run();
