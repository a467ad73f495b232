/** Kernel calls through the FFI: what each promises, against real processes and descriptors. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Libc, LibcError, libc } from '../../../src/process/libc.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('libc');
const c: Libc = libc();
let dir = '';
test.beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'castellan-libc-'));
});
test.afterEach(() => rmSync(dir, { recursive: true, force: true }));

const sleeper = () => spawn('/bin/sleep', ['60'], { stdio: 'ignore', detached: true });

test('a lock is refused to a second open file of the same process, and free after close', () => {
  const path = join(dir, 'lock');
  const open = () => openSync(path, constants.O_RDWR | constants.O_CREAT);
  const [first, second] = [open(), open()];
  assert.is(c.lockExclusive(first), true);
  assert.is(c.lockExclusive(second), false);
  closeSync(first);
  assert.is(c.lockExclusive(second), true);
  closeSync(second);
});

test('a process handle tells that its process ended, and signals nothing afterwards', async () => {
  const child = sleeper();
  const handle = c.openProcess(child.pid as number) as number;
  assert.equal(c.ended([handle]), [false]);
  assert.is(c.signal(handle, 9), true);
  await once(child, 'exit');
  assert.equal(c.ended([handle]), [true]);
  assert.is(c.signal(handle, 9), false);
  assert.is(c.signal(handle, 9, true), false);
  closeSync(handle);
  assert.is(c.openProcess(child.pid as number), undefined);
});

test('a signal to the group reaches what a process started and left behind', async () => {
  const child = spawn('/bin/sh', ['-c', '/bin/sleep 60 & echo $!; wait'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const inner = c.openProcess(Number(line.toString())) as number;
  const handle = c.openProcess(child.pid as number) as number;
  c.signal(handle, 9, true);
  await once(child, 'exit');
  for (let i = 0; i < 100 && !c.ended([inner])[0]; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(c.ended([inner, handle]), [true, true]);
  closeSync(inner);
  closeSync(handle);
});

test('close-on-exec from 3 keeps what a child was not handed away from it', () => {
  const leaky = openSync(join(dir, 'secret'), 'w');
  spawnSync('true');
  const listing = ['-c', 'ls -l /proc/self/fd'];
  c.closeOnExecFrom(3);
  const out = spawnSync('/bin/sh', listing, { stdio: ['ignore', 'pipe', 'pipe'] }).stdout.toString();
  assert.not.match(out, /secret/);
  closeSync(leaky);
});

test('a pipe carries bytes one way and both its ends are close-on-exec', () => {
  const { read, write } = c.pipe();
  for (const fd of [read, write]) {
    const flags = /flags:\s+(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] as string;
    assert.ok((Number.parseInt(flags, 8) & 0o2000000) !== 0);
  }
  closeSync(read);
  closeSync(write);
});

test('opening below a directory refuses links and every way out of it', () => {
  mkdirSync(join(dir, 'in'));
  writeFileSync(join(dir, 'in', 'file'), 'x');
  writeFileSync(join(dir, 'out'), 'x');
  symlinkSync('file', join(dir, 'in', 'link'));
  symlinkSync('..', join(dir, 'in', 'up'));
  const at = openSync(join(dir, 'in'), constants.O_RDONLY | constants.O_DIRECTORY);
  closeSync(c.openBeneath(at, 'file', constants.O_RDONLY, 0));
  for (const path of ['link', 'up/out', '../out', join(dir, 'out'), '/proc/self/root'])
    assert.throws(
      () => c.openBeneath(at, path, constants.O_RDONLY, 0),
      (error: unknown) => error instanceof LibcError && ['ELOOP', 'EXDEV'].includes(error.code),
      path,
    );
  closeSync(at);
});

test.run();
