/** One Sigstore bundle against a trust root and a signer: what is taken, and every link of the chain that can be broken. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verifier } from '@sigstore/verify';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { MAX_BUNDLE_BYTES, verifyBundle } from '../../../src/packages/signatures/bundle.js';
import { signerRule } from '../../../src/packages/signatures/signer-rule.js';
import { readTrustRoot } from '../../../src/packages/signatures/trust-root.js';
import { assert, suite } from '../../support/harness.js';
import { digestOf } from '../../support/oci-image.js';
import {
  type BundleJson,
  IDENTITY,
  ISSUER,
  readBundle,
  type Sigstore,
  signBytes,
  signStatement,
  startSigstore,
  statement,
  tampered,
  trustedRootBytes,
} from '../../support/sigstore.js';

const test = suite('signature bundles');
const MANIFEST = Buffer.from('{"schemaVersion":2,"layers":[]}');
const OTHER = Buffer.from('{"schemaVersion":2,"layers":[ ]}');
const DIGEST = digestOf(MANIFEST);

let home: Sigstore;
/** The same in everything but its keys. */
let foreign: Sigstore;
/** Its authority submits nothing to a certificate log. */
let unlogged: Sigstore;
/** Its transparency log is twenty minutes ahead, longer than a certificate lives. */
let late: Sigstore;
let signed: Buffer;
let message: Buffer;

test.before(async () => {
  [home, foreign, unlogged, late] = await Promise.all([
    startSigstore(),
    startSigstore(),
    startSigstore({ withoutCtLog: true }),
    startSigstore({ rekorAhead: 1_200 }),
  ]);
  signed = await signStatement(home, statement(DIGEST));
  message = await signBytes(home, MANIFEST);
});
test.after(async () => {
  await Promise.all([home, foreign, unlogged, late].map((sigstore) => sigstore.close()));
});

function judge(bundle: Uint8Array, ask: { policy?: object; bytes?: Uint8Array; root?: Uint8Array } = {}) {
  const rule = signerRule({ requireSignature: true, issuer: ISSUER, identity: IDENTITY, ...ask.policy });
  if (isLeft(rule)) throw new Error(rule.left);
  const verifier = readTrustRoot(ask.root ?? trustedRootBytes(home));
  if (isLeft(verifier)) throw new Error(verifier.left);
  const bytes = ask.bytes ?? MANIFEST;
  return verifyBundle(bundle, { bytes, digest: digestOf(bytes) }, rule.right, verifier.right);
}
function taken(bundle: Uint8Array, ask: Parameters<typeof judge>[1] = {}) {
  const result = judge(bundle, ask);
  if (isLeft(result)) throw new Error(result.left);
  return result.right;
}
function refused(bundle: Uint8Array, why: RegExp, ask: Parameters<typeof judge>[1] = {}) {
  const result = judge(bundle, ask);
  if (isRight(result)) throw new Error('the signature was accepted');
  assert.match(result.left, why);
}

test('a statement and a plain signature over the manifest are taken, and say who signed [PACKAGE-007]', () => {
  assert.equal(taken(signed), { issuer: ISSUER, identity: IDENTITY });
  assert.equal(taken(message), { issuer: ISSUER, identity: IDENTITY });
});

test('a further time stamp of a trusted service is taken, one of another service is not [PACKAGE-044]', async () => {
  taken(await signStatement(home, statement(DIGEST), { stamped: true }));
  refused(await signStatement(home, statement(DIGEST), { stamped: true, tsa: foreign }), /time/);
});

