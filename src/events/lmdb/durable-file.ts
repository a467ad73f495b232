/** Files beside the database: replaced as a whole, on disk before the call ends, mode 0600. */
import { constants } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the entries of a directory durable; LMDB does not do this for the file it creates. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Temp file in the same directory, fsync, rename, fsync of the directory. A symbolic link is not followed. */
export async function replaceFile(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const temporary = `${path}.tmp`;
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600);
  try {
    for (const part of parts) await handle.writeFile(part);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}
