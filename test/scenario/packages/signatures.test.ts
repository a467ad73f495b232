/** Signed packages in registries: where their signatures are found, what is taken, and that nothing of a package is fetched before. */
import { isLeft } from '../../../src/contract/fp.js';
import { createSignatureCheck } from '../../../src/packages/signatures/signature-check.js';
import { assert, suite } from '../../support/harness.js';
import { AMD64, blob, digestOf, gzipLayer, type Image, image, index, sampleLayers } from '../../support/oci-image.js';
import { ociRelease, stageRelease, withOciStore } from '../../support/oci-store.js';
import { executable, manifestFile } from '../../support/package-store.js';
import { type RealRegistry, startRegistry } from '../../support/registry.js';
import { attach, attached, BUNDLE, checkOf, referrers, SIGNED, tagOf } from '../../support/signed-image.js';
import {
  IDENTITY,
  ISSUER,
  type Sigstore,
  signBytes,
  signStatement,
  startSigstore,
  statement,
} from '../../support/sigstore.js';
import { attempt, type Case, named, type Outcome, type Replies, type Reply, served } from './hostile/rig.js';

const test = suite('signed packages');
const IMAGE = image();
const DIGEST = IMAGE.manifest.digest;

let sigstore: Sigstore;
let foreign: Sigstore;
let registry: RealRegistry;
let good: Buffer;
test.before(async () => {
  [sigstore, foreign, registry] = await Promise.all([startSigstore(), startSigstore(), startRegistry()]);
  good = await signStatement(sigstore, statement(DIGEST));
});
test.after(async () => {
  await Promise.all([sigstore.close(), foreign.close(), registry.close()]);
});

const listOf = (list: ReturnType<typeof blob>): Reply => ({
  body: list.bytes,
  headers: { 'content-type': list.mediaType },
});
/** What a registry with a list of referrers serves for these signatures. */
function byList(...images: readonly Image[]): Replies {
  return { [`referrers/${DIGEST}`]: listOf(referrers(images)), ...stored(images) };
}
const stored = (images: readonly Image[]): Replies =>
  Object.assign({}, ...images.flatMap(({ manifest, blobs }) => [named(manifest), served(blobs)]));

const signed = (replies: Replies, more: Partial<Case> = {}): Promise<Outcome> =>
  attempt({ image: IMAGE, policy: SIGNED, signatures: checkOf(sigstore), registry: () => replies, ...more });

/** Refused with these words, with nothing of the package asked for and nothing left. */
async function refuses(replies: Replies, kind: Case['refused'], words: RegExp, more: Partial<Case> = {}) {
  const outcome = await signed(replies, more);
  assert.is(outcome.refusal?.refusal, kind, outcome.refusal?.message ?? 'it was accepted');
  assert.match(outcome.refusal?.message ?? '', words);
  assert.not.match(outcome.refusal?.message ?? '', /127\.0\.0\.1|https?:|acme\/addons/);
  assert.equal(outcome.left, []);
  for (const { digest } of IMAGE.blobs)
    assert.not(outcome.asked.includes(`blobs/${digest}`), 'a part of it was fetched');
  return outcome;
}

test('a package is installed with the signature under its tag in a registry without a list, and the receipt says who signed [PACKAGE-006] [PACKAGE-007] [TRUST-005]', async () => {
  await registry.push('acme/sample', IMAGE, '1.0.0');
  await attach(registry, 'acme/sample', IMAGE.manifest, [good]);
  await withOciStore({ signatures: checkOf(sigstore) }, async ({ store }) => {
    const wanted = ociRelease(`oci://${registry.host}/acme/sample:1.0.0`, DIGEST);
    const staged = await stageRelease(store, wanted, { policy: SIGNED });
    if (isLeft(staged)) throw new Error(staged.left.message);
    const published = await store.publish(staged.right);
    if (isLeft(published)) throw new Error(published.left.message);
    const receipt = await store.receipt(published.right.directory);
    if (isLeft(receipt)) throw new Error(receipt.left.message);
    assert.is(receipt.right.verification, 'sha256+sigstore');
    assert.equal(receipt.right.signer, { issuer: ISSUER, identity: IDENTITY });
    assert.is(receipt.right.digest, DIGEST);
  });
});

