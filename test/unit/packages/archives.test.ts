/** Archives that break one rule each, built byte by byte. */
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';
import {
  executable,
  manifestFile,
  refusalOf,
  sample,
  serving,
  stageIn,
  withStore,
} from '../../support/package-store.js';
import { archive, END, file, folder, gnuLongName, header, pax } from '../../support/tar.js';

const test = suite('archives');

const refuses = async (bytes: Uint8Array, pattern: RegExp, ask: Parameters<typeof refusalOf>[1] = {}) => {
  const refusal = await refusalOf(bytes, ask);
  assert.is(refusal.refusal, 'package_unverified');
  assert.match(refusal.message, pattern);
};
/** Stages `bytes` and answers the paths of its files. */
const paths = (bytes: Uint8Array, chunk = 65_536) =>
  withStore(serving(bytes, chunk), async ({ store }) => {
    const staged = await stageIn(store, bytes);
    if (isLeft(staged)) throw new Error(staged.left.message);
    return staged.right.receipt.files.map(({ path }) => path);
  });

test('names are taken as they are: absolute, dotted, empty, foreign or overlong ones are refused [PACKAGE-024]', async () => {
  const names: [string | Buffer, RegExp][] = [
    ['/etc/passwd', /absolute/],
    ['../out', /dot part/],
    ['a/../../out', /dot part/],
    ['a/../b', /dot part/],
    ['./manifest2.json', /dot part/],
    ['a/./b', /dot part/],
    ['a//b', /empty part/],
    ['a/', /empty part/],
    ['..', /dot part/],
    ['.', /dot part/],
    ['', /empty name/],
    ['a\\b', /backslash/],
    ['..\\out', /backslash/],
    ['C:\\out', /backslash/],
    ['caf\u00e9', /printable ASCII/],
    ['a\u0007b', /printable ASCII/],
    ['a\nb', /printable ASCII/],
    ['a\u007fb', /printable ASCII/],
    [Buffer.from([0x61, 0, 0x62]), /NUL/],
    [Buffer.from([0xef, 0xbc, 0x8f, 0x61]), /printable ASCII/],
    [Array.from({ length: 40 }, () => 'a').join('/'), /too many folders/],
  ];
  for (const [name, pattern] of names) await refuses(sample(file(name as string, 'x')), pattern);
  await refuses(sample(pax({ path: `${'x/'.repeat(300)}y` }), file('short', 'x')), /too long/);
  await refuses(sample(pax({ path: 'y'.repeat(256) }), file('short', 'x')), /too long/);
  for (const name of ['../out', '/out', 'a/../b', '.', 'a//b'])
    await refuses(sample(header({ name: `${name}/`, type: '5' })), /dot part|absolute|empty part/);
});

test('the same rules hold for names from a prefix or an extended header [PACKAGE-024]', async () => {
  await refuses(sample(file('out', 'x', { prefix: '..' })), /dot part/);
  await refuses(sample(file('out', 'x', { prefix: '/abs' })), /absolute/);
  await refuses(sample(file('out', 'x', { prefix: 'a/' })), /empty part/);
  await refuses(sample(pax({ path: '../out' }), file('fine', 'x')), /dot part/);
  await refuses(sample(gnuLongName('../out'), file('fine', 'x')), /dot part/);
  await refuses(sample(pax({ path: 'a\0b' }), file('fine', 'x')), /printable ASCII/);
});

test('links and special files are refused [PACKAGE-024]', async () => {
  const kinds: [string, RegExp][] = [
    ['1', /hard link/],
    ['2', /symbolic link/],
    ['3', /device/],
    ['4', /device/],
    ['6', /named pipe/],
    ['7', /contiguous/],
    ['K', /link name/],
    ['S', /sparse/],
    ['V', /volume label/],
    ['M', /part of a file/],
    ['A', /unknown kind/],
    ['!', /unknown kind/],
  ];
  for (const [type, pattern] of kinds) await refuses(sample(file('x', '', { type, link: '/etc/passwd' })), pattern);
});

