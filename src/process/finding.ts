/** What became of a launch that an earlier owner recorded. */
export type Finding =
  /** Its process has ended, or never started. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** It may still run. */
  | { readonly kind: 'uncertain'; readonly reason: string }
  /** Its end is confirmed but could not be recorded. */
  | { readonly kind: 'unrecorded'; readonly reason: string };

export const gone = (reason: string): Finding => ({ kind: 'gone', reason });
export const uncertain = (reason: string): Finding => ({ kind: 'uncertain', reason });