test('an unsigned package, one of another signer and one of another trust root are refused, and nothing is left [PACKAGE-006] [PACKAGE-007] [TRUST-005]', async () => {
  const other = image([gzipLayer(executable('#!/bin/sh\nexit 3\n')), gzipLayer(manifestFile())]);
  await registry.push('acme/other', other, '1.0.0');
  const stage = (policy: object = {}, from = sigstore) =>
    withOciStore({ signatures: checkOf(from) }, async ({ store, names }) => {
      const wanted = ociRelease(`oci://${registry.host}/acme/other:1.0.0`, other.manifest.digest);
      const staged = await stageRelease(store, wanted, { policy: { ...SIGNED, ...policy } });
      if (!isLeft(staged)) throw new Error('it was accepted');
      assert.equal(names(), []);
      assert.is(staged.left.refusal, 'package_unverified');
      return staged.left.message;
    });
  assert.match(await stage(), /it has none/);
  // The signature of another package, under the tag of this one.
  await attach(registry, 'acme/other', other.manifest, [good]);
  assert.match(await stage(), /another package/);
  await attach(registry, 'acme/other', other.manifest, [
    await signStatement(sigstore, statement(other.manifest.digest), { identity: `${IDENTITY}x` }),
  ]);
  assert.match(await stage(), /another signer/);
  await attach(registry, 'acme/other', other.manifest, [await signBytes(sigstore, other.manifest.bytes)]);
  assert.match(await stage({ issuer: 'https://other.example.test' }), /another signer/);
  assert.match(await stage({}, foreign), /not from an authority/);
});

test('a library that requires no signature is asked for none, and its packages install by their digest [TRUST-006]', async () => {
  const { receipt, asked } = await signed({}, { policy: { requireSignature: false } });
  assert.is(receipt?.verification, 'sha256');
  assert.is(receipt?.signer, undefined);
  assert.not(asked.some((path) => path.includes('referrers') || path.includes('sha256-')));
});

test('the list of referrers is asked first, and before anything of the package [PACKAGE-006]', async () => {
  const { receipt, asked } = await signed(byList(attached(IMAGE.manifest, good)));
  assert.is(receipt?.verification, 'sha256+sigstore');
  const paths = asked.filter((path, at) => asked.indexOf(path) === at);
  assert.equal(paths.slice(0, 2), [`manifests/${DIGEST}`, `referrers/${DIGEST}`]);
  const parts = IMAGE.blobs.map(({ digest }) => paths.indexOf(`blobs/${digest}`));
  assert.ok(Math.min(...parts) === 4, paths.join('\n'));
  assert.not(paths.includes(`manifests/${tagOf(DIGEST)}`));
});

test('only a 404 leads from the list to the tag; every other answer is an error, and the tag is not asked [PACKAGE-006]', async () => {
  const one = attached(IMAGE.manifest, good);
  const tag = { [`manifests/${tagOf(DIGEST)}`]: listOf(referrers([one])), ...stored([one]) };
  const found = await signed({ ...tag, [`referrers/${DIGEST}`]: { status: 404, body: 'no such page' } });
  assert.is(found.receipt?.verification, 'sha256+sigstore');
  const answers: readonly Reply[] = [
    ...[201, 204, 206, 400, 401, 403, 405, 406, 410, 429, 500, 501, 502, 503].map((status) => ({ status })),
    { status: 307, headers: { location: `/v2/acme/sample/manifests/${tagOf(DIGEST)}` } },
    { body: '<html></html>', headers: { 'content-type': 'text/html' } },
    { body: referrers([one]).bytes, headers: { 'content-type': 'application/json' } },
    { body: '[]', headers: { 'content-type': referrers([one]).mediaType } },
    { body: '{"schemaVersion":2}', headers: { 'content-type': referrers([one]).mediaType } },
    listOf(referrers([one], { schemaVersion: 1 })),
    listOf(referrers([one], { manifests: [{ artifactType: BUNDLE, digest: 'sha256:short' }] })),
    { body: (response) => response.destroy() },
  ];
  for (const reply of answers) {
    const { asked } = await refuses(
      { ...tag, [`referrers/${DIGEST}`]: reply },
      'package_fetch_failed',
      /signature cannot be read/,
    );
    assert.not(asked.includes(`manifests/${tagOf(DIGEST)}`), JSON.stringify(reply));
  }
});

