/** Why a journal was not opened; nothing on disk was changed. */

export type OpenRefusalCode =
  /** No journal was ever made here. */
  | 'absent'
  /** The file, or what it should hold up to the anchor, is gone. */
  | 'emptied'
  | 'shortened'
  /** The record at the anchor's position is not the one that was anchored. */
  | 'other-history'
  | 'anchor-missing'
  | 'anchor-damaged'
  /** What LMDB would crash on, or records that do not chain. */
  | 'damaged'
  | 'format'
  | 'not-a-directory'
  | 'already-open'
  /** A running owner does not hold its pages for one more reader. */
  | 'not-held'
  /** The owner changed while the journal was read, so what was read may be wrong. */
  | 'moved'
  /** The system has no place for the view of a reader. */
  | 'no-view';

export interface OpenRefusal {
  readonly code: OpenRefusalCode;
  readonly file: string;
  /** The position that must be there, where one is known. */
  readonly expected?: number;
  /** The last position found, or the first bad one. */
  readonly found?: number;
  /** What was found, that nothing was changed, and what to run. For the operator's eyes: it names the file. */
  readonly message: string;
}

/** What says nothing about damage. */
const UNHARMED: ReadonlySet<OpenRefusalCode> = new Set([
  ...(['already-open', 'format', 'not-a-directory', 'absent', 'not-held', 'moved', 'no-view'] as const),
]);
const ADVICE = 'Nothing was changed. Run `castellan journal verify` to see how far the journal is intact';

export function openRefusal(
  code: OpenRefusalCode,
  file: string,
  what: string,
  positions: { expected?: number; found?: number } = {},
): OpenRefusal {
  const remedy = UNHARMED.has(code)
    ? 'Nothing was changed.'
    : `${ADVICE}, and put back the newest copy of its directory. \`castellan journal salvage\` goes on without what is lost.`;
  return { code, file, ...positions, message: `${file}: ${what} ${remedy}` };
}
