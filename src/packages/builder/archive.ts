/** Writes the tar archive of a package: bytes that depend on names, contents and execute bits alone. */
import { pack } from 'tar-stream';

export interface ArchivedFile {
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: Uint8Array;
}

/**
 * The archive, piece by piece, in the order of `files`. No time, owner or group is written, and of the mode only whether
 * the owner may run it: the same files give the same archive under every umask and clock. Throws what `files` throws.
 */
export async function* archiveOf(
  files: Iterable<ArchivedFile> | AsyncIterable<ArchivedFile>,
): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const feed = async () => {
    for await (const { path, executable, bytes } of files) {
      const header = { name: path, size: bytes.length, mode: executable ? 0o755 : 0o644, mtime: new Date(0) };
      await new Promise<void>((resolve, reject) => {
        archive.entry({ ...header, uid: 0, gid: 0 }, Buffer.from(bytes), (error) =>
          error ? reject(error) : resolve(),
        );
      });
    }
    archive.finalize();
  };
  feed().catch((error: Error) => archive.destroy(error));
  for await (const chunk of archive) yield chunk as Uint8Array;
}