test('another identity or another issuer is refused, also one that only contains or begins with the right one [PACKAGE-007]', async () => {
  for (const identity of [
    IDENTITY.replace('v1.2.3', 'v1.2.4'),
    `${IDENTITY}4`,
    IDENTITY.slice(0, -1),
    IDENTITY.toUpperCase(),
    `https://evil.test/?${IDENTITY}`,
    IDENTITY.replaceAll('.', 'x'),
  ]) {
    refused(await signStatement(home, statement(DIGEST), { identity }), /another signer/);
    refused(signed, /another signer/, { policy: { identity } });
  }
  for (const issuer of [`${ISSUER}/`, 'https://accounts.example.test', ISSUER.replace('https', 'http')]) {
    refused(await signStatement(home, statement(DIGEST), { issuer }), /another signer/);
    refused(signed, /another signer/, { policy: { issuer } });
  }
});

test('the identity of a policy is no pattern, and a pattern is not unanchored [BACKENDS-032]', () => {
  refused(signed, /another signer/, { policy: { identity: '.*' } });
  refused(signed, /another signer/, { policy: { identity: 'acme/addons' } });
  const pattern = (identityRegex: string) => ({ policy: { identity: undefined, identityRegex } });
  taken(
    signed,
    pattern('^https://github\\.com/acme/addons/\\.github/workflows/[a-z-]+\\.yml@refs/(heads/main|tags/.+)$'),
  );
  refused(signed, /another signer/, pattern('^https://github\\.com/acme$'));
});

test('a pattern takes signers of a branch and of a tag alike, and nobody else [BACKENDS-030] [BACKENDS-065]', async () => {
  const at = (ref: string) => `https://github.com/mudler/LocalAI/.github/workflows/backend_merge.yml@refs/${ref}`;
  const identityRegex =
    '^https://github\\.com/mudler/LocalAI/\\.github/workflows/backend_merge\\.yml@refs/(heads/master|tags/.+)$';
  const policy = { identity: undefined, identityRegex };
  for (const ref of ['heads/master', 'tags/v3.1.0'])
    taken(await signStatement(home, statement(DIGEST), { identity: at(ref) }), { policy });
  for (const ref of ['heads/master2', 'heads/feature', 'tags/'])
    refused(await signStatement(home, statement(DIGEST), { identity: at(ref) }), /another signer/, { policy });
});

test('the bundle of another artifact is refused, in either form [PACKAGE-007]', async () => {
  refused(signed, /another package/, { bytes: OTHER });
  refused(message, /another package/, { bytes: OTHER });
  // The digest of this package written into the bundle of another does not help: the bytes are compared.
  const other = await signBytes(home, OTHER);
  refused(
    tampered(other, (value) => {
      if (value.messageSignature)
        value.messageSignature.messageDigest.digest = Buffer.from(DIGEST.slice(7), 'hex').toString('base64');
    }),
    /not fit|another signature/,
  );
});

test('a statement of another kind, version or form signs nothing here', async () => {
  const sign = (changes: object) => signStatement(home, statement(DIGEST, changes));
  refused(await sign({ predicateType: 'https://slsa.dev/provenance/v1' }), /another kind/);
  refused(await sign({ predicateType: `https://sigstore.dev/cosign/sign/v1/` }), /another kind/);
  refused(await sign({ predicateType: undefined }), /another kind/);
  refused(await sign({ _type: 'https://in-toto.io/Statement/v0.1' }), /version/);
  refused(await sign({ subject: [] }), /another package/);
  refused(await sign({ subject: [{ name: 'image' }] }), /another package/);
  refused(await sign({ subject: [{ name: 'image', digest: { sha512: DIGEST.slice(7) } }] }), /another package/);
  refused(await sign({ subject: [{ digest: { sha256: DIGEST } }] }), /another package/);
  refused(await sign({ subject: { digest: { sha256: DIGEST.slice(7) } } }), /malformed/);
  refused(await sign({ subject: undefined }), /malformed/);
  refused(await signStatement(home, 'no JSON'), /malformed/);
  const twice = JSON.stringify(statement(digestOf(OTHER))).replace(
    '"subject":',
    `"subject":[{"digest":{"sha256":"${DIGEST.slice(7)}"}}],"subject":`,
  );
  refused(await signStatement(home, twice), /malformed/);
  refused(await signStatement(home, statement(DIGEST), { payloadType: 'application/json' }), /not a statement/);
  taken(await sign({ predicate: {} }));
});

