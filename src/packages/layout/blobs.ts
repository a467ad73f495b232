/** The blobs of an OCI layout on disk: written under their digest, read back with digest and size checked (15:38-39). */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDirectory, openFile } from '../beneath.js';
import { syncPath } from '../stage-sync.js';
import type { Blob } from './formats.js';

/** What is wrong with a layout, as part of a sentence; thrown inside this folder and returned as a Left by its doors. */
export class LayoutProblem extends Error {}

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

const pathOf = (digest: string): string => `blobs/sha256/${digest.slice('sha256:'.length)}`;

export async function prepareBlobs(layout: string): Promise<void> {
  await mkdir(join(layout, 'blobs/sha256'), { recursive: true });
}

/** Writes a stream as a blob and answers its digest and size. */
export async function writeBlob(layout: string, chunks: AsyncIterable<Uint8Array>): Promise<Omit<Blob, 'mediaType'>> {
  const hash = createHash('sha256');
  const temporary = join(layout, 'blobs/sha256', `.${randomUUID()}`);
  const file = await open(temporary, 'wx', 0o644);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    await file.chmod(0o644);
    await file.sync();
  } finally {
    await file.close();
  }
  const digest = `sha256:${hash.digest('hex')}`;
  await rename(temporary, join(layout, pathOf(digest)));
  return { digest, size };
}

export const jsonBytes = (value: object): Buffer => Buffer.from(JSON.stringify(value));

/** The same bytes for the same value: the order of keys is the order they are given in. */
export async function writeJsonBlob<M extends string>(layout: string, mediaType: M, value: object) {
  const bytes = jsonBytes(value);
  const digest = `sha256:${sha256(bytes)}`;
  await writeSynced(join(layout, pathOf(digest)), bytes);
  return { mediaType, digest, size: bytes.length };
}

export async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(path, bytes, { mode: 0o644 });
  await syncPath(path);
}

/** The bytes of a small blob, whole and checked. Throws `LayoutProblem`. */
export async function readBlob(layout: string, blob: Blob, maxBytes: number, what: string): Promise<Buffer> {
  if (blob.size > maxBytes) throw new LayoutProblem(`${what} is larger than ${maxBytes} bytes`);
  const pieces: Buffer[] = [];
  for await (const piece of streamBlob(layout, blob, what)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A blob as a stream; throws `LayoutProblem` at its end when size or digest are not the declared ones. */
export async function* streamBlob(layout: string, blob: Blob, what: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of streamFile(layout, pathOf(blob.digest), what)) {
    size += chunk.length;
    if (size > blob.size) throw new LayoutProblem(`${what} is longer than declared`);
    hash.update(chunk);
    yield chunk;
  }
  if (size !== blob.size) throw new LayoutProblem(`${what} is shorter than declared`);
  if (`sha256:${hash.digest('hex')}` !== blob.digest)
    throw new LayoutProblem(`the content of ${what} does not have its digest`);
}

/** The bytes of a file of the layout that is no blob, cut off at `MAX_DOCUMENT_BYTES` by the caller's check. */
export async function readLayoutFile(layout: string, name: string, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of streamFile(layout, name, name)) {
    size += piece.length;
    if (size > maxBytes) throw new LayoutProblem(`${name} is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function* streamFile(layout: string, path: string, what: string): AsyncGenerator<Buffer> {
  let directory: number;
  try {
    directory = openDirectory(layout);
  } catch {
    throw new LayoutProblem('it is not a folder');
  }
  try {
    const file = await openFile(directory, path).catch(() => undefined);
    if (file === undefined) throw new LayoutProblem(`${what} is missing or no plain file`);
    try {
      for await (const chunk of file.createReadStream({ autoClose: false })) yield chunk as Buffer;
    } finally {
      await file.close();
    }
  } finally {
    closeSync(directory);
  }
}
