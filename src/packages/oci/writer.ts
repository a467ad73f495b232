/** Writes blobs and manifests to one repository of an OCI registry, for a publisher. No redirect is followed: a body goes nowhere else. */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { type Answer, httpSend, readBody, type Sending } from '../http-get.js';
import { namedByRegistry } from './address.js';
import type { RegistryAccess } from './registry.js';
import { answerChallenge } from './token.js';

/** The slowest upload that is waited for, in bytes a millisecond. */
const SLOWEST = 64;
const MAX_ANSWER_BYTES = 65_536;

export interface Upload {
  readonly digest: string;
  readonly size: number;
  /** The content from its start, for one attempt. */
  readonly open: () => ReadableStream<Uint8Array>;
}

export class RegistryWriter {
  private authorization: string | undefined;

  constructor(private readonly access: RegistryAccess) {}

  /** Whether the repository has a blob. A registry that sends this elsewhere is not believed, and the blob is sent again. */
  async has(digest: string): Promise<Either<string, boolean>> {
    const answer = await this.ask(this.url(`blobs/${digest}`), { method: 'HEAD' });
    if (isLeft(answer)) return answer;
    answer.right.close();
    const { status } = answer.right;
    if (status === 200) return right(true);
    return status === 404 || (status >= 300 && status < 400) ? right(false) : left(said(status));
  }

  async upload({ digest, size, open }: Upload): Promise<Either<string, void>> {
    const begun = await this.ask(this.url('blobs/uploads/'), { method: 'POST' });
    if (isLeft(begun)) return begun;
    begun.right.close();
    if (begun.right.status !== 202) return left(said(begun.right.status));
    const { origin, allowLoopbackHTTP } = this.access.address;
    const location = begun.right.headers.get('location') ?? '';
    const at = namedByRegistry(location, this.url('blobs/uploads/'), allowLoopbackHTTP);
    // The credential goes with the upload, and it is for this registry alone.
    if (at === undefined || at.origin !== origin) return left('the registry wants the content sent to another address');
    at.searchParams.set('digest', digest);
    const body = { size, stream: open() };
    const sent = await this.send(
      at,
      { method: 'PUT', contentType: 'application/octet-stream', body },
      this.timeFor(size),
    );
    if (isLeft(sent)) return sent;
    sent.right.close();
    return sent.right.status === 201 ? right(undefined) : left(said(sent.right.status));
  }

  /** `reference` is a digest or a tag. Left also when the registry says it stored something else. */
  async put(reference: string, mediaType: string, bytes: Uint8Array, digest: string): Promise<Either<string, void>> {
    const sent = await this.ask(this.url(`manifests/${reference}`), {
      method: 'PUT',
      contentType: mediaType,
      body: bytes,
    });
    if (isLeft(sent)) return sent;
    const { status, headers } = sent.right;
    const answer = await readBody(sent.right, MAX_ANSWER_BYTES, 'its answer is too large');
    if (status !== 201) return left(said(status));
    if (isLeft(answer)) return answer;
    const stored = headers.get('docker-content-digest');
    return stored === null || stored === digest
      ? right(undefined)
      : left('the registry stored another manifest than it was sent');
  }

  /** A challenge is answered once; the bodies sent here can be sent again. */
  private async ask(url: URL, send: Sending): Promise<Either<string, Answer>> {
    const { requestMs } = this.access.times;
    const first = await this.send(url, send, requestMs);
    if (isLeft(first) || first.right.status !== 401) return first;
    first.right.close();
    const { address, credential, fetch, clock, signal } = this.access;
    const http = { fetch, clock, signal, totalMs: requestMs, stallMs: requestMs };
    const challenge = first.right.headers.get('www-authenticate');
    const answered = await answerChallenge(challenge, { address, credential, http, actions: 'pull,push' });
    if (isLeft(answered)) return answered;
    this.authorization = answered.right;
    return this.send(url, send, requestMs);
  }

  private send(url: URL, send: Sending, ms: number): Promise<Either<string, Answer>> {
    const { fetch, clock, signal } = this.access;
    const { authorization } = this;
    const options = { fetch, clock, signal, totalMs: ms, stallMs: ms, send };
    return httpSend(url, authorization === undefined ? options : { ...options, authorization });
  }

  private timeFor(size: number): number {
    return this.access.times.requestMs + size / SLOWEST;
  }

  private url(path: string): URL {
    const { origin, repository } = this.access.address;
    return new URL(`${origin}/v2/${repository}/${path}`);
  }
}

function said(status: number): string {
  if (status === 401) return 'the registry did not take the credential';
  if (status === 403) return 'the registry does not allow it to be written';
  if (status === 429) return 'the registry is busy; try again later';
  return `the registry answered with status ${status}`;
}