test('an empty list means no signature: the tag is not asked, whatever it holds', async () => {
  const one = attached(IMAGE.manifest, good);
  const replies = { ...byList(), [`manifests/${tagOf(DIGEST)}`]: listOf(referrers([one])), ...stored([one]) };
  const { asked } = await refuses(replies, 'package_unverified', /it has none/);
  assert.not(asked.includes(`manifests/${tagOf(DIGEST)}`));
});

test('an error of the tag is an error, and no signature there is none [PACKAGE-006]', async () => {
  await refuses({}, 'package_unverified', /it has none/);
  for (const status of [401, 403, 429, 500, 503])
    await refuses({ [`manifests/${tagOf(DIGEST)}`]: { status } }, 'package_fetch_failed', /signature cannot be read/);
  // An image under that tag is no list.
  await refuses({ [`manifests/${tagOf(DIGEST)}`]: listOf(IMAGE.manifest) }, 'package_fetch_failed', /something else/);
});

test('the first good signature is enough, whatever stands before it or beside it', async () => {
  const wrong = await signStatement(sigstore, statement(DIGEST), { identity: 'https://someone.test/else' });
  const report = blob('application/vnd.in-toto+json', '{}');
  const images = [
    attached(IMAGE.manifest, Buffer.from('no bundle')),
    attached(IMAGE.manifest, wrong),
    attached(IMAGE.manifest, report.bytes, { artifactType: 'application/vnd.example.report' }),
    attached(IMAGE.manifest, good),
    attached(IMAGE.manifest, Buffer.from('never looked at')),
  ];
  const { receipt, asked } = await signed(byList(...images));
  assert.is(receipt?.signer?.identity, IDENTITY);
  assert.not(asked.includes(`manifests/${images[2]?.manifest.digest}`));
  assert.not(asked.includes(`manifests/${images[4]?.manifest.digest}`));
  // One that is listed but gone does not hide the next.
  const gone = { ...byList(...images), [`manifests/${images[0]?.manifest.digest}`]: { status: 404 } };
  assert.is((await signed(gone)).receipt?.signer?.identity, IDENTITY);
  const failing = { ...byList(...images), [`manifests/${images[0]?.manifest.digest}`]: { status: 500 } };
  await refuses(failing, 'package_fetch_failed', /signature cannot be read/);
});

test('a list that goes on is followed within itself, and nowhere else', async () => {
  const one = attached(IMAGE.manifest, good);
  const page = (link: string, ...images: Image[]): Reply => {
    const { body, headers } = listOf(referrers(images));
    return { ...(body === undefined ? {} : { body }), headers: { ...headers, link } };
  };
  const path = `referrers/${DIGEST}`;
  const next = `</v2/acme/sample/${path}?n=2>; rel="next"`;
  const replies = { ...stored([one]), [path]: page(next), [`${path}?n=2`]: listOf(referrers([one])) };
  assert.is((await signed(replies)).receipt?.verification, 'sha256+sigstore');
  await refuses(
    { [path]: page(next), [`${path}?n=2`]: page(next) },
    'package_fetch_failed',
    /more .* than this server reads/,
  );
  await refuses({ ...replies, [`${path}?n=2`]: { status: 404 } }, 'package_fetch_failed', /signature cannot be read/);
  for (const link of ['</v2/other/referrers/x?n=2>; rel="next"', 'nonsense', `<https://evil.test/?n=2>; rel="next"`])
    await refuses({ ...replies, [path]: page(link) }, 'package_fetch_failed', /something else/);
});

test('a bundle whose manifest says otherwise is not taken: subject, kind, number and size of its layers, bytes', async () => {
  const other = image(sampleLayers(), { annotations: { a: 'b' } });
  const layer = blob(BUNDLE, good);
  const cases: readonly [Image, RegExp][] = [
    [attached(other.manifest, good), /attached to another package/],
    [attached(IMAGE.manifest, good, { subject: undefined }), /attached to another package/],
    [attached(IMAGE.manifest, good, { layers: [] }), /exactly one bundle/],
    [
      attached(IMAGE.manifest, good, {
        layers: [layer, layer].map(({ mediaType, digest, size }) => ({ mediaType, digest, size })),
      }),
      /exactly one bundle/,
    ],
    [
      attached(IMAGE.manifest, good, { layers: [{ mediaType: 'text/plain', digest: layer.digest, size: layer.size }] }),
      /exactly one bundle/,
    ],
    [
      attached(IMAGE.manifest, good, { layers: [{ mediaType: BUNDLE, digest: layer.digest, size: 300_000 }] }),
      /larger than 256 KiB/,
    ],
    [attached(IMAGE.manifest, good, { schemaVersion: 1 }), /another kind/],
  ];
  for (const [one, words] of cases) await refuses(byList(one), 'package_unverified', words);
  const one = attached(IMAGE.manifest, good);
  const changed = { ...byList(one), [`blobs/${layer.digest}`]: { body: Buffer.alloc(layer.size, 'x') } };
  await refuses(changed, 'package_unverified', /not the one its manifest names/);
  const lying = {
    ...byList(one),
    [`manifests/${one.manifest.digest}`]: listOf(attached(IMAGE.manifest, good, { a: 1 }).manifest),
  };
  await refuses(lying, 'package_unverified', /not the one that was asked for/);
});

