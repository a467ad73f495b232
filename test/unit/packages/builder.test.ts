import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import type { Manifest } from '../../../src/contract/manifest-types.js';
import { renderIndex, writeIndex } from '../../../src/packages/builder/index-writer.js';
import { buildPackage } from '../../../src/packages/builder/package-build.js';
import { parseLibraryIndex } from '../../../src/packages/library-index.js';
import { readManifest } from '../../../src/packages/manifest-check.js';
import { assert, suite } from '../../support/harness.js';
import { manifest, serving, sha256, stageIn, withStore, withUi } from '../../support/package-store.js';
import { removeTree } from '../../support/temp-dir.js';

const test = suite('package builder');

async function withFolder<A>(files: Readonly<Record<string, string>>, use: (dir: string, out: string) => Promise<A>) {
  const base = mkdtempSync(join(tmpdir(), 'castellan-builder-'));
  try {
    const dir = join(base, 'folder');
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(dir, path, '..'), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    return await use(dir, join(base, 'out.tar'));
  } finally {
    removeTree(base);
  }
}
const FILES = { 'manifest.json': JSON.stringify(manifest()), 'bin/run': '#!/bin/sh\n', 'b.txt': 'b', 'a/z.txt': 'z' };
const build = async (dir: string, out: string) => {
  const built = await buildPackage(dir, out);
  if (isLeft(built)) throw new Error(built.left);
  return built.right;
};
const parsed = (value: object): Manifest => {
  const read = readManifest(Buffer.from(JSON.stringify(value)));
  if (isLeft(read)) throw new Error(read.left);
  return read.right;
};

test('what is built installs, long names included, and the executable may be run whatever its mode was', async () => {
  const long = `docs/${'d'.repeat(90)}/${'e'.repeat(90)}.txt`;
  const longer = `docs/${'f'.repeat(200)}.txt`;
  await withFolder({ ...FILES, [long]: 'x', [longer]: 'y' }, async (dir, out) => {
    chmodSync(join(dir, 'bin/run'), 0o600);
    const { digest, size } = await build(dir, out);
    const bytes = readFileSync(out);
    assert.is(bytes.length, size);
    assert.is(sha256(bytes), digest);
    await withStore(serving(bytes), async ({ store }) => {
      const staged = await stageIn(store, bytes);
      if (isLeft(staged)) throw new Error(staged.left.message);
      assert.equal(
        staged.right.receipt.files.map(({ path, executable }) => [path, executable]),
        ['a/z.txt', 'b.txt', 'bin/run', long, longer, 'manifest.json'].map((path) => [path, path === 'bin/run']),
      );
    });
  });
});

test('the bytes depend on the content alone: not on times, owner modes, umask or order of creation', async () => {
  const first = await withFolder(FILES, async (dir, out) => (await build(dir, out)).digest);
  const umask = process.umask(0o077);
  try {
    const reversed = Object.fromEntries(Object.entries(FILES).reverse());
    const second = await withFolder(reversed, async (dir, out) => {
      utimesSync(join(dir, 'b.txt'), 1, 1);
      chmodSync(join(dir, 'b.txt'), 0o640);
      chmodSync(join(dir, 'bin/run'), 0o700);
      mkdirSync(join(dir, 'empty'));
      return (await build(dir, out)).digest;
    });
    assert.is(first, second);
  } finally {
    process.umask(umask);
  }
  const other = await withFolder({ ...FILES, 'b.txt': 'c' }, async (dir, out) => (await build(dir, out)).digest);
  assert.is.not(first, other);
});

test('what an owner would refuse is not built, and nothing is left', async () => {
  const cases: [Record<string, string>, RegExp, ((dir: string) => void)?][] = [
    [{ 'bin/run': 'x' }, /no manifest\.json/],
    [{ ...FILES, 'manifest.json': '{}' }, /manifest is not valid/],
    [{ 'manifest.json': FILES['manifest.json'] }, /executable/],
    [{ ...FILES, 'receipt.json': '{}' }, /receipt\.json/],
    [{ ...FILES, 'caf\u00e9.txt': 'x' }, /printable ASCII/],
    [{ ...FILES, 'skills/x/SKILL.md': 'x' }, /skill/],
    [FILES, /link or a special file/, (dir) => symlinkSync('/etc/passwd', join(dir, 'link'))],
    [{ ...FILES, 'manifest.json': JSON.stringify(withUi({ entry: 'ui/a.js' })) }, /page file/],
  ];
  for (const [files, pattern, change] of cases)
    await withFolder(files, async (dir, out) => {
      change?.(dir);
      const result = await buildPackage(dir, out);
      assert.ok(isLeft(result));
      assert.match(result.left, pattern);
      assert.equal(readdirSync(join(dir, '..')), ['folder']);
    });
});

test('an index is written from manifests, and its own reader takes it back', async () => {
  const tools = Array.from({ length: 40 }, (_, at) => `tool-${at}`);
  const definitions = tools.map((name) => ({
    name,
    kind: 'read',
    description: 'd',
    inputSchema: { type: 'object', properties: {} },
  }));
  const many = parsed(
    manifest({
      id: 'many',
      capabilities: {
        service: true,
        tools,
        toolDefinitions: definitions,
        ui: {
          entry: 'ui/a.js',
          sdk: { min: 1, max: 2 },
          pages: ['main'],
          mainPage: 'main',
          title: { de: 'Viele', en: 'Many' },
          description: 'Many tools: "all" of them',
        },
      },
    }),
  );
  const digest = sha256(Buffer.from('x'));
  const text = renderIndex([
    {
      manifest: parsed(manifest({ id: 'zulu' })),
      artifact: 'https://library.example/z.tar',
      digest,
      listing: { name: 'Zulu', description: 'No page.' },
    },
    { manifest: many, artifact: '{{origin}}/many.tar', digest, channel: 'latest' },
  ]);
  assert.ok(isRight(text));
  assert.match(text.right, /^- id: many\n {2}name: Many\n/);
  const served = Buffer.from(text.right.replaceAll('{{origin}}', 'http://127.0.0.1:80'));
  const read = parseLibraryIndex(served, { sourceId: 's', allowLoopbackHTTP: true });
  if (isLeft(read)) throw new Error(read.left);
  const [one, two] = read.right.releases;
  assert.is(one?.toolCount, 40);
  assert.equal(one?.tools, tools.slice(0, 32));
  assert.equal(one?.ui, { title: 'Many', description: 'Many tools: "all" of them', mainPage: 'main' });
  assert.equal(one?.requires?.sdk, { min: 1, max: 2 });
  assert.is(one?.channel, 'latest');
  assert.equal([two?.id, two?.name, two?.description], ['zulu', 'Zulu', 'No page.']);
  assert.is(two?.requires?.sdk, undefined);
});

test('an index that a reader would refuse is not written; an empty one is exactly []', async () => {
  await withFolder({}, async (_dir, out) => {
    const entry = { manifest: parsed(manifest()), artifact: 'ftp://x/y.tar', digest: sha256(Buffer.from('x')) };
    assert.ok(isLeft(await writeIndex([entry], out)));
    assert.ok(isRight(await writeIndex([], out)));
    assert.is(readFileSync(out, 'utf8'), '[]\n');
  });
});

test.run();