test('an extended header may rename an entry or say its times, and nothing else [PACKAGE-042]', async () => {
  const long = `docs/${'n'.repeat(120)}.txt`;
  assert.ok((await paths(sample(pax({ path: long, mtime: '1.5' }), file('short', 'x')))).includes(long));
  assert.ok((await paths(sample(gnuLongName(long), file('short', 'x', { magic: 'ustar  \0' })))).includes(long));
  assert.ok((await paths(sample(pax({ comment: 'abc' }, 'g'), file('a', 'x')))).includes('a'));
  for (const records of [
    { size: '100000000000' },
    { linkpath: '/etc/passwd' },
    { 'GNU.sparse.major': '1' },
    { 'GNU.sparse.size': '99999999999' },
    { 'GNU.sparse.name': '../out' },
    { 'SCHILY.realsize': '99999999999' },
    { charset: 'BINARY' },
    { hdrcharset: 'BINARY' },
  ])
    await refuses(
      sample(pax(records as unknown as Record<string, string>), file('a', 'x')),
      /changes more than a name/,
    );
  await refuses(sample(pax({ path: 'b' }, 'g'), file('a', 'x')), /changes more than a name/);
  await refuses(sample(pax({ path: 'b' }), pax({ path: 'c' }), file('a', 'x')), /more than one extended/);
  await refuses(sample(pax({ path: 'b' }), gnuLongName('c'), file('a', 'x')), /more than one extended/);
  await refuses(sample(pax({ path: 'b' })), /before no entry/);
  await refuses(sample(file('h', '12 path=a\n12 path=b\n', { type: 'x' }), file('a', 'x')), /malformed|repeats/);
  await refuses(sample(file('h', '10 path=a\n10 path=b\n', { type: 'x' }), file('a', 'x')), /repeats/);
  for (const text of [
    'path=a\n',
    '99 path=a\n',
    '0 path=a\n',
    '-1 path=a\n',
    '9 path=a\n\n',
    '8 path=a\n',
    '5 =ab\n',
    '10 path=a',
  ])
    await refuses(sample(file('h', text, { type: 'x' }), file('a', 'x')), /malformed/);
  await refuses(sample(header({ name: 'h', type: 'x', size: 70_000 }), Buffer.alloc(70_144)), /too large/);
});

test('a path that comes twice is refused [PACKAGE-025]', async () => {
  await refuses(sample(file('a', '1'), file('a', '1')), /one path twice/);
  await refuses(sample(folder('a'), folder('a')), /one path twice/);
  await refuses(sample(file('bin/run', 'x', { mode: 0o755 })), /one path twice/);
  await refuses(sample(pax({ path: 'manifest.json' }), file('other', '{}')), /one path twice/);
  assert.ok((await paths(sample(file('a/b', '1'), folder('a')))).includes('a/b'));
});

test('a file and a folder of one name are refused, in either order [PACKAGE-025]', async () => {
  await refuses(sample(file('a', '1'), file('a/b', '1')), /file and a folder/);
  await refuses(sample(file('a/b', '1'), file('a', '1')), /file and a folder/);
  await refuses(sample(file('a', '1'), folder('a')), /file and a folder/);
  await refuses(sample(folder('a'), file('a', '1')), /file and a folder/);
});

test('an archive with a receipt of its own is refused, in any form [PACKAGE-026]', async () => {
  await refuses(sample(file('receipt.json', '{}')), /receipt of its own/);
  await refuses(sample(folder('receipt.json')), /receipt of its own/);
  await refuses(sample(file('receipt.json/a', '{}')), /receipt of its own/);
  await refuses(sample(pax({ path: 'receipt.json' }), file('a', '{}')), /receipt of its own/);
  assert.ok((await paths(sample(file('docs/receipt.json', '{}')))).includes('docs/receipt.json'));
});

