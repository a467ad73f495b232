/** Which release this build is of: written by the build of a version tag, absent from every other build (04:11-16). */
import { readFileSync } from 'node:fs';

/** `v1.2.3`, or undefined for a build that is no release. Throws for a file that the build did not write. */
export function releaseTag(file: URL = new URL('../release.json', import.meta.url)): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const { tag } = JSON.parse(text) as { tag?: unknown };
  if (typeof tag !== 'string') throw new Error('the release of this build cannot be read; build it again');
  return tag;
}
