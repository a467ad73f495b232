/** Manifests, indexes and configs that are not what they should be (06:139-149; 15, "Package format"). */
import {
  AMD64,
  ARM64,
  type Blob,
  blob,
  CONFIG,
  config,
  descriptor,
  gzipLayer,
  INDEX,
  image,
  index,
  MANIFEST,
  sampleLayers,
} from '../../../support/oci-image.js';
import { executable, manifest, manifestFile } from '../../../support/package-store.js';
import { type Case, named, served } from './rig.js';

const refused = 'package_unverified' as const;
/** The pinned manifest is `bytes`, said to be of `type`. */
const document = (what: string, words: RegExp, bytes: string | Uint8Array, type = MANIFEST): Case => {
  const wrong = blob(type, bytes);
  return { what, refused, words, pinned: wrong, registry: () => named(wrong) };
};
const changed = (what: string, words: RegExp, changes: object): Case => ({
  what,
  refused,
  words,
  image: image(sampleLayers(), changes),
});
const layer = (changes: object) => ({ layers: [{ ...descriptor(gzipLayer(executable())), ...changes }] });

const correct = image();
const text = correct.manifest.bytes.toString();

export const MANIFESTS: readonly Case[] = [
  document('a manifest that is not JSON', /not a JSON object/, '<html>404</html>'),
  document('a manifest that is a list', /not a JSON object/, '[]'),
  document('one key twice', /not a JSON object/, text.replace('{', '{"schemaVersion":2,')),
  document('a byte order mark', /not a JSON object/, `\ufeff${text}`),
  document('nesting without end', /not a JSON object/, '['.repeat(100_000)),
  document('bytes that are not UTF-8', /not a JSON object/, Buffer.from([0x7b, 0xff, 0x7d])),
  document('an image of the first schema', /of a version/, '{"schemaVersion":1,"fsLayers":[]}'),
  document('another type by its header', /not of the type/, text, INDEX),
  document('a type that is no image', /does not read/, '{"schemaVersion":2}', 'text/html'),
  document('no type at all', /does not read/, '{"schemaVersion":2}', 'application/octet-stream'),
  document('a document that is both', /two different things/, JSON.stringify({ ...JSON.parse(text), manifests: [] })),
  changed('an artifact of another kind', /another kind/, {
    artifactType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
  }),
  changed('no config', /no config/, { config: undefined }),
  changed('a config that is not of an image', /not that of an image/, {
    config: { ...descriptor(config()), mediaType: 'application/vnd.oci.empty.v1+json' },
  }),
  changed('layers that are no list', /no list/, { layers: {} }),
  changed('more layers than allowed', /at most 128 layers/, { layers: Array(129).fill(descriptor(gzipLayer())) }),
  changed('a layer of another hash', /malformed/, layer({ digest: `sha512:${'a'.repeat(128)}` })),
  changed('a layer whose digest is a path', /malformed/, layer({ digest: 'sha256:../../../v2/_catalog' })),
  changed('a layer of negative size', /malformed/, layer({ size: -1 })),
  changed('a layer of a size that is text', /malformed/, layer({ size: '10' })),
  changed('a layer of a size beyond whole numbers', /malformed/, layer({ size: 1e300 })),
  changed('a layer of half a byte', /malformed/, layer({ size: 0.5 })),
  changed('a layer that says it is a terabyte', /larger than/, layer({ size: 2 ** 40 })),
  changed(
    'a layer of another compression',
    /type that is not allowed/,
    layer({ mediaType: 'application/vnd.oci.image.layer.v1.tar+zstd' }),
  ),
  changed(
    'a layer from elsewhere',
    /type that is not allowed/,
    layer({
      mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip',
      urls: ['https://evil.example/layer'],
    }),
  ),
  changed('a type that every object has', /type that is not allowed/, layer({ mediaType: 'constructor' })),
  changed('no layers', /no manifest\.json/, { layers: [] }),
  {
    what: 'a manifest larger than 4 MiB',
    refused: 'package_fetch_failed',
    words: /larger than 4 MiB/,
    registry: (_hosts, { manifest }) => ({ [`manifests/${manifest.digest}`]: { body: Buffer.alloc(4_194_305, ' ') } }),
  },
  {
    what: 'a manifest with one byte changed',
    refused,
    words: /not the one that was asked for/,
    registry: (_hosts, { manifest }) =>
      named({ ...manifest, bytes: Buffer.from(text.replace('linux', 'linuX').replace('"size"', '"sizE"')) }),
  },
  {
    what: 'the manifest of another image',
    refused,
    words: /not the one that was asked for/,
    registry: (_hosts, { manifest }) =>
      named({ ...image([gzipLayer(executable())]).manifest, digest: manifest.digest }),
  },
  {
    what: 'a digest that the registry says is right',
    refused,
    words: /not the one that was asked for/,
    registry: (_hosts, { manifest }) => ({
      [`manifests/${manifest.digest}`]: {
        body: text.replace('"size"', '"sizE"'),
        headers: { 'content-type': MANIFEST, 'docker-content-digest': manifest.digest },
      },
    }),
  },
];

/** The library pins an index of `entries`. */
const indexed = (what: string, words: RegExp, pinned: Blob, more: Partial<Case> = {}): Case => ({
  what,
  refused,
  words,
  pinned,
  registry: () => named(pinned),
  ...more,
});
const entry = { image: correct.manifest, platform: AMD64 };
const nested = index([entry]);
const foreign = image(sampleLayers(), {}, config({ architecture: 'arm64' }));
const absent = image([gzipLayer(executable())]);
const other = (changes: object) => image([gzipLayer(executable()), gzipLayer(manifestFile(manifest(changes)))]);

