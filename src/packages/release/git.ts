/** Asks git whether one commit is an ancestor of another, and tells a commit that is gone from every other failure (15:164-176). */
import { execFile } from 'node:child_process';
import { isRevision } from '../layout/formats.js';

const GIT_MS = 60_000;

export type Ancestry =
  /** `ancestor`: the first is the second, or stands before it. */
  | { readonly kind: 'ancestor' }
  | { readonly kind: 'other' }
  /** The checkout does not have that commit. */
  | { readonly kind: 'gone'; readonly commit: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Whether `older` is an ancestor of `newer` in the repository at `checkout`. */
export async function ancestryOf(checkout: string, older: string, newer: string): Promise<Ancestry> {
  if (!isRevision(older) || !isRevision(newer))
    return { kind: 'failed', reason: 'a commit is not given by its full name' };
  const shallow = await git(checkout, ['rev-parse', '--is-shallow-repository']);
  if (shallow.code !== 0) return failed(shallow);
  // What lies before the cut of a shallow checkout looks like another history.
  if (shallow.out.trim() !== 'false')
    return { kind: 'failed', reason: 'the checkout is shallow; fetch its whole history' };
  const asked = await git(checkout, ['merge-base', '--is-ancestor', older, newer]);
  if (asked.code === 0) return { kind: 'ancestor' };
  if (asked.code === 1) return { kind: 'other' };
  const gone = /Not a valid commit name ([0-9a-f]{40,64})/.exec(asked.err)?.[1];
  return gone === undefined ? failed(asked) : { kind: 'gone', commit: gone };
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const failed = ({ code, err }: Ran): Ancestry => ({
  kind: 'failed',
  reason: `git failed (${code}): ${err.trim().split('\n')[0] ?? ''}`,
});

function git(checkout: string, args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    // The words of git are looked at, so they must be the untranslated ones.
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: 'C' };
    execFile('git', ['-C', checkout, ...args], { env, timeout: GIT_MS }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 128;
      resolve({ code, out, err: err === '' && error !== null ? error.message : err });
    });
  });
}
