/** Layers that break a rule of archives or of their compression (06:166-177, 196-209). */
import { gzipSync } from 'node:zlib';
import { blob, GZIP, gzipLayer, image, TAR, tarLayer } from '../../../support/oci-image.js';
import { executable, manifestFile } from '../../../support/package-store.js';
import { archive, file, folder, gnuLongName, header, pax } from '../../../support/tar.js';
import type { Case } from './rig.js';

const good = () => [executable(), manifestFile()];
/** A good package and, in the same layer, `parts`. */
const within = (what: string, words: RegExp, ...parts: Uint8Array[]): Case => ({
  what,
  refused: 'package_unverified',
  words,
  image: image([gzipLayer(...good(), ...parts)]),
});
/** A good package, and `parts` in a layer behind it. */
const behind = (what: string, words: RegExp, ...parts: Uint8Array[]): Case => ({
  what: `a later layer: ${what}`,
  refused: 'package_unverified',
  words,
  image: image([gzipLayer(...good(), file('docs/a', 'x')), tarLayer(...parts)]),
});
/** A good package whose second layer is exactly `bytes`. */
const raw = (what: string, words: RegExp, bytes: Uint8Array, type = GZIP, more: Partial<Case> = {}): Case => ({
  what,
  refused: 'package_unverified',
  words,
  image: image([gzipLayer(...good()), blob(type, bytes)]),
  ...more,
});

const link = (type: string, target: string) => file('x', '', { type, link: target });
const big = Buffer.alloc(12);
big[0] = 0x80;
big[11] = 1;
const one = archive(file('extra', 'x'));

export const NAMES: readonly Case[] = [
  within('a name that climbs out', /dot part/, file('../out', 'x')),
  within('a name that climbs out from a folder', /dot part/, file('bin/../../out', 'x')),
  within('an absolute name', /absolute/, file('/etc/cron.d/x', 'x')),
  within('a dot part', /dot part/, file('./data', 'x')),
  within('an empty part', /empty part/, file('bin//data', 'x')),
  within('a backslash', /backslash/, file('..\\out', 'x')),
  within('a NUL in a name', /NUL/, file(Buffer.from([0x61, 0, 0x62]) as unknown as string, 'x')),
  within('a control character', /printable ASCII/, file('a\u0007b', 'x')),
  within('a letter that looks like a slash', /printable ASCII/, file('..\u2215out', 'x')),
  within('an overlong name', /too long/, pax({ path: 'y'.repeat(256) }), file('short', 'x')),
  within('too many folders', /too many folders/, file(Array.from({ length: 40 }, () => 'a').join('/'), 'x')),
  within('a folder that climbs out', /dot part/, header({ name: '../out/', type: '5' })),
  within('the folder of the stage itself', /dot part/, header({ name: './', type: '5' })),
  within('a prefix that climbs out', /dot part/, file('out', 'x', { prefix: '..' })),
  within('an absolute prefix', /absolute/, file('out', 'x', { prefix: '/tmp' })),
  within('a long name that climbs out', /dot part/, gnuLongName('../out'), file('fine', 'x')),
  within('an extended name that climbs out', /dot part/, pax({ path: '../out' }), file('fine', 'x')),
  within('an extended name that is absolute', /absolute/, pax({ path: '/out' }), file('fine', 'x')),
];

export const KINDS: readonly Case[] = [
  within('a symbolic link out', /symbolic link/, link('2', '/etc/passwd')),
  within('a symbolic link inside', /symbolic link/, link('2', 'bin/run')),
  within('a hard link out', /hard link/, link('1', '/etc/passwd')),
  within('a hard link inside', /hard link/, link('1', 'bin/run')),
  within('a link and a file through it', /symbolic link/, file('d', '', { type: '2', link: '/tmp' }), file('d/x', 'x')),
  within('a character device', /device/, file('x', '', { type: '3' })),
  within('a block device', /device/, file('x', '', { type: '4' })),
  within('a named pipe', /named pipe/, file('x', '', { type: '6' })),
  within('a sparse file', /sparse/, file('x', '', { type: 'S', magic: 'ustar  \0' })),
  within('an entry of an unknown kind', /unknown kind/, file('x', '', { type: 'Z' })),
  within('a sparse map of version 1', /more than a name/, pax({ 'GNU.sparse.major': '1' }), file('x', 'x')),
  within(
    'a sparse file of 100 GB by its real size',
    /more than a name/,
    pax({ 'GNU.sparse.realsize': '99999999999' }),
    file('x', 'x'),
  ),
  within('a size in an extended header', /more than a name/, pax({ size: '99999999999' }), file('x', 'x')),
  within('a link target in an extended header', /more than a name/, pax({ linkpath: '/etc/passwd' }), file('x', 'x')),
  within('a name for all that follow', /more than a name/, pax({ path: 'bin/run' }, 'g'), file('x', 'x')),
  within('two names for one entry', /more than one extended/, pax({ path: 'b' }), gnuLongName('c'), file('x', 'x')),
  within('one attribute twice', /repeats/, file('h', '10 path=a\n10 path=b\n', { type: 'x' }), file('x', 'x')),
  within(
    'an extended header that lies about its length',
    /malformed/,
    file('h', '99 path=a\n', { type: 'x' }),
    file('x', 'x'),
  ),
  within(
    'an extended header of 70 KB',
    /too large/,
    header({ name: 'h', type: 'x', size: 70_000 }),
    Buffer.alloc(70_144),
  ),
];