export const PLATFORMS: readonly Case[] = [
  indexed(
    'an index for other platforms',
    /no image for the platform/,
    index([{ image: correct.manifest, platform: ARM64 }]),
  ),
  indexed('an index without platforms', /no image for the platform/, index([{ image: correct.manifest }])),
  indexed('an index of nothing', /no image for the platform/, index([])),
  indexed(
    'two images for one platform',
    /more than one image/,
    index([entry, { ...entry, platform: { ...AMD64, variant: 'v3' } }]),
  ),
  indexed('an index within an index', /another index/, index([{ image: nested, platform: AMD64 }]), {
    registry: () => ({ ...named(index([{ image: nested, platform: AMD64 }])), ...named(nested) }),
  }),
  indexed(
    'an index of another kind',
    /index of another kind/,
    index([entry], { artifactType: 'application/vnd.acme' }),
  ),
  indexed('an index that lists nothing', /lists nothing/, index([], { manifests: 'none' })),
  indexed(
    'an entry that is malformed',
    /malformed/,
    index([entry], { manifests: [{ ...descriptor(correct.manifest), digest: 'x', platform: AMD64 }] }),
  ),
  indexed(
    'an image of the index that is not there',
    /does not have it/,
    index([{ image: absent.manifest, platform: AMD64 }]),
    { refused: 'package_fetch_failed' },
  ),
  indexed(
    'another image than the index names',
    /not the one that was asked for/,
    index([{ image: absent.manifest, platform: AMD64 }]),
    {
      registry: () => ({
        ...named(index([{ image: absent.manifest, platform: AMD64 }])),
        ...named({ ...correct.manifest, digest: absent.manifest.digest }),
      }),
    },
  ),
  { what: 'an image of another architecture', refused, words: /another platform/, image: foreign },
  {
    what: 'an image of another system',
    refused,
    words: /another platform/,
    image: image(sampleLayers(), {}, config({ os: 'windows' })),
  },
  indexed(
    'an image of another platform behind an entry for this one',
    /another platform/,
    index([{ image: foreign.manifest, platform: AMD64 }]),
    {
      registry: () => ({
        ...named(index([{ image: foreign.manifest, platform: AMD64 }])),
        ...named(foreign.manifest),
        ...served(foreign.blobs),
      }),
    },
  ),
  {
    what: 'a config without a platform',
    refused,
    words: /names no platform/,
    image: image(sampleLayers(), {}, blob(CONFIG, '{}')),
  },
  {
    what: 'a config that is not JSON',
    refused,
    words: /config is not/,
    image: image(sampleLayers(), {}, blob(CONFIG, 'x')),
  },
  {
    what: 'another config than the manifest names',
    refused,
    words: /config is not the one/,
    registry: (_hosts, { blobs: [first] }) => ({
      [`blobs/${first?.digest}`]: { body: first?.bytes.toString().replace('amd64', 'arm64') ?? '' },
    }),
  },
  {
    what: 'a config that is longer than it says',
    refused: 'package_fetch_failed',
    words: /larger than its manifest says/,
    registry: (_hosts, { blobs: [first] }) => ({ [`blobs/${first?.digest}`]: { body: `${first?.bytes} ` } }),
  },
  {
    what: 'a config that is shorter than it says',
    refused,
    words: /config is not the one/,
    registry: (_hosts, { blobs: [first] }) => ({
      [`blobs/${first?.digest}`]: { body: first?.bytes.subarray(1) ?? '' },
    }),
  },
  {
    what: 'a package of another architecture in an image of this one',
    refused,
    words: /the arch of its manifest/,
    image: other({ arch: 'arm64' }),
  },
  { what: 'another add-on', refused, words: /the id of its manifest/, image: other({ id: 'other' }) },
  { what: 'another version', refused, words: /the version of its manifest/, image: other({ version: '1.0.1' }) },
  { what: 'a package without its executable', refused, words: /executable/, image: image([gzipLayer(manifestFile())]) },
  {
    what: 'an executable that may not be run',
    refused,
    words: /execute bit/,
    image: image([
      gzipLayer(manifestFile()),
      gzipLayer(executable().fill('0000644', 100, 107).fill(checksumOf(), 148, 156)),
    ]),
  },
];

/** Of the header of `executable()` with the mode 0644 in place of 0755. */
function checksumOf(): string {
  const block = Buffer.from(executable().subarray(0, 512)).fill('0000644', 100, 107).fill(' ', 148, 156);
  return `${block
    .reduce((sum, byte) => sum + byte, 0)
    .toString(8)
    .padStart(6, '0')}\0 `;
}

export const POLICIES: readonly Case[] = [
  {
    what: 'a library that requires a signature',
    refused,
    words: /requires a signature/,
    policy: { requireSignature: true, issuer: 'i', identity: 's' },
  },
  {
    what: 'a library that names the signer by a pattern',
    refused,
    words: /pattern/,
    policy: { requireSignature: true, issuer: 'i', identityRegex: '^a$' },
  },
  { what: 'a release that pins nothing', refused, words: /pins no digest/, release: { digest: '' } },
  {
    what: 'a digest of another hash',
    refused,
    words: /pins no digest/,
    release: { digest: `sha512:${'a'.repeat(128)}` },
  },
];
