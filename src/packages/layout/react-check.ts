/** Tells whether a script of a page brings a React of its own: the host gives pages its React, and two do not mix (15:43). */

/** What React and its renderer share with each other; it is in every build of them, minified ones too. */
const MARKS = [
  '__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED',
  '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE',
  '__DOM_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE',
];
/** A script above this size is no page anyone could load, and would have to be held in memory to be looked at. */
export const MAX_SCRIPT_BYTES = 32 * 1_048_576;

export const isScript = (path: string): boolean => /\.[cm]?jsx?$/.test(path);

/** Why a script may not be in a page, or undefined. */
export function scriptProblem(path: string, bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return MARKS.some((mark) => text.includes(mark))
    ? `${path} brings a React runtime of its own; take React from the UI SDK of the host`
    : undefined;
}
