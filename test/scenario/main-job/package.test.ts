import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assert, suite } from '../../support/harness.js';
import { ROOT, spawnCommand } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const run = promisify(execFile);
const test = suite('the packed package');

test('installed alone in an empty folder it gives a command that serves its page and its first-party library', async () => {
  const packed = tempDir('pack');
  await run('npm', ['pack', '--silent', '--pack-destination', packed], { cwd: ROOT, timeout: 120_000 });
  const tarball = readdirSync(packed)[0] ?? '';
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  assert.is(tarball, `castellan-${version}.tgz`);
  const folder = tempDir('installed');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(packed, tarball)], {
    cwd: folder,
    timeout: 240_000,
  });
  assert.equal(
    readdirSync(join(folder, 'node_modules', 'castellan')).includes('src'),
    false,
    'the sources are not in the package',
  );
  const command = join(folder, 'node_modules', '.bin', 'castellan');
  assert.is((await run(command, ['--version'], { cwd: folder })).stdout.trim(), version);
  const data = join(folder, 'data');
  mkdirSync(data);
  const server = await spawnCommand([command, 'run', '--data-path', data, '--address', '127.0.0.1:0']);
  try {
    const page = await fetch(`${server.address}/`);
    assert.is(page.status, 200);
    const html = await page.text();
    assert.match(html, /<script type="module"/);
    const script = /src="([^"]+\.js)"/.exec(html)?.[1] ?? '';
    assert.is((await fetch(`${server.address}${script}`)).status, 200);
    const asked = { operationId: 'search-1', action: 'catalog-search', arguments: {} };
    assert.ok(await finds(server.address, asked), 'the built-in library lists tables');
  } finally {
    await server.stop('SIGTERM');
  }
}, 280_000);

/** The library is read after the start, so the first answers may be empty. */
async function finds(address: string, asked: object): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    const headers = { 'Content-Type': 'application/json' };
    const reply = await fetch(`${address}/api/addons/dispatch`, {
      method: 'POST',
      headers,
      body: JSON.stringify(asked),
    });
    const text = await reply.text();
    assert.is(reply.status, 200, text);
    if (/"tables"/.test(text)) return true;
    await new Promise((resume) => setTimeout(resume, 100));
  }
  return false;
}

test.run();
