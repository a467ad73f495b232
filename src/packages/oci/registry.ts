/**
 * Reads one repository of an OCI registry: manifests and blobs, over HTTPS or opted-in loopback HTTP. Only the download of a blob
 * follows redirects, at most three, each to HTTPS or opted-in loopback, never with the credential (06:143-149, 190-195).
 */
import type { Clock } from '../../commands/ports.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Answer, answerProblem, type Fetch, httpSend, readBody } from '../http-get.js';
import { namedByRegistry, type RegistryAddress } from './address.js';
import type { RegistryCredential } from './credentials.js';
import { IMAGE_TYPES, INDEX_TYPES, MAX_DOCUMENT_BYTES } from './documents.js';
import { answerChallenge } from './token.js';

export interface RegistryTimes {
  /** For a manifest, a token or a config, from the request to the end of the answer. */
  readonly requestMs: number;
  /** For the next 16 KiB of a layer. */
  readonly stallMs: number;
  /** For one layer. */
  readonly layerMs: number;
}

export const REGISTRY_TIMES: RegistryTimes = { requestMs: 30_000, stallMs: 30_000, layerMs: 3_600_000 };

export interface RegistryAccess {
  readonly address: RegistryAddress;
  /** Of exactly the registry's origin. */
  readonly credential: RegistryCredential | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly times: RegistryTimes;
}

/** Why there is no answer. Only `absent`, a 404, may ever be a reason to look elsewhere; the words hold no address and no secret. */
export interface RegistryFailure {
  readonly absent: boolean;
  readonly message: string;
}

export interface RegistryDocument {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The `Link` header, where there is one: a list may go on elsewhere. */
  readonly link?: string;
}

interface Bounds {
  readonly totalMs: number;
  readonly stallMs: number;
  readonly stallBytes?: number;
}

const STALL_BYTES = 16_384;
const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];

const failed = (message: string): Either<RegistryFailure, never> => left({ absent: false, message });

export class Registry {
  /** The answer to the last challenge; goes to the registry's own origin only. */
  private authorization: string | undefined;

  constructor(private readonly access: RegistryAccess) {}

  /** The manifest or index that a tag or a digest names; the caller compares the bytes with the digest. */
  async document(reference: string): Promise<Either<RegistryFailure, RegistryDocument>> {
    return this.smallDocument(`manifests/${reference}`, [...IMAGE_TYPES, ...INDEX_TYPES].join(', '));
  }

  /** Any other JSON document of the repository below `/v2/<repository>/`, such as a list of referrers. */
  async smallDocument(path: string, accept: string): Promise<Either<RegistryFailure, RegistryDocument>> {
    const { requestMs } = this.access.times;
    const sent = await this.ask(this.url(path), { totalMs: requestMs, stallMs: requestMs }, accept);
    if (isLeft(sent)) return sent;
    const judged = judge(sent.right);
    if (isLeft(judged)) return judged;
    const bytes = await readBody(sent.right, MAX_DOCUMENT_BYTES, 'its manifest is larger than 4 MiB');
    if (isLeft(bytes)) return failed(bytes.left);
    const { headers } = sent.right;
    const link = headers.get('link');
    const contentType = headers.get('content-type') ?? '';
    return right({ bytes: bytes.right, contentType, ...(link === null ? {} : { link }) });
  }

  /** A blob as it streams in, for a layer. The caller counts and hashes what comes, and closes it. */
  async layer(digest: string): Promise<Either<RegistryFailure, Answer>> {
    const { layerMs, stallMs } = this.access.times;
    return this.blob(digest, { totalMs: layerMs, stallMs, stallBytes: STALL_BYTES });
  }

  /** A small blob as a whole, such as an image config; refuses more than `maxBytes`. */
  async smallBlob(digest: string, maxBytes: number): Promise<Either<RegistryFailure, Uint8Array>> {
    const { requestMs } = this.access.times;
    const sent = await this.blob(digest, { totalMs: requestMs, stallMs: requestMs });
    if (isLeft(sent)) return sent;
    const bytes = await readBody(sent.right, maxBytes, 'a part of it is larger than its manifest says');
    return isLeft(bytes) ? failed(bytes.left) : bytes;
  }

  private async blob(digest: string, bounds: Bounds): Promise<Either<RegistryFailure, Answer>> {
    let url = this.url(`blobs/${digest}`);
    let sent = await this.ask(url, bounds);
    for (let hops = 0; !isLeft(sent) && REDIRECTS.includes(sent.right.status); hops += 1) {
      const location = sent.right.headers.get('location') ?? '';
      sent.right.close();
      if (hops === MAX_REDIRECTS) return failed('its registry redirects a download more than three times');
      const target = namedByRegistry(location, url, this.access.address.allowLoopbackHTTP);
      if (target === undefined) return failed('its registry redirects a download to an address that is not allowed');
      url = target;
      // Not even back to the registry itself: the credential was for the request that was redirected.
      sent = await this.send(url, bounds);
    }
    return isLeft(sent) ? sent : judge(sent.right);
  }

  /** One request to the registry itself; a challenge is answered once. */
  private async ask(url: URL, bounds: Bounds, accept?: string): Promise<Either<RegistryFailure, Answer>> {
    const first = await this.send(url, bounds, accept, this.authorization);
    if (isLeft(first) || first.right.status !== 401) return first;
    first.right.close();
    const { address, credential, times } = this.access;
    const http = { ...this.http(), totalMs: times.requestMs, stallMs: times.requestMs };
    const answered = await answerChallenge(first.right.headers.get('www-authenticate'), { address, credential, http });
    if (isLeft(answered)) return failed(answered.left);
    this.authorization = answered.right;
    return this.send(url, bounds, accept, this.authorization);
  }

  private async send(
    url: URL,
    bounds: Bounds,
    accept?: string,
    authorization?: string,
  ): Promise<Either<RegistryFailure, Answer>> {
    const sent = await httpSend(url, {
      ...this.http(),
      ...bounds,
      ...(accept === undefined ? {} : { accept }),
      ...(authorization === undefined ? {} : { authorization }),
    });
    return isLeft(sent) ? failed(sent.left) : sent;
  }

  private http() {
    const { fetch, clock, signal } = this.access;
    return { fetch, clock, signal };
  }

  private url(path: string): URL {
    const { origin, repository } = this.access.address;
    return new URL(`${origin}/v2/${repository}/${path}`);
  }
}

/** A 200 with its content as it is; everything else is closed. */
function judge(answer: Answer): Either<RegistryFailure, Answer> {
  const problem = problemOf(answer);
  if (problem === undefined) return right(answer);
  answer.close();
  return left(problem);
}

function problemOf(answer: Answer): RegistryFailure | undefined {
  const { status } = answer;
  if (status === 404) return { absent: true, message: 'its registry does not have it' };
  const message =
    status === 401
      ? 'its registry did not take the credential'
      : status === 403
        ? 'its registry does not allow it to be read'
        : status === 429
          ? 'its registry is busy; try again later'
          : answerProblem(answer);
  return message === undefined ? undefined : { absent: false, message };
}
