/** Fetches and parses one library index; the adapter behind the `CatalogFetcher` port (06:42-51,97). */
import type { CatalogFetcher, Clock, LibraryListing, Log } from '../commands/ports.js';
import { type Either, isLeft, left, right } from '../contract/fp.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import { httpAddress } from './artifact-address.js';
import type { CredentialResolver } from './credentials.js';
import { type Fetch, httpGet, readBody } from './http-get.js';
import { MAX_INDEX_BYTES } from './index-format.js';
import { parseIndexInWorker } from './index-parser.js';
import type { LibraryIndex } from './library-index.js';

const REQUEST_TIMEOUT_MS = 30_000;

export interface CatalogFetcherOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Without it every source that names a credential is refused. */
  readonly credentials?: CredentialResolver;
  readonly fetch?: Fetch;
}

/**
 * A fetcher over HTTPS, or plain HTTP to a literal loopback address where the source opted in: no redirects, 30 s for the whole
 * answer, 1 MiB counted while reading. Every refusal is `library_unavailable` and holds no address, secret or remote text.
 */
export function createCatalogFetcher(options: CatalogFetcherOptions): CatalogFetcher {
  return {
    fetch: async (source, signal) => {
      const url = httpAddress(source.url, source.policy.allowLoopbackHTTP === true);
      if (isLeft(url)) return unavailable(url.left);
      const authorization = await authorizationFor(source.authReference, url.right, options.credentials);
      if (isLeft(authorization)) return unavailable(authorization.left);
      const answer = await httpGet(url.right, {
        fetch: options.fetch ?? globalThis.fetch,
        clock: options.clock,
        signal,
        totalMs: REQUEST_TIMEOUT_MS,
        stallMs: REQUEST_TIMEOUT_MS,
        ...(authorization.right === undefined ? {} : { authorization: authorization.right }),
      });
      if (isLeft(answer)) return unavailable(answer.left);
      const bytes = await readBody(answer.right, MAX_INDEX_BYTES, 'the index is larger than 1 MiB');
      if (isLeft(bytes)) return unavailable(bytes.left);
      const index = await parseIndexInWorker(
        bytes.right,
        { sourceId: source.id, allowLoopbackHTTP: source.policy.allowLoopbackHTTP === true },
        signal,
      );
      if (isLeft(index)) return unavailable(`the index was refused: ${index.left}`);
      return right(reported(index.right, source.id, options.log));
    },
  };
}

async function authorizationFor(
  reference: string | undefined,
  url: URL,
  credentials: CredentialResolver | undefined,
): Promise<Either<string, string | undefined>> {
  if (reference === undefined) return right(undefined);
  if (credentials === undefined) return left('the credential of this library is not set up');
  return credentials.authorization(reference, url);
}

/** The index; entries of unknown kinds are left out and counted in the log (04, "How a reader treats an unknown kind"). */
function reported(index: LibraryIndex, sourceId: string, log: Log): LibraryListing {
  if (index.skipped > 0)
    log.warn(
      { sourceId, skipped: index.skipped, skippedKinds: index.skippedKinds },
      'A library lists entries of kinds this version does not read; they were left out',
    );
  return index;
}

const unavailable = (why: string): Either<Refusal, never> =>
  left(
    refuse(
      'library_unavailable',
      `The library could not be read: ${why}. Nothing was changed. Check the library and refresh it.`,
    ),
  );