test('no more than 32 signatures are looked at, and the refusal says so', async () => {
  const bad = Array.from({ length: 33 }, (_, at) => attached(IMAGE.manifest, Buffer.from(`no bundle ${at}`)));
  const { asked } = await refuses(
    byList(...bad, attached(IMAGE.manifest, good)),
    'package_unverified',
    /none of the first 32/,
  );
  assert.is(asked.filter((path) => path.startsWith('blobs/') && path !== 'blobs/').length <= 33, true);
  const twice = attached(IMAGE.manifest, Buffer.from('no bundle'));
  const once = await refuses(byList(twice, twice, twice), 'package_unverified', /its signature is not one/);
  assert.is(once.asked.filter((path) => path === `manifests/${twice.manifest.digest}`).length, 1);
});

test('a policy that is empty, incomplete or malformed means nobody, never anyone [PACKAGE-007]', async () => {
  const replies = byList(attached(IMAGE.manifest, good));
  for (const policy of [
    { requireSignature: true },
    { requireSignature: true, issuer: ISSUER },
    { requireSignature: true, identity: IDENTITY },
    { ...SIGNED, identity: '' },
    { ...SIGNED, issuer: '' },
    { requireSignature: true, issuer: ISSUER, identity: '*' },
    { requireSignature: true, issuer: '*', identity: IDENTITY },
    { requireSignature: true, issuer: '.*', identity: '.*' },
  ])
    await refuses(replies, 'package_unverified', /does not say|another signer/, { policy });
});

test('an add-on is not installed from a library that names the signer by a pattern, even one that fits [BACKENDS-034]', async () => {
  const policy = { requireSignature: true, issuer: ISSUER, identityRegex: '^https://.+$' };
  const { asked } = await refuses(byList(attached(IMAGE.manifest, good)), 'package_unverified', /pattern/, { policy });
  assert.equal(asked, []);
});

test('without keys to verify with, nothing is installed and nothing of the package is fetched [PACKAGE-044]', async () => {
  const signatures = createSignatureCheck({ verifier: async () => ({ _tag: 'Left', left: 'there are no keys' }) });
  await refuses(byList(attached(IMAGE.manifest, good)), 'package_fetch_failed', /there are no keys/, { signatures });
});

test('without the opt-in no request for a signature goes over plain HTTP either [PACKAGE-038]', async () => {
  const policy = { ...SIGNED, allowLoopbackHTTP: false };
  const { asked } = await refuses(byList(attached(IMAGE.manifest, good)), 'package_fetch_failed', /./, { policy });
  assert.equal(asked, []);
});

test('the signature of a moving tag is that of the image it led to, and this image is installed even when the tag moves meanwhile [DIST-044]', async () => {
  const moved = image(sampleLayers(), { annotations: { moved: 'yes' } });
  const lists = [IMAGE, moved].map((one) => index([{ image: one.manifest, platform: AMD64 }]));
  let reads = 0;
  const replies: Replies = {
    ...byList(attached(IMAGE.manifest, good)),
    ...named(moved.manifest),
    ...served(moved.blobs),
    'manifests/1.0.0': () => {
      reads += 1;
      return listOf(lists[Math.min(reads, 2) - 1] ?? IMAGE.manifest);
    },
  };
  const { receipt } = await signed(replies, { release: { digest: '', mutable: true } });
  assert.is(reads, 1);
  assert.is(receipt?.digest, DIGEST);
  assert.is(receipt?.digest, digestOf(IMAGE.manifest.bytes));
  assert.is(receipt?.verification, 'sha256+sigstore');
});

test.run();
