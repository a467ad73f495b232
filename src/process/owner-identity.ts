/** The identity file of an owner root: who owns it, on which storage, under which path (06:236-238). */

import { readdirSync } from 'node:fs';
import { closed, type Either, left, right, t } from '../contract/fp.js';
import { readSmallFile, replaceFile, within } from './files.js';

export interface Identity {
  readonly ownerId: string;
  readonly storageId: string;
  /** Absolute path of the root when it was created. */
  readonly path: string;
}

const FILE = 'identity.json';
const LIMIT = 8_192;
const stored = closed('identity', { format: t.literal(1), ownerId: t.string, storageId: t.string, path: t.string });

/**
 * Writes the identity into a fresh root, or compares it with the one that stands there; the address of the owner is
 * not part of it. Left, in words: another owner or storage, a damaged file, or a used root without one.
 */
export function bindIdentity(directory: number, wanted: Identity): Either<string, Identity> {
  const bytes = readSmallFile(directory, FILE, LIMIT);
  if (bytes === undefined) return create(directory, wanted);
  const found = parse(bytes);
  if (found === undefined)
    return left(`The file ${FILE} of the add-on storage is damaged. Nothing was changed. Put it back from a backup.`);
  for (const key of ['ownerId', 'storageId'] as const)
    if (found[key] !== wanted[key])
      return left(
        `This add-on storage is bound to ${key} "${found[key]}", and the server is configured with "${wanted[key]}". Nothing was changed. Use the configuration it was created with, or another data path.`,
      );
  return right(found);
}

function create(directory: number, wanted: Identity): Either<string, Identity> {
  const used = readdirSync(within(directory, '.')).filter((name) => name !== 'owner.lock' && !name.startsWith('.'));
  if (used.length > 0)
    return left(
      `The add-on storage is in use but its file ${FILE} is missing. Nothing was changed. Put it back from a backup.`,
    );
  replaceFile(directory, FILE, Buffer.from(`${JSON.stringify({ format: 1, ...wanted })}\n`));
  return right(wanted);
}

function parse(bytes: Uint8Array): Identity | undefined {
  try {
    const decoded = stored.decode(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)));
    if (decoded._tag === 'Left') return undefined;
    const { ownerId, storageId, path } = decoded.right;
    return { ownerId, storageId, path };
  } catch {
    return undefined;
  }
}
