/**
 * A whole Sigstore on loopback: certificate authority, certificate log, transparency log and time stamps with keys of its own, for the
 * real signing client. Parts of two of them can be mixed, so that a test can break any one link of the chain.
 */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Bundle, bundleToJSON, toMessageSignatureBundle } from '@sigstore/bundle';
import {
  fulcioHandler,
  initializeCA,
  initializeCTLog,
  initializeTLog,
  initializeTSA,
  rekorHandler,
  tsaHandler,
} from '@sigstore/mock';
import {
  type Artifact,
  DSSEBundleBuilder,
  FulcioSigner,
  MessageSignatureBundleBuilder,
  RekorWitness,
  type Signature,
  TSAWitness,
} from '@sigstore/sign';

export const ISSUER = 'https://token.actions.example.test';
export const IDENTITY = 'https://github.com/acme/addons/.github/workflows/addons-package.yml@refs/tags/v1.2.3';
export const SIGN_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
export const STATEMENT = 'https://in-toto.io/Statement/v1';

const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();
/**
 * Whole seconds, since the mock stamps milliseconds and a time with a trailing zero would be one that no verifier reads; and a minute
 * ahead, since the certificates of its authorities begin when they are made, however long this machine takes for that.
 */
const wholeSecond = () => new Date(Math.floor(Date.now() / 1000) * 1000 + 60_000);

