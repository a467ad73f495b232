import type { JsonObject } from '../../../src/contract/json.js';
import { MODEL_ACTION_CAPABILITIES } from '../../../src/contract/manifest/home-commands.js';
import { isHostOp } from '../../../src/contract/manifest/words.js';
import { hostProblems, hostProfile, parseManifest, validateManifest } from '../../../src/contract/manifest.js';
import type { Manifest } from '../../../src/contract/manifest-types.js';
import { belongsTo, isCallable, parseQualifiedName, qualifiedName } from '../../../src/contract/qualified-names.js';
import { errorOf, refuse } from '../../../src/contract/refusal.js';
import { assert, suite } from '../../support/harness.js';
import {
  change,
  commandsManifest,
  connectorManifest,
  dataManifest,
  manifestWith,
  uiManifest,
} from '../../support/manifests.js';

const test = suite('manifest and host');
const HOST = hostProfile('linux', 'x64');

function parsed(value: JsonObject): Manifest {
  const result = parseManifest(JSON.stringify(value));
  if (result._tag === 'Left') throw new Error(JSON.stringify(result.left));
  return result.right;
}

const verdict = (value: JsonObject, host = HOST) => {
  const result = validateManifest(parsed(value), host);
  return result._tag === 'Left' ? result.left : undefined;
};

test('parsing judges no host, validation does [MANIFEST-063]', () => {
  const foreign = manifestWith({}, { os: 'plan9', arch: 'mips', host: { min: 7, max: 7 } });
  assert.is(parseManifest(JSON.stringify(foreign))._tag, 'Right');
  assert.is(verdict(foreign)?.refusal, 'package_unverified');
  assert.equal(
    hostProblems(parsed(foreign), HOST).map(({ path }) => path),
    ['os', 'arch', 'host'],
  );
});

test('service-only, headless, page and chat-action manifests are valid; an incompatible one fails on the host only [MANIFEST-064]', () => {
  const action = { id: 'go', label: 'Go', placement: 'composer', target: { component: 'Go' } };
  for (const value of [
    manifestWith({ service: true }),
    manifestWith({ service: true, tools: ['ping'] }),
    uiManifest(),
    manifestWith({ ui: { entry: 'ui/a.js', sdk: { min: 1, max: 2 }, chatActions: [action] } }),
  ])
    assert.is(verdict(value), undefined);
  assert.is(verdict(manifestWith({ service: true }, { protocol: { min: 2, max: 3 } }))?.refusal, 'package_unverified');
});

test('manifest API 1 to 2 is spoken: a range fits when it overlaps [MANIFEST-002]', () => {
  for (const api of [
    { min: 1, max: 1 },
    { min: 1, max: 2 },
    { min: 2, max: 2 },
    { min: 2, max: 9 },
  ])
    assert.is(verdict(manifestWith({}, { api })), undefined, JSON.stringify(api));
  const refused = verdict(manifestWith({}, { api: { min: 3, max: 4 } }));
  assert.is(refused?.refusal, 'package_unverified');
  assert.match(refused?.message ?? '', /needs api 3 to 4 and this host provides 1 to 2.*Nothing was installed/);
});

test('extensions leave schema version, host, protocol, data format and SDK levels as they are [MANIFEST-001] [MANIFEST-099]', () => {
  for (const value of [dataManifest(), uiManifest(), commandsManifest(), connectorManifest()]) {
    assert.is(value.schemaVersion, 1);
    for (const level of ['host', 'protocol', 'dataFormat']) assert.equal(value[level], { min: 1, max: 1 });
    assert.is(verdict(value), undefined);
  }
  assert.equal(
    { host: HOST.host, protocol: HOST.protocol, dataFormat: HOST.dataFormat, sdk: HOST.sdk },
    {
      host: { min: 1, max: 1 },
      protocol: { min: 1, max: 1 },
      dataFormat: { min: 1, max: 1 },
      sdk: 2,
    },
  );
});

test('a manifest with extensions still needs its executable, identity, levels and UI entry [MANIFEST-004]', () => {
  for (const path of ['executable', 'id', 'version', 'api', 'capabilities.ui.entry', 'capabilities.ui.sdk'])
    assert.is(parseManifest(JSON.stringify(change(commandsManifest(), path, undefined)))._tag, 'Left', path);
});

