/** Reads the certificate and the key of `--tls-cert` and `--tls-key`, and sees that they fit before anything is opened. */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Either, left, right } from '../contract/fp.js';
import type { TlsFiles } from '../http/server.js';

/** Left: one sentence that names the flag. Nothing of the key is in it. */
export function readTls(paths: { readonly certPath: string; readonly keyPath: string }): Either<string, TlsFiles> {
  const files: Buffer[] = [];
  for (const [flag, path] of [
    ['--tls-cert', paths.certPath],
    ['--tls-key', paths.keyPath],
  ] as const) {
    try {
      files.push(readFileSync(path));
    } catch (error) {
      return left(`${flag} names ${path}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
    }
  }
  const [cert, key] = files as [Buffer, Buffer];
  try {
    createSecureContext({ cert, key });
  } catch {
    return left('--tls-cert and --tls-key must be a certificate chain in PEM and the key that belongs to it.');
  }
  return right({ cert, key });
}
