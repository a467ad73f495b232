/** The trust root of the public Sigstore, kept current by its update framework (TUF): what counts where the operator names none (06:216-217). */
import type { Verifier } from '@sigstore/verify';
import type { Clock, Log } from '../../commands/ports.js';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { unlessAborted } from '../../contract/unless-aborted.js';
import type { TrustSource } from './signature-check.js';

export interface PublicTrustOptions {
  /** Absolute, private to the owner: the last verified metadata, where the next update begins. */
  readonly cachePath: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Another repository than the public one, with the first root it is known by. */
  readonly mirror?: { readonly url: string; readonly rootPath: string };
}

/** As long as the signing tools of Sigstore use what they fetched. */
const FRESH_MS = 24 * 3_600_000;
const REQUEST_MS = 10_000;
const RETRIES = 1;

const UNREACHABLE =
  'the keys of the public Sigstore could not be fetched or verified; check the network, then try again';

/** Asks the network at most once at a time and once a day; without an answer nothing verifies. */
export function publicTrust(options: PublicTrustOptions): TrustSource {
  let known: { readonly at: number; readonly root: Promise<Either<string, Verifier>> } | undefined;
  const current = (): Promise<Either<string, Verifier>> => {
    const now = options.clock.now().getTime();
    if (known !== undefined && now - known.at < FRESH_MS && now >= known.at) return known.root;
    const asked = { at: now, root: load(options) };
    known = asked;
    return asked.root.then((root) => {
      if (isLeft(root) && known === asked) known = undefined;
      return root;
    });
  };
  return { verifier: (signal) => unlessAborted(current(), signal, left('it was cancelled')) };
}

async function load({ cachePath, log, mirror }: PublicTrustOptions): Promise<Either<string, Verifier>> {
  try {
    const [{ getTrustedRoot }, { verifierOf }] = await Promise.all([
      import('./update-framework.js'),
      import('./trust-root.js'),
    ]);
    const root = await getTrustedRoot({
      cachePath,
      timeout: REQUEST_MS,
      retry: { retries: RETRIES },
      ...(mirror === undefined ? {} : { mirrorURL: mirror.url, rootPath: mirror.rootPath }),
    });
    const verifier = verifierOf(root);
    return isLeft(verifier) ? left(`the trust root of the public Sigstore ${verifier.left}`) : right(verifier.right);
  } catch (error) {
    // The error itself only says which step failed; its cause says what the network or the check of the signatures did.
    const { cause } = error as { readonly cause?: unknown };
    const why = cause instanceof Error ? cause.message : undefined;
    log.warn({ err: error, why }, 'the trust root of the public Sigstore could not be had');
    return left(UNREACHABLE);
  }
}
