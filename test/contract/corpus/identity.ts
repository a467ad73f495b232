/** The top level of a manifest: form, identity, platform, ranges (05:3-27). */
import { RESERVED_ADDON_IDS } from '../../../src/contract/manifest.js';
import { VALID } from '../../support/manifests.js';
import { from, rawManifest, testGroup } from '../corpus.js';

const { valid, invalid } = from('empty');
const text = JSON.stringify(VALID.empty?.());
const padded = (size: number) => text.padEnd(size, ' ');

testGroup('a manifest is one JSON object of at most 64 KiB [MANIFEST-058]', [
  rawManifest(padded(65_536), undefined),
  rawManifest(padded(65_537), '$ too-large'),
  rawManifest('[]', '$ type'),
  rawManifest(`[${text}]`, '$ type'),
  rawManifest('"x"', '$ type'),
  rawManifest('1', '$ type'),
  rawManifest('null', '$ type'),
  rawManifest('', '$ syntax'),
  rawManifest(text.slice(0, -1), '$ syntax'),
  rawManifest(`\ufeff${text}`, '$ encoding'),
]);

testGroup('trailing values after the object are refused [MANIFEST-061]', [
  rawManifest(`${text} {}`, '$ syntax'),
  rawManifest(`${text},`, '$ syntax'),
  rawManifest(`${text}\n\n`, undefined),
  rawManifest(`${text} null`, '$ syntax'),
]);

testGroup('repeated keys are refused in every spelling [MANIFEST-060]', [
  rawManifest(text.replace('"id":', '"id":"other","id":'), '$ duplicate-key'),
  rawManifest(text.replace('"id":', '"\\u0069d":"other","id":'), '$ duplicate-key'),
  rawManifest(text.replace('"min":1', '"min":1,"min":1'), '$ duplicate-key'),
  rawManifest(text.replace('"id":', '"\\u0069d":'), undefined),
]);

testGroup('every required field is required [MANIFEST-065]', [
  ...[
    'schemaVersion',
    'id',
    'version',
    'executable',
    'os',
    'arch',
    'host',
    'api',
    'protocol',
    'dataFormat',
    'capabilities',
  ].map((field) => invalid({ [field]: undefined }, `${field} required`)),
]);

testGroup('unknown fields are refused at the top and below [MANIFEST-059]', [
  invalid({ author: 'x' }, 'author unknown-field'),
  invalid({ Id: 'boards' }, 'Id unknown-field'),
  invalid({ 'host.step': 1 }, 'host.step unknown-field'),
  invalid({ '.plugins': [] }, '.plugins unknown-field'),
  invalid({ constructor: 1 }, 'constructor unknown-field'),
]);

testGroup('the schema version is 1 [MANIFEST-066]', [
  invalid({ schemaVersion: 2 }, 'schemaVersion one-of'),
  invalid({ schemaVersion: 0 }, 'schemaVersion one-of'),
  invalid({ schemaVersion: '1' }, 'schemaVersion one-of'),
  invalid({ schemaVersion: null }, 'schemaVersion one-of'),
]);

testGroup('a range is a pair of positive integers with min not above max [MANIFEST-067]', [
  valid({ host: { min: 1, max: 9 } }),
  valid({ dataFormat: { min: 3, max: 3 } }),
  invalid({ 'host.min': 0 }, 'host.min bounds'),
  invalid({ 'host.min': -1 }, 'host.min bounds'),
  invalid({ 'api.max': 1.5 }, 'api.max type'),
  invalid({ 'api.max': '2' }, 'api.max type'),
  invalid({ protocol: '^1.0.0' }, 'protocol type'),
  invalid({ protocol: [1, 2] }, 'protocol type'),
  invalid({ 'dataFormat.min': undefined }, 'dataFormat.min required'),
  invalid({ 'dataFormat.max': undefined }, 'dataFormat.max required'),
  invalid({ host: { min: 2, max: 1 } }, 'host range'),
  invalid({ 'host.max': 2_147_483_648 }, 'host.max bounds'),
]);