test('a changed payload, signature, certificate or log entry is refused', async () => {
  const change = (edit: (value: BundleJson) => void, bundle = signed) => tampered(bundle, edit);
  const b64 = (text: string) => Buffer.from(text).toString('base64');
  const other = await signStatement(home, statement(DIGEST));
  const swapped = readBundle(other);
  refused(
    change(({ dsseEnvelope }) => {
      if (dsseEnvelope) dsseEnvelope.payload = b64(JSON.stringify(statement(DIGEST, { predicate: {} })));
    }),
    /another signature/,
  );
  refused(
    change(({ dsseEnvelope }) => {
      if (dsseEnvelope && swapped.dsseEnvelope) dsseEnvelope.signatures = swapped.dsseEnvelope.signatures;
    }),
    /another signature/,
  );
  refused(
    change(({ verificationMaterial }) => {
      if (swapped.verificationMaterial.certificate)
        verificationMaterial.certificate = swapped.verificationMaterial.certificate;
    }),
    /not fit/,
  );
  refused(
    change(({ verificationMaterial }) => {
      verificationMaterial.tlogEntries = swapped.verificationMaterial.tlogEntries;
    }),
    /another signature/,
  );
  refused(
    change(({ verificationMaterial: { tlogEntries } }) => {
      for (const entry of tlogEntries) entry.integratedTime = String(Number(entry.integratedTime) + 1);
    }),
    /transparency log/,
  );
  refused(
    change(({ messageSignature }) => {
      if (messageSignature) messageSignature.signature = b64('nothing');
    }, message),
    /not fit|another signature/,
  );
});

test('no link of the chain may be missing or of another deployment: authority, certificate log, transparency log [PACKAGE-044]', async () => {
  refused(signed, /certificate/, { root: trustedRootBytes(foreign) });
  const mixed = (changes: object) => ({ root: trustedRootBytes(home, changes) });
  refused(signed, /certificate/, mixed({ certificateAuthorities: foreign.trustedRoot.certificateAuthorities }));
  refused(signed, /certificate/, mixed({ ctlogs: foreign.trustedRoot.ctlogs }));
  refused(signed, /transparency log/, mixed({ tlogs: foreign.trustedRoot.tlogs }));
  refused(await signStatement(home, statement(DIGEST), { fulcio: foreign }), /certificate/);
  refused(await signStatement(home, statement(DIGEST), { rekor: foreign }), /transparency log/);
  // A time stamp alone is not enough: the log is required too.
  refused(await signStatement(home, statement(DIGEST), { unlogged: true, stamped: true }), /transparency log/);
  refused(await signStatement(home, statement(DIGEST), { unlogged: true }), /time|valid/);
  refused(await signStatement(unlogged, statement(DIGEST)), /certificate/, { root: trustedRootBytes(unlogged) });
});

test('a certificate that was not valid when it signed is refused, one that expired since is taken', async () => {
  refused(await signStatement(late, statement(DIGEST)), /certificate/, { root: trustedRootBytes(late) });
  const old = home.trustedRoot.certificateAuthorities as { validFor: object }[];
  const ended = old.map((entry) => ({
    ...entry,
    validFor: { start: '2020-01-01T00:00:00Z', end: '2021-01-01T00:00:00Z' },
  }));
  refused(signed, /certificate/, { root: trustedRootBytes(home, { certificateAuthorities: ended }) });
});

