import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { type ClientRequestArgs, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { renderIndex } from '../../../src/packages/builder/index-writer.js';
import { buildPackage } from '../../../src/packages/builder/package-build.js';
import { type BuiltinLibrary, startBuiltinLibrary } from '../../../src/packages/builtin-library.js';
import { createCatalogFetcher } from '../../../src/packages/catalog-fetcher.js';
import { assert, suite } from '../../support/harness.js';
import { manifest, withStore } from '../../support/package-store.js';
import { memoryLog, realClock } from '../../support/packages.js';
import { removeTree } from '../../support/temp-dir.js';

const test = suite('built-in library');
const policy = { requireSignature: false, allowLoopbackHTTP: true };

/** A library folder with one package, a file it does not list and a link, served while `use` runs. */
async function withLibrary(use: (library: BuiltinLibrary, directory: string) => Promise<void>): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'castellan-library-'));
  try {
    const folder = join(base, 'folder');
    const directory = join(base, 'library');
    mkdirSync(join(folder, 'bin'), { recursive: true });
    mkdirSync(directory);
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest()));
    writeFileSync(join(folder, 'bin/run'), '#!/bin/sh\n');
    const name = 'sample-1.0.0-linux-amd64.tar';
    const built = await buildPackage(folder, join(directory, name));
    if (isLeft(built)) throw new Error(built.left);
    const index = renderIndex([{ ...built.right, artifact: `{{origin}}/${name}`, channel: 'latest' }]);
    if (isLeft(index)) throw new Error(index.left);
    writeFileSync(join(directory, 'index.yaml'), index.right);
    writeFileSync(join(directory, 'unlisted.tar'), 'secret');
    writeFileSync(join(base, 'outside.tar'), 'secret');
    const library = await startBuiltinLibrary(directory);
    if (isLeft(library)) throw new Error(library.left);
    try {
      await use(library.right, directory);
    } finally {
      await library.right.close();
    }
  } finally {
    removeTree(base);
  }
}

const send = (library: BuiltinLibrary, options: ClientRequestArgs) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { port } = new URL(library.origin);
    const call = request({ host: '127.0.0.1', port, agent: false, ...options }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.on('error', reject);
    call.end();
  });

test('its index is read and its package installs with no network but loopback', () =>
  withLibrary(async (library) => {
    const fetcher = createCatalogFetcher({ clock: realClock, log: memoryLog() });
    const signal = new AbortController().signal;
    const releases = await fetcher.fetch({ id: 'builtin', url: library.url, policy }, signal);
    if (isLeft(releases)) throw new Error(releases.left.message);
    const [release] = releases.right.releases;
    assert.is(release?.artifact, `${library.origin}/sample-1.0.0-linux-amd64.tar`);
    if (release === undefined) return;
    await withStore(globalThis.fetch, async ({ store }) => {
      const staged = await store.stage(release, policy, { signal, onProgress: () => undefined });
      if (isLeft(staged)) throw new Error(staged.left.message);
      assert.ok(isRight(await store.publish(staged.right)));
    });
  }));

test('it serves what its index lists and nothing else, on no path', () =>
  withLibrary(async (library, directory) => {
    symlinkSync('../outside.tar', join(directory, 'linked.tar'));
    for (const path of [
      '/',
      '/unlisted.tar',
      '/linked.tar',
      '/../outside.tar',
      '/..%2foutside.tar',
      '/%2e%2e/outside.tar',
      '//etc/passwd',
      '/index.yaml?x',
      '/index.yaml/',
      '/INDEX.YAML',
      '/sample-1.0.0-linux-amd64.tar?x',
      `${library.origin}/index.yaml`,
    ]) {
      const { status, text } = await send(library, { path });
      assert.is(status, 404, path);
      assert.not.match(text, /secret/);
    }
  }));

test('it answers GET only, under its own name only', () =>
  withLibrary(async (library) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'])
      assert.is((await send(library, { path: '/index.yaml', method })).status, 405, method);
    assert.is((await send(library, { path: '/index.yaml', headers: { host: 'evil.example' } })).status, 421);
  }));

test('it closes cleanly with connections open, twice too', () =>
  withLibrary(async (library) => {
    const socket = connect(Number(new URL(library.origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    await library.close();
    await library.close();
    await closed;
    const refused = await send(library, { path: '/index.yaml' }).then(
      () => false,
      () => true,
    );
    assert.ok(refused);
  }));

test('a build without a library, or with a damaged one, says so', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'castellan-library-'));
  try {
    assert.ok(isLeft(await startBuiltinLibrary(directory)));
    for (const text of ['not: a list\n', '- id: x\n']) {
      writeFileSync(join(directory, 'index.yaml'), text);
      assert.ok(isLeft(await startBuiltinLibrary(directory)));
    }
    writeFileSync(join(directory, 'index.yaml'), '[]\n');
    const empty = await startBuiltinLibrary(directory);
    assert.ok(isRight(empty));
    await empty.right.close();
  } finally {
    removeTree(directory);
  }
});

test.run();
