/** `metadata.json` of an installed backend: as a gallery install writes it, and the library it came from (04:336-337). */
import type { BackendInstall } from '../commands/ports.js';
import { type Either, left, right } from '../contract/fp.js';
import type { Artifact } from './artifact-fetcher.js';
import { openFile } from './beneath.js';

export const METADATA = 'metadata.json';
const MAX_BYTES = 65_536;

export interface BackendMetadata {
  /** Absent for a backend that did not come from a library. */
  readonly library?: string;
  readonly version: string;
  readonly digest: string;
}

export function metadataBytes(
  { release, library, meta }: BackendInstall,
  uri: string,
  { digest, signer }: Artifact['proof'],
  now: Date,
): Uint8Array {
  const metadata = {
    name: release.id,
    ...(release.alias === undefined ? {} : { alias: release.alias }),
    ...(meta === undefined ? {} : { meta_backend: meta }),
    installed_at: now.toISOString(),
    version: release.version,
    uri,
    digest,
    ...(signer === undefined ? {} : { signer }),
    library,
  };
  return Buffer.from(`${JSON.stringify(metadata, undefined, 1)}\n`, 'utf8');
}

/** Left when the folder has no metadata that can be read: it is not ours to replace then. */
export async function readMetadata(root: number, name: string): Promise<Either<'unreadable', BackendMetadata>> {
  try {
    const file = await openFile(root, `${name}/${METADATA}`);
    try {
      const { size } = await file.stat();
      return size > MAX_BYTES ? left('unreadable') : decode(await file.readFile('utf8'));
    } finally {
      await file.close();
    }
  } catch {
    return left('unreadable');
  }
}

/** Lenient beyond what is needed here: other programs write such files too. */
function decode(text: string): Either<'unreadable', BackendMetadata> {
  const value = JSON.parse(text) as Partial<Record<'library' | 'version' | 'digest', unknown>> | null;
  if (typeof value !== 'object' || value === null) return left('unreadable');
  const { library, version = '', digest = '' } = value;
  if (typeof version !== 'string' || typeof digest !== 'string') return left('unreadable');
  return right({ version, digest, ...(typeof library === 'string' ? { library } : {}) });
}
