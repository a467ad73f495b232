/** The head key: written in the transaction of every batch, so that it always names the last record. */
import { canonicalJson } from '../../contract/canonical-json.js';
import type { Head } from '../journal.js';
import { ZERO_HASH } from '../sha256.js';
import type { Databases } from './layout.js';

export function readHead(db: Databases): Head {
  const text = db.meta.get('head');
  if (text === undefined) return { position: 0, hash: ZERO_HASH };
  const { position, hash } = JSON.parse(text) as Head;
  return { position, hash };
}

/** @throws when the put was refused. Call it inside a transaction. */
export function writeHead(db: Databases, head: Head): void {
  const { position, hash } = head;
  if ((db.meta.putSync('head', canonicalJson({ position, hash })) as unknown) !== true)
    throw new Error('the storage refused to move the head');
}