test('a promise or a proof of the log that is taken out or changed is refused', () => {
  const entry = (edit: (entry: BundleJson['verificationMaterial']['tlogEntries'][number]) => void) =>
    tampered(signed, ({ verificationMaterial: { tlogEntries } }) => tlogEntries.forEach(edit));
  refused(
    entry((log) => void delete log.inclusionPromise),
    /time/,
  );
  refused(
    entry((log) => void delete log.inclusionProof),
    /valid/,
  );
  refused(
    entry((log) => {
      const checkpoint = log.inclusionProof?.checkpoint;
      if (checkpoint) checkpoint.envelope = checkpoint.envelope.replace('\n1\n', '\n2\n');
    }),
    /transparency log/,
  );
  refused(
    entry((log) => {
      if (log.inclusionPromise) log.inclusionPromise.signedEntryTimestamp = Buffer.alloc(70).toString('base64');
    }),
    /transparency log/,
  );
  refused(
    tampered(signed, ({ verificationMaterial }) => {
      verificationMaterial.tlogEntries = [];
    }),
    /valid|time|log/,
  );
});

test('a bare key, a crowd of proofs, an oversized bundle and anything that is no bundle are refused', () => {
  refused(
    tampered(signed, ({ verificationMaterial }) => {
      delete verificationMaterial.certificate;
      verificationMaterial.publicKey = { hint: 'key' };
    }),
    /bare key/,
  );
  refused(
    tampered(signed, ({ verificationMaterial }) => {
      verificationMaterial.tlogEntries = Array.from({ length: 9 }, () => verificationMaterial.tlogEntries[0]).flatMap(
        (entry) => entry ?? [],
      );
    }),
    /more proofs/,
  );
  refused(Buffer.concat([signed, Buffer.alloc(MAX_BUNDLE_BYTES, ' ')]), /larger than 256 KiB/);
  for (const text of [
    '',
    '{}',
    '[]',
    'null',
    '1',
    '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}',
    'x',
  ])
    refused(Buffer.from(text), /./);
  refused(
    tampered(signed, (value) => {
      value.mediaType = 'application/vnd.dev.sigstore.bundle.v9+json';
    }),
    /valid/,
  );
});

test('every byte of a bundle counts: one flipped in any of its parts is refused or changes nothing that is verified', () => {
  const text = signed.toString('utf8');
  const step = Math.max(1, Math.floor(text.length / 120));
  for (let at = 0; at < text.length; at += step) {
    const flipped = Buffer.from(signed);
    flipped[at] = (flipped[at] ?? 0) ^ 1;
    const result = judge(flipped);
    if (isRight(result)) assert.equal(result.right, { issuer: ISSUER, identity: IDENTITY });
  }
});

test('signatures that were kept verify without any service, long after their certificates expired', () => {
  const kept = (name: string) => readFileSync(join(process.cwd(), 'test/fixtures/signatures', name));
  const ask = { bytes: kept('manifest.json'), root: kept('trusted_root.json') };
  for (const name of ['statement.sigstore.json', 'message.sigstore.json']) {
    assert.equal(taken(kept(name), ask), { issuer: ISSUER, identity: IDENTITY });
    refused(kept(name), /another package/, { ...ask, bytes: OTHER });
    refused(kept(name), /not from an authority|transparency log|time/, { ...ask, root: trustedRootBytes(home) });
  }
});

test('whatever a verifier throws is a refusal', () => {
  const rule = signerRule({ requireSignature: true, issuer: ISSUER, identity: IDENTITY });
  if (isLeft(rule)) throw new Error(rule.left);
  for (const thrown of [new Error('invalid time'), new RangeError('stack'), new TypeError('x'), 'text', undefined]) {
    const verify = () => {
      throw thrown;
    };
    const result = verifyBundle(signed, { bytes: MANIFEST, digest: DIGEST }, rule.right, {
      verify,
    } as unknown as Verifier);
    assert.equal(result, { _tag: 'Left', left: 'it is not a valid signature' });
  }
  // One that verifies but names nobody is refused too.
  const nobody = { verify: () => ({ key: undefined }) } as unknown as Verifier;
  assert.ok(isLeft(verifyBundle(signed, { bytes: MANIFEST, digest: DIGEST }, rule.right, nobody)));
});

test.run();