export interface Sigstore {
  readonly url: string;
  readonly trustedRoot: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

export interface SigstoreOptions {
  /** Seconds that the transparency log's clock is ahead. */
  readonly rekorAhead?: number;
  /** The authority submits its certificates to no log. */
  readonly withoutCtLog?: boolean;
}

export async function startSigstore(options: SigstoreOptions = {}): Promise<Sigstore> {
  const handlers = new Map<string, (body: string) => Promise<{ statusCode: number; response: unknown }>>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', async () => {
      const handle = handlers.get(request.url ?? '');
      const answer = handle === undefined ? { statusCode: 404, response: '' } : await handle(body);
      response.writeHead(answer.statusCode, { 'content-type': 'application/json' });
      response.end(typeof answer.response === 'string' ? answer.response : Buffer.from(answer.response as Uint8Array));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = wholeSecond();
  const ct = await initializeCTLog(keys(), clock);
  const ca = await initializeCA(keys(), options.withoutCtLog ? undefined : ct, clock);
  const tlog = await initializeTLog(url, keys(), new Date(clock.getTime() + (options.rekorAhead ?? 0) * 1000));
  const tsa = await initializeTSA(keys(), clock);
  const rekor = rekorHandler(tlog);
  handlers.set(rekor.path, (body) => rekor.fn(recorded(body)));
  for (const { path, fn } of [fulcioHandler(ca), tsaHandler(tsa)]) handlers.set(path, fn);
  // An hour earlier: a root that starts the moment before it signs is refused.
  const validFor = { start: new Date(clock.getTime() - 3_600_000).toISOString() };
  const log = (key: Uint8Array, id: ArrayBufferView) => ({
    baseUrl: url,
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: base64(key), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
    logId: { keyId: base64(id) },
  });
  const authority = (...certificates: ArrayBufferView[]) => ({
    subject: { organization: 'test', commonName: 'test' },
    uri: url,
    certChain: { certificates: certificates.map((der) => ({ rawBytes: base64(der) })) },
    validFor,
  });
  return {
    url,
    trustedRoot: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [log(tlog.publicKey, sha256(tlog.publicKey))],
      certificateAuthorities: [authority(ca.rootCertificate)],
      ctlogs: [log(ct.publicKey, ct.logID)],
      timestampAuthorities: [authority(tsa.intCertificate, tsa.rootCertificate)],
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const base64 = (view: ArrayBufferView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('base64');

/** A transparency log keeps hashes of an envelope; the mock would echo the envelope itself. */
function recorded(body: string): string {
  const entry = JSON.parse(body) as {
    kind: string;
    spec: { proposedContent?: { envelope: string; verifiers: string[] } };
  };
  const proposed = entry.spec.proposedContent;
  if (entry.kind !== 'dsse' || proposed === undefined) return body;
  const envelope = JSON.parse(proposed.envelope) as { payload: string; signatures: { sig: string }[] };
  const hash = (value: Uint8Array | string) => ({ algorithm: 'sha256', value: sha256(value).toString('hex') });
  return JSON.stringify({
    ...entry,
    spec: {
      envelopeHash: hash(proposed.envelope),
      payloadHash: hash(Buffer.from(envelope.payload, 'base64')),
      signatures: envelope.signatures.map(({ sig }) => ({ signature: sig, verifier: proposed.verifiers[0] })),
    },
  });
}

export interface SignOptions {
  readonly identity?: string;
  readonly issuer?: string;
  /** Parts of another Sigstore in the place of those of `sigstore`. */
  readonly fulcio?: Sigstore;
  readonly rekor?: Sigstore;
  readonly tsa?: Sigstore;
  /** Further time stamps than the log's own. */
  readonly stamped?: boolean;
  readonly unlogged?: boolean;
}

function parts(sigstore: Sigstore, options: SignOptions) {
  const claims = { sub: options.identity ?? IDENTITY, iss: options.issuer ?? ISSUER, aud: 'sigstore' };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`;
  const signer = new FulcioSigner({
    fulcioBaseURL: (options.fulcio ?? sigstore).url,
    identityProvider: { getToken: async () => token },
  });
  const rekor = (options.rekor ?? sigstore).url;
  const witnesses = [
    ...(options.unlogged ? [] : [new RekorWitness({ rekorBaseURL: rekor, entryType: 'dsse' })]),
    ...(options.stamped ? [new TSAWitness({ tsaBaseURL: (options.tsa ?? sigstore).url })] : []),
  ];
  return { signer, witnesses };
}

const jsonOf = (bundle: Bundle) => Buffer.from(JSON.stringify(bundleToJSON(bundle)));

/** The statement that a signer makes about an image; `changes` replace its fields. */
export const statement = (digest: string, changes: object = {}): object => ({
  _type: STATEMENT,
  subject: [{ name: 'image', digest: { sha256: digest.replace('sha256:', '') } }],
  predicateType: SIGN_PREDICATE,
  ...changes,
});

/** A bundle with a signed statement, as signing tools make it today. */
export async function signStatement(
  sigstore: Sigstore,
  content: object | string,
  options: SignOptions & { readonly payloadType?: string } = {},
): Promise<Buffer> {
  const builder = new DSSEBundleBuilder({ ...parts(sigstore, options), certificateChain: false });
  const data = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  return jsonOf(await builder.create({ data, type: options.payloadType ?? 'application/vnd.in-toto+json' }));
}

class LatestMessageBuilder extends MessageSignatureBundleBuilder {
  protected override async package(artifact: Artifact, signature: Signature) {
    if (signature.key.$case !== 'x509Certificate') throw new Error('no certificate');
    const pem = signature.key.certificate.replace(/-----[A-Z ]+-----|\s/g, '');
    return toMessageSignatureBundle({
      digest: sha256(artifact.data),
      signature: signature.signature,
      certificate: Buffer.from(pem, 'base64'),
      certificateChain: false,
    });
  }
}

/** A bundle with a signature over the bytes themselves. */
export async function signBytes(sigstore: Sigstore, bytes: Uint8Array, options: SignOptions = {}): Promise<Buffer> {
  const builder = new LatestMessageBuilder(parts(sigstore, options));
  return jsonOf(await builder.create({ data: Buffer.from(bytes) }));
}

/** A bundle as JSON, as far as tests change it. */
export interface BundleJson {
  mediaType: string;
  verificationMaterial: {
    certificate?: { rawBytes: string };
    publicKey?: { hint: string };
    tlogEntries: {
      logIndex: string;
      integratedTime: string;
      inclusionPromise?: { signedEntryTimestamp: string };
      inclusionProof?: { rootHash: string; checkpoint: { envelope: string } };
      canonicalizedBody: string;
    }[];
    timestampVerificationData?: { rfc3161Timestamps: { signedTimestamp: string }[] };
  };
  dsseEnvelope?: { payload: string; payloadType: string; signatures: { sig: string; keyid: string }[] };
  messageSignature?: { messageDigest: { algorithm: string; digest: string }; signature: string };
}

export const readBundle = (bundle: Uint8Array): BundleJson =>
  JSON.parse(Buffer.from(bundle).toString('utf8')) as BundleJson;

/** The bundle with one of its parts changed. */
export function tampered(bundle: Uint8Array, change: (value: BundleJson) => void): Buffer {
  const value = readBundle(bundle);
  change(value);
  return Buffer.from(JSON.stringify(value));
}

export const trustedRootBytes = (sigstore: Sigstore, changes: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ ...sigstore.trustedRoot, ...changes }));
