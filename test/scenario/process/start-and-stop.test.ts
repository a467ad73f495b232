/** How the server starts and stops as a process: a start that fails leaves nothing behind, an open page delays no end. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { dataPath, MAIN, startServer } from '../../support/server.js';

const test = suite('start and stop');

test('a start that fails late ends with 1, says why, and leaves no socket', async () => {
  const data = dataPath();
  try {
    // Removing an abandoned stage is the last thing before the server opens, and this one is too deep to be removed.
    const deep = Array.from({ length: 80 }, () => 'd').join('/');
    mkdirSync(join(data.path, 'addons'), { mode: 0o700 });
    await castellan(data.path, 'library', 'list');
    mkdirSync(join(data.path, 'addons/packages/stage-1', deep), { recursive: true });
    const began = Date.now();
    const ran = await castellan(data.path, 'run', '--address', '127.0.0.1:0');
    assert.is(ran.code, 1);
    assert.match(ran.err, /The server cannot start: .*nested too deeply/);
    assert.ok(Date.now() - began < 45_000, 'it ended by itself');
    assert.not.ok(existsSync(join(data.path, 'addons/runtime/control.sock')));
  } finally {
    data.remove();
  }
}, 120_000);

test('a data path behind a symbolic link starts, and an open event stream does not delay the end', async () => {
  const data = dataPath();
  try {
    mkdirSync(join(data.path, 'disk'));
    symlinkSync(join(data.path, 'disk'), join(data.path, 'link'));
    const server = await startServer(join(data.path, 'link'));
    const events = await fetch(`${server.address}/api/events`);
    assert.is((await castellan(join(data.path, 'link'), 'library', 'list')).code, 0);
    const began = Date.now();
    const [code] = await Promise.all([server.stop(), events.text()]);
    assert.is(code, 0);
    assert.ok(Date.now() - began < 9_000, 'the drain of ten seconds was not waited out');
  } finally {
    data.remove();
  }
}, 120_000);

test('a reader that has seen enough of a command is no fault', async () => {
  const data = dataPath();
  try {
    await castellan(data.path, 'library', 'list');
    const stop = await (await startServer(data.path)).stop();
    assert.is(stop, 0);
    for (const command of ['tail', 'export']) {
      const line = `"${process.execPath}" "${MAIN}" journal ${command} --data-path "${data.path}" | true`;
      const ran = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
      assert.is(ran.stderr, '', command);
    }
  } finally {
    data.remove();
  }
}, 120_000);

test.run();