test('the example fragments of chapter 02 are accepted in a valid manifest [MANIFEST-005]', () => {
  const ui = { entry: 'ui/a.js', sdk: { min: 1, max: 2 } };
  for (const capabilities of [
    {
      ui: {
        ...ui,
        pages: ['studio'],
        navigation: ['studio'],
        mainPage: 'studio',
        title: { en: 'Studio', it: 'Studio' },
        icon: 'ui/icon.png',
        homeCommands: [{ id: 'open', alias: 'studio' }],
      },
    },
    {
      hostOperations: {
        required: ['workspace.materialize', 'workspace.commit'],
        optional: ['egress.check', 'egress.audit'],
      },
    },
    { ui: { ...ui, pages: ['studio'], modelActions: [{ capability: 'FLAG_IMAGE', page: 'studio', path: 'images' }] } },
    { skillDefinitions: [{ name: 'boards' }, { name: 'boards-quickstart' }] },
    {
      skillDefinitions: [
        { name: 'xlsx', shadows: 'xlsx' },
        { name: 'docx', shadows: 'docx' },
      ],
    },
    {
      network: {
        kind: 'egress-check',
        title: 'Runbox',
        presets: [
          { id: 'off', title: 'Closed' },
          { id: 'all', title: 'Open web' },
        ],
      },
      hostOperations: { optional: ['egress.check'] },
      ui: { ...ui, controls: ['network-policy'] },
    },
    {
      credentials: [{ id: 'token', title: 'Access token', kind: 'token', resourceArgument: 'repo' }],
      connector: { kinds: [{ id: 'example', title: 'Example', delivery: 'pull' }] },
    },
  ])
    assert.equal(parseManifest(JSON.stringify(manifestWith(capabilities as JsonObject)))._tag, 'Right');
});

test('an invalid extension fails the whole manifest [MANIFEST-098]', () => {
  assert.is(
    parseManifest(JSON.stringify(change(uiManifest(), 'capabilities.ui.homeCommands[0].id', 'X')))._tag,
    'Left',
  );
});

test('manifests from before the extensions are accepted, and unknown fields are refused [MANIFEST-052] [MANIFEST-053]', () => {
  assert.is(verdict(manifestWith({ service: true, tools: ['ping'] }, { api: { min: 1, max: 1 } })), undefined);
  const future = parseManifest(JSON.stringify(manifestWith({ teleport: {} })));
  assert.equal(future._tag === 'Left' && future.left.map(({ rule }) => rule), ['unknown-field']);
});

test('all problems are reported at once, each with its path', () => {
  const result = parseManifest(
    JSON.stringify({ ...manifestWith({ tools: ['A'], ui: {} }), id: 'apps', version: 'latest', more: 1 }),
  );
  assert.equal(result._tag === 'Left' && result.left.map(({ path }) => path).sort(), [
    'capabilities.tools[0]',
    'capabilities.ui.entry',
    'capabilities.ui.sdk',
    'id',
    'more',
    'version',
  ]);
});

test('this host provides SDK 2 [SDKVER-001]', () => assert.is(HOST.sdk, 2));

const withSdk = (min: number, max: number) => manifestWith({ ui: { entry: 'ui/a.js', sdk: { min, max } } });

test('a UI loads only when the SDK of the host is inside its range [SDKVER-002] [SDKVER-003]', () => {
  for (const [min, max] of [
    [1, 2],
    [2, 2],
    [2, 9],
  ] as const)
    assert.is(verdict(withSdk(min, max)), undefined);
  const refused = verdict(withSdk(3, 3));
  assert.is(refused?.refusal, 'sdk_incompatible');
  assert.is(refused?.message, 'the add-on needs SDK 3 to 3 and this host provides SDK 2');
  assert.is(verdict(withSdk(4, 7))?.message, 'the add-on needs SDK 4 to 7 and this host provides SDK 2');
});

test('an sdk range is checked as written: max 1 is refused [SDKVER-015]', () => {
  assert.is(verdict(withSdk(1, 1))?.message, 'the add-on needs SDK 1 to 1 and this host provides SDK 2');
});