test('bytes behind the end mark may only be zeros, and an end mark must be there', async () => {
  const whole = sample();
  assert.is((await paths(Buffer.concat([whole, Buffer.alloc(9_216)]))).length, 2);
  assert.is((await paths(Buffer.concat([whole, Buffer.alloc(7)]))).length, 2);
  await refuses(Buffer.concat([whole, Buffer.from('x')]), /after its end mark/);
  await refuses(Buffer.concat([whole, Buffer.alloc(512), file('a', 'x'), END]), /after its end mark/);
  await refuses(whole.subarray(0, -1024), /ends early/);
  await refuses(whole.subarray(0, -512), /ends early/);
  await refuses(Buffer.concat([whole.subarray(0, -512), file('a', 'x'), END]), /end mark is broken/);
  await refuses(Buffer.alloc(0), /ends early/);
  await refuses(Buffer.from('not a tar archive'), /ends early/);
});

test('an archive cut at any block is refused', async () => {
  const whole = sample(file('a', 'x'.repeat(2000)));
  for (let length = 0; length < whole.length - 512; length += 512)
    await refuses(whole.subarray(0, length), /ends early/);
});

test('a damaged header is refused', async () => {
  await refuses(archive(Buffer.alloc(512, 'A')), /not a tar archive/);
  await refuses(sample(file('a', 'x', { checksum: 1 })), /wrong checksum/);
  await refuses(sample(file('a', 'x', { magic: '' })), /ustar or GNU/);
  await refuses(sample(file('a', 'x', { size: '0000000000z\0' })), /not octal/);
  await refuses(sample(file('a', 'x', { size: '-0000000001\0' })), /not octal/);
  await refuses(sample(file('a', 'x', { size: '            ' })), /not octal/);
  const big = Buffer.alloc(12);
  big[0] = 0x80;
  big[11] = 1;
  await refuses(sample(file('a', 'x', { size: big.toString('latin1') })), /not octal/);
  await refuses(sample(header({ name: 'a/', type: '5', size: 512 }), Buffer.alloc(512)), /content of its own/);
});

test('every entry counts, files and folders alike [PACKAGE-029]', async () => {
  const bytes = sample(folder('a'), file('a/b', 'x'));
  await refuses(bytes, /more than 3 files and folders/, { limits: { entries: 3 } });
  await withStore(serving(bytes), async ({ store }) => assert.ok(isRight(await stageIn(store, bytes))), {
    limits: { entries: 4 },
  });
});

test('folders that names only imply are bounded too [PACKAGE-029]', async () => {
  const deep = Array.from({ length: 6 }, (_, at) => file(`${at}/a/b/c/d/e/f/g`, ''));
  await refuses(sample(...deep), /too many folders/, { limits: { entries: 8 } });
});

test('10,001 entries are refused by default', async () => {
  const many = Array.from({ length: 9_999 }, (_, at) => file(`many/${at}`, ''));
  await refuses(archive(manifestFile(), executable(), ...many), /more than 10000/);
});

test('the byte limit counts the whole stream: headers, names, padding and trailing zeros [PACKAGE-040] [PACKAGE-028] [PACKAGE-041]', async () => {
  const bytes = sample();
  const padded = Buffer.concat([bytes, Buffer.alloc(4096)]);
  const named = sample(pax({ comment: 'c'.repeat(3000) }), file('a', ''));
  for (const limits of [{ expandedBytes: bytes.length }, { downloadBytes: bytes.length }]) {
    await refuses(padded, /larger than/, { limits });
    await refuses(named, /larger than/, { limits });
    await withStore(serving(bytes), async ({ store }) => assert.ok(isRight(await stageIn(store, bytes))), { limits });
  }
});

test('an archive reads the same in pieces of any size', async () => {
  const bytes = sample(folder('d'), file('d/e', 'x'.repeat(1500)), pax({ path: 'd/long' }), file('s', 'y'));
  for (const chunk of [1, 7, 511, 512, 513, 1024, 4096])
    assert.equal(await paths(bytes, chunk), ['manifest.json', 'bin/run', 'd/e', 'd/long']);
});

test.run();
