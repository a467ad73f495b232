/** A trust root that the operator provides for a private Sigstore: configuration of the host, never of a library or a package (06:213-219). */
import { type FileHandle, open } from 'node:fs/promises';
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import type { TrustSource } from './signature-check.js';

/**
 * Reads the file once, at the start. Left, in words that quote nothing of it: it cannot be read, others may write it, or it is not a
 * `trusted_root.json` that could verify a signature.
 */
export async function readTrustFile(path: string): Promise<Either<string, TrustSource>> {
  const problem = (why: string) => left(`The file of --sigstore-trusted-root ${why}. Nothing was started.`);
  const { MAX_TRUST_ROOT_BYTES, readTrustRoot } = await import('./trust-root.js');
  const bytes = await readGuarded(path, MAX_TRUST_ROOT_BYTES);
  if (isLeft(bytes)) return problem(bytes.left);
  const verifier = readTrustRoot(bytes.right);
  return isLeft(verifier) ? problem(verifier.left) : right({ verifier: async () => verifier });
}

async function readGuarded(path: string, maxBytes: number): Promise<Either<string, Uint8Array>> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const stat = await handle.stat();
    if (!stat.isFile()) return left('is not a regular file');
    // Whoever can write it decides whose signatures count.
    if ((stat.mode & 0o022) !== 0) return left('can be written by other users; give it mode 0644');
    if (stat.size > maxBytes) return left('is larger than 1 MiB');
    return right(await handle.readFile());
  } catch {
    return left('cannot be read');
  } finally {
    await handle?.close();
  }
}