test('without UI there is no SDK to fit and no asset to have [MANIFEST-081]', () => {
  assert.is(verdict(manifestWith({ service: true }), { ...HOST, sdk: 99 }), undefined);
});

test('a channel is no part of a manifest [MANIFEST-069]', () => {
  assert.is(parseManifest(JSON.stringify(manifestWith({}, { channel: 'latest' })))._tag, 'Left');
});

test('the flags of model actions are the 27 of the chapter [MANIFEST-113]', () => {
  const listed = `FLAG_EDIT FLAG_EMBEDDINGS FLAG_RERANK FLAG_IMAGE FLAG_TRANSCRIPT FLAG_TTS
    FLAG_SOUND_GENERATION FLAG_TOKENIZE FLAG_VAD FLAG_VIDEO FLAG_DETECTION
    FLAG_VISION FLAG_FACE_RECOGNITION FLAG_SPEAKER_RECOGNITION FLAG_AUDIO_TRANSFORM
    FLAG_DIARIZATION FLAG_SOUND_CLASSIFICATION FLAG_REALTIME_AUDIO FLAG_SCORE
    FLAG_DEPTH FLAG_TOKEN_CLASSIFY FLAG_3D FLAG_3D_ANIMATION FLAG_DECISIONS
    FLAG_UPSCALE FLAG_MOTION FLAG_FORECAST`.split(/\s+/);
  assert.equal([...MODEL_ACTION_CAPABILITIES].sort(), listed.sort());
  assert.is(MODEL_ACTION_CAPABILITIES.length, 27);
});

test('the syntax of an operation says nothing about support [MANIFEST-102]', () => {
  assert.ok(isHostOp('nobody.knows-this'));
  assert.not.ok(isHostOp('egress.'));
  assert.not.ok(isHostOp('egress.*'));
});

test('platforms are named as packages name them', () => {
  assert.is(HOST.arch, 'amd64');
  assert.is(hostProfile('linux', 'arm64').arch, 'arm64');
  assert.is(hostProfile('win32', 'x64').os, 'windows');
});

test('qualified names are bound to their add-on [SHADOW-011] [SHADOW-012]', () => {
  assert.is(qualifiedName('tables', 'rows-list'), 'addon__tables__rows-list');
  assert.ok(belongsTo('addon__sandbox__bash', 'sandbox'));
  for (const name of [
    'bash',
    'addon__other__bash',
    'addon__sandbox',
    'addon__sandbox__',
    'addon__Sandbox__bash',
    'addon_sandbox_bash',
    'addon__sandbox__bash ',
  ])
    assert.not.ok(belongsTo(name, 'sandbox'), name);
  const long = 'x'.repeat(60);
  assert.equal(parseQualifiedName(qualifiedName('sandbox', long) ?? ''), { addonId: 'sandbox', tool: long });
  assert.not.ok(isCallable('sandbox', long));
  assert.ok(isCallable('sandbox', 'bash'));
});

const status = (code: Parameters<typeof refuse>[0]) => errorOf(refuse(code, 'x')).status;
test('malformed input is 400 [WIRE-036]', () => assert.is(status('invalid_request'), 400));
test('missing authentication is 401 [WIRE-037]', () => assert.is(status('unauthenticated'), 401));
test('a denial is 403 [WIRE-038]', () => assert.is(status('denied'), 403));
test('an absent resource one may know of is 404 [WIRE-039]', () => assert.is(status('not_found'), 404));
test('stale revisions and conflicting operations are 409 [WIRE-040]', () => {
  for (const code of ['stale', 'operation_conflict', 'digest_mismatch', 'proposal_closed'] as const)
    assert.is(status(code), 409);
});
test('an expired proposal is 410 [WIRE-041]', () => assert.is(status('proposal_expired'), 410));
test('an oversized request is 413 [WIRE-042]', () => assert.is(status('too_large'), 413));
test('an admission limit is 429 [WIRE-043]', () => assert.is(status('busy'), 429));
test('an unavailable owner or runtime is 503 [WIRE-044]', () => {
  for (const code of ['unavailable', 'starting', 'fenced', 'outcome_unknown'] as const) assert.is(status(code), 503);
});

test.run();