testGroup('a version is major.minor.patch with an optional lower-case prerelease [MANIFEST-068]', [
  ...['0.0.0', '10.20.30', '1.2.3-beta', '1.2.3-beta.1', '1.2.3-rc1', '1.2.3-a-b'].map((version) => valid({ version })),
  ...[
    '1',
    '1.2',
    '1.2.3.4',
    'v1.2.3',
    '01.2.3',
    '1.2.3-1',
    '1.2.3-Beta',
    '1.2.3-',
    '1.2.3+build',
    'latest',
    '1.2.x',
    '',
    ' 1.2.3',
    '1.2.3\n',
    '1.2.3-beta..1',
    '9999999999.0.0',
  ].map((version) => invalid({ version }, 'version version')),
  invalid({ version: 1 }, 'version type'),
]);

testGroup('an id is a namespace name, so it is never a path [MANIFEST-070]', [
  ...['a', 'a-b-c', 'a1', `a${'b'.repeat(63)}`].map((id) => valid({ id })),
  ...[
    '',
    'A',
    'Boards',
    '1a',
    '-a',
    'a_b',
    'a.b',
    'a/b',
    '../a',
    'a b',
    'a\u0000',
    'é',
    `a${'b'.repeat(64)}`,
    'a\n',
  ].map((id) => invalid({ id }, 'id name')),
  invalid({ id: 7 }, 'id type'),
  invalid({ id: null }, 'id type'),
]);

testGroup('no add-on takes an id that the host serves itself [MANIFEST-071]', [
  ...[
    'apps',
    'proposals',
    'artifacts',
    'resources',
    'conversations',
    'dispatch',
    'relay',
    'catalog',
    'icon',
    'assets',
    'installed',
    'sources',
    'builtin',
    'pins',
  ].map((id) => invalid({ id }, 'id reserved-id')),
  ...RESERVED_ADDON_IDS.map((id) => valid({ id: `${id}-2` })),
]);

testGroup('package paths are normalized, relative and ASCII [MANIFEST-075]', [
  ...['a', 'bin/a', 'bin/a-b_c.d', '.hidden/x', 'a...b', '..a', 'a'.repeat(256)].map((path) =>
    valid({ executable: path }),
  ),
  ...[
    '',
    '/a',
    'a/',
    'a//b',
    './a',
    'a/./b',
    '../a',
    'a/../b',
    'a/..',
    '..',
    '.',
    'a\\b',
    'C:\\a',
    'a%2fb',
    'file:a',
    'https://x/a',
    'a?b',
    'a#b',
    'a b',
    'é',
    'a\n',
    'a'.repeat(257),
  ].map((path) => invalid({ executable: path }, 'executable path')),
  invalid({ executable: ['bin/a'] }, 'executable type'),
]);

testGroup('the platform is two lower-case words', [
  valid({ os: 'darwin', arch: 'arm64' }),
  valid({ arch: '386' }),
  ...['', 'Linux', 'linux/amd64', 'li nux'].map((os) => invalid({ os }, 'os platform')),
  invalid({ arch: ['amd64'] }, 'arch type'),
]);

testGroup('the launch mode is absent or always [MANIFEST-088]', [
  valid({ launchMode: 'always' }),
  ...['on-demand', 'Always', '', null, true].map((launchMode) => invalid({ launchMode }, 'launchMode one-of')),
]);

testGroup('service is a boolean and tools a unique list of names, each alone [MANIFEST-077]', [
  valid({ '.service': true }),
  valid({ '.tools': ['a', 'b'] }),
  valid({ '.tools': [] }),
  invalid({ '.service': 'true' }, '.service type'),
  invalid({ '.service': null }, '.service type'),
  invalid({ '.tools': 'a' }, '.tools type'),
  invalid({ '.tools': ['a', 'b', 'a'] }, '.tools[2] repeated'),
  invalid({ '.tools': ['A'] }, '.tools[0] name'),
  invalid({ '.tools': [1] }, '.tools[0] type'),
  invalid({ capabilities: [] }, 'capabilities type'),
  invalid({ capabilities: null }, 'capabilities type'),
]);
