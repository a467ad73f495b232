/** Writes bytes to an open file, whatever the system takes of them at a time. */
import { writeSync } from 'node:fs';

/** A disk that is nearly full, or a limit, takes a part; the rest gets its own error, which is thrown. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
}
