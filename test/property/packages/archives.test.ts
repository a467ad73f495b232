/** Archives made at random, good and broken, against the rules and against another reader (tar-stream). */

import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { extract } from 'tar-stream';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { archiveOf } from '../../../src/packages/builder/archive.js';
import { pathProblem } from '../../../src/packages/package-path.js';
import { ArchiveProblem } from '../../../src/packages/tar-header.js';
import { readTar } from '../../../src/packages/tar-reader.js';
import { assert, suite } from '../../support/harness.js';
import { executable, manifestFile, sample, serving, stageIn, withStore } from '../../support/package-store.js';
import { END, file, folder, header, pax } from '../../support/tar.js';

const test = suite('archives at random');

interface Read {
  readonly path: string;
  readonly directory: boolean;
  readonly content: string;
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Our reader's view, or undefined when it refuses. */
async function ours(bytes: Uint8Array, piece = 997): Promise<readonly Read[] | undefined> {
  const entries: Read[] = [];
  try {
    for await (const { path, directory, body } of readTar(inPieces(bytes, piece), 10_000)) {
      const content: Buffer[] = [];
      for await (const part of body) content.push(part);
      entries.push({ path, directory, content: Buffer.concat(content).toString('latin1') });
    }
    return entries;
  } catch (error) {
    if (error instanceof ArchiveProblem) return undefined;
    throw error;
  }
}

async function theirs(bytes: Uint8Array): Promise<readonly Read[]> {
  const reader = extract({ filenameEncoding: 'latin1' } as never);
  Readable.from([Buffer.from(bytes)]).pipe(reader);
  const entries: Read[] = [];
  for await (const entry of reader) {
    const content: Buffer[] = [];
    for await (const part of entry) content.push(part as Buffer);
    const { name, type } = entry.header;
    entries.push({
      path: name.replace(/\/$/, ''),
      directory: type === 'directory',
      content: Buffer.concat(content).toString('latin1'),
    });
  }
  return entries;
}

const segment = fc.stringMatching(/^[A-Za-z0-9 _~+=@.-]{1,40}$/).filter((text) => text !== '.' && text !== '..');
const path = fc.array(segment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
const content = fc.uint8Array({ maxLength: 1500 });
const tree = fc.uniqueArray(fc.record({ path, content, runs: fc.boolean() }), {
  maxLength: 8,
  selector: (entry) => entry.path,
});
type Tree = readonly { readonly path: string; readonly content: Uint8Array; readonly runs: boolean }[];

async function write(entries: Tree): Promise<Buffer> {
  const files = entries.map(({ path: name, content: bytes, runs }) => ({ path: name, executable: runs, bytes }));
  const chunks: Uint8Array[] = [];
  for await (const chunk of archiveOf(files)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('what our writer writes, both readers read the same, in pieces of any size', () =>
  fc.assert(
    fc.asyncProperty(tree, fc.integer({ min: 1, max: 3000 }), async (entries, piece) => {
      const bytes = await write(entries);
      const expected = entries.map((entry) => ({
        path: entry.path,
        directory: false,
        content: Buffer.from(entry.content).toString('latin1'),
      }));
      assert.equal(await ours(bytes, piece), expected);
      assert.equal(await theirs(bytes), expected);
    }),
    { numRuns: 150 },
  ));

const damage = fc.array(fc.record({ at: fc.nat(), value: fc.integer({ min: 0, max: 255 }), fix: fc.boolean() }), {
  minLength: 1,
  maxLength: 3,
});

/** Changes bytes of headers, and mends the checksums of some, so that the change reaches the rules behind it. */
function damaged(bytes: Buffer, changes: readonly { at: number; value: number; fix: boolean }[]): Buffer {
  const copy = Buffer.from(bytes);
  const blocks = Array.from({ length: bytes.length / 512 }, (_, block) => block * 512).filter(
    (block) => bytes.toString('latin1', block + 257, block + 262) === 'ustar',
  );
  for (const { at, value, fix } of changes) {
    const block = blocks[at % blocks.length] ?? 0;
    copy[block + (Math.floor(at / blocks.length) % 512)] = value;
    if (!fix) continue;
    copy.fill(' ', block + 148, block + 156);
    const sum = copy.subarray(block, block + 512).reduce((total, byte) => total + byte, 0);
    copy.write(`${sum.toString(8).padStart(6, '0')}\0 `, block + 148, 'latin1');
  }
  return copy;
}

test('a damaged archive is refused, or another reader sees exactly the same in it [PACKAGE-024]', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(
      tree.filter((entries) => entries.length > 0),
      damage,
      async (entries, changes) => {
        const bytes = damaged(
          Buffer.concat([
            folder('folder'),
            pax({ path: 'renamed', mtime: '1.5' }),
            file('short', 'text'),
            await write(entries),
          ]),
          changes,
        );
        const mine = await ours(bytes);
        if (mine === undefined) return;
        accepted += 1;
        for (const entry of mine) assert.is(pathProblem(entry.path), undefined);
        assert.equal(await theirs(bytes), mine);
      },
    ),
    { numRuns: 2_000 },
  );
  assert.ok(accepted > 100, `only ${accepted} were accepted`);
}, 120_000);

/** Every regular file below `directory` but the receipt; throws for anything that is neither file nor folder. */
function onDisk(directory: string, at = ''): readonly [string, string][] {
  return readdirSync(join(directory, at)).flatMap((name): readonly [string, string][] => {
    const inner = at === '' ? name : `${at}/${name}`;
    const stat = lstatSync(join(directory, inner));
    if (stat.isDirectory()) return onDisk(directory, inner);
    if (!stat.isFile()) throw new Error(`${inner} is neither a file nor a folder`);
    return inner === 'receipt.json' ? [] : [[inner, readFileSync(join(directory, inner), 'latin1')]];
  });
}

const hostilePath = fc.oneof(
  path,
  fc.constantFrom(
    '../a',
    '/a',
    'a/../b',
    './a',
    'a//b',
    'a\\b',
    'receipt.json',
    'manifest.json',
    'bin',
    'bin/run/x',
    'a',
    'a/b',
    'a/b/c',
  ),
);
const hostileEntry = fc.oneof(
  fc.record({ kind: fc.constant('file' as const), path: hostilePath, content }),
  fc.record({ kind: fc.constant('folder' as const), path: hostilePath, content }),
  fc.record({
    kind: fc.constantFrom('1' as const, '2' as const, '3' as const, '6' as const),
    path: hostilePath,
    content,
  }),
);
const entryBytes = (entry: { kind: string; path: string; content: Uint8Array }): Buffer => {
  if (entry.path.length > 100) return Buffer.concat([pax({ path: entry.path }), file('short', entry.content)]);
  if (entry.kind === 'file') return file(entry.path, entry.content);
  if (entry.kind === 'folder') return folder(entry.path);
  return file(entry.path, '', { type: entry.kind, link: '../../outside' });
};

test('of hostile entries, only real files under their own names ever reach the disk; collisions never do [PACKAGE-025] [PACKAGE-024]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostileEntry, { maxLength: 4 }), async (entries) => {
      const bytes = sample(...entries.map(entryBytes));
      await withStore(serving(bytes), async ({ root, store, names }) => {
        const staged = await stageIn(store, bytes);
        assert.equal(readdirSync(join(root, '..')), ['packages']);
        if (isLeft(staged)) return assert.equal(names(), []);
        const files = entries.filter(({ kind }) => kind === 'file');
        const expected = [
          ['bin/run', '#!/bin/sh\nexit 0\n'],
          ['manifest.json', manifestFile().subarray(512).toString('latin1').replace(/\0+$/, '')],
          ...files.map((entry) => [entry.path, Buffer.from(entry.content).toString('latin1')]),
        ];
        const sorted = (rows: readonly (readonly string[])[]) =>
          [...rows].sort((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
        assert.equal(sorted(onDisk(join(root, names()[0] ?? ''))), sorted(expected));
        assert.ok(entries.every(({ kind }) => kind === 'file' || kind === 'folder'));
        assert.is(new Set(entries.map((entry) => entry.path)).size, entries.length);
      });
    }),
    { numRuns: 150 },
  );
}, 120_000);

test('whatever the bytes are spent on, the limit is the length of the stream [PACKAGE-040]', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: 0, max: 3000 }),
      fc.integer({ min: -2, max: 2 }),
      async (comment, size, trailing, over) => {
        const bytes = Buffer.concat([
          sample(pax({ comment: 'c'.repeat(comment) }), file('a', 'x'.repeat(size))),
          Buffer.alloc(trailing),
        ]);
        const limits = { expandedBytes: bytes.length + over };
        await withStore(
          serving(bytes),
          async ({ store }) => assert.is(isRight(await stageIn(store, bytes)), over >= 0),
          {
            limits,
          },
        );
      },
    ),
    { numRuns: 60 },
  ));

test('bytes that are no archive at all never do more than be refused', () =>
  fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
      assert.is(await ours(bytes), bytes.length >= 1024 && bytes.every((byte) => byte === 0) ? [] : undefined);
    }),
    { numRuns: 300 },
  ));

test('an archive that is cut anywhere before its end mark is refused', async () => {
  const whole = Buffer.concat([manifestFile(), executable(), header({ name: 'e/', type: '5' }), END]);
  for (let length = 0; length < whole.length; length += 61) assert.is(await ours(whole.subarray(0, length)), undefined);
});

test.run();