export const COLLISIONS: readonly Case[] = [
  within('one path twice', /one path twice/, file('a', '1'), file('a', '2')),
  within('one path twice, once by an extended name', /one path twice/, pax({ path: 'bin/run' }), file('b', 'x')),
  within('a file and a folder of one name', /file and a folder/, file('a', '1'), file('a/b', '2')),
  within('a folder and a file of one name', /file and a folder/, folder('a'), file('a', '1')),
  within('a receipt of its own', /receipt of its own/, file('receipt.json', '{}')),
  behind('the executable again', /overwrites/, file('bin/run', '#!/bin/sh\nevil\n', { mode: 0o755 })),
  behind('the manifest again', /overwrites/, manifestFile()),
  behind('the same bytes again', /overwrites/, executable()),
  behind('a file where a folder was', /file and a folder/, file('bin', 'x')),
  behind('a folder where a file was', /file and a folder/, folder('docs/a')),
  behind('a file below a file', /file and a folder/, file('docs/a/b', 'x')),
  behind('a whiteout', /removes/, file('bin/.wh.run', '')),
  behind('an opaque whiteout', /removes/, file('docs/.wh..wh..opq', '')),
  behind('a receipt', /receipt of its own/, file('receipt.json', '{}')),
  behind('a symbolic link', /symbolic link/, link('2', 'bin/run')),
];

export const DAMAGE: readonly Case[] = [
  raw('an archive that stops in a header', /ends early/, gzipSync(one.subarray(0, 300))),
  raw('an archive that stops in a file', /ends early/, gzipSync(one.subarray(0, 600))),
  raw('an archive without its end mark', /ends early/, gzipSync(one.subarray(0, -1024))),
  raw('half an end mark', /ends early|end mark/, gzipSync(one.subarray(0, -512))),
  raw('a second archive behind the first', /after its end mark/, gzipSync(Buffer.concat([one, one]))),
  raw('a byte behind the end mark', /after its end mark/, gzipSync(Buffer.concat([one, Buffer.from('x')]))),
  raw('nothing at all', /ends early/, Buffer.alloc(0), TAR),
  raw('a header with a wrong checksum', /checksum/, gzipSync(archive(file('a', 'x', { checksum: 1 })))),
  raw('a size that is not octal', /not octal/, gzipSync(archive(file('a', 'x', { size: '0000000000z\0' })))),
  raw('a negative size', /not octal/, gzipSync(archive(file('a', 'x', { size: '-0000000001\0' })))),
  raw('a size of base 256', /not octal/, gzipSync(archive(file('a', 'x', { size: big.toString('latin1') })))),
  raw('a file that claims 8 GB', /ends early/, gzipSync(archive(header({ name: 'a', size: 0o77777777777 })))),
  raw('compression that is cut', /compression ends early/, gzipSync(one).subarray(0, -6)),
  raw('compression with a wrong sum', /damaged/, Buffer.concat([gzipSync(one).subarray(0, -8), Buffer.alloc(8, 7)])),
  raw('garbage behind the compression', /damaged|behind/, Buffer.concat([gzipSync(one), Buffer.from('garbage')])),
  raw('zeros behind the compression', /behind its compression/, Buffer.concat([gzipSync(one), Buffer.alloc(2048)])),
  raw('a tar that says it is compressed', /damaged/, one),
  raw(
    'a compressed one that says it is a tar',
    /not a tar|ends early/,
    Buffer.concat([gzipSync(one), Buffer.alloc(1024)]),
    TAR,
  ),
  raw(
    'a compressed archive compressed again',
    /not a tar|ends early/,
    gzipSync(Buffer.concat([gzipSync(one), Buffer.alloc(1024)])),
  ),
];

const MIB = 1_048_576;
const zeros = (bytes: number) => gzipLayer(file('zeros', Buffer.alloc(bytes)));
const limits = { expandedBytes: MIB };
const many = (from: number) => gzipLayer(...Array.from({ length: 6 }, (_, at) => file(`many/${from + at}`, '')));

export const BOMBS: readonly Case[] = [
  raw('20 MB of zeros in 20 KB', /larger than the 1048576 bytes/, zeros(20 * MIB).bytes, GZIP, { limits }),
  raw(
    '20 MB of zeros behind the end mark',
    /larger than/,
    gzipSync(Buffer.concat([one, Buffer.alloc(20 * MIB)])),
    GZIP,
    { limits },
  ),
  raw(
    '20 MB of extended headers',
    /larger than/,
    gzipSync(archive(...Array.from({ length: 400 }, () => pax({ comment: 'c'.repeat(50_000) }, 'g')))),
    GZIP,
    { limits },
  ),
  {
    what: 'layers that are too large only together',
    refused: 'package_unverified',
    words: /larger than/,
    image: image([gzipLayer(...good(), file('a', Buffer.alloc(MIB / 2))), gzipLayer(file('b', Buffer.alloc(MIB / 2)))]),
    limits,
  },
  {
    what: 'layers with too many entries only together',
    refused: 'package_unverified',
    words: /more than 10 files/,
    image: image([gzipLayer(...good()), many(0), many(6)]),
    limits: { entries: 10 },
  },
  {
    what: 'names that imply too many folders',
    refused: 'package_unverified',
    words: /too many folders/,
    image: image([gzipLayer(...good(), ...Array.from({ length: 6 }, (_, at) => file(`${at}/a/b/c/d/e/f/g`, '')))]),
    limits: { entries: 8 },
  },
  {
    what: 'an image that is too large by its manifest',
    refused: 'package_unverified',
    words: /larger than the 1000 bytes/,
    image: image([gzipLayer(...good()), tarLayer(file('a', Buffer.alloc(2000)))]),
    limits: { downloadBytes: 1000 },
  },
];
