/** What reading and writing a library index share, without the YAML library behind them: a start needs only this. */

export const MAX_INDEX_BYTES = 1_048_576;
/** Add-ons of one library (06:97). */
export const MAX_RELEASES = 1_000;
/** Entries of all kinds: a library of backends has one for each platform of each backend (04:386-390). */
export const MAX_ENTRIES = 4_000;

/** Replaced by `builtin-library.ts` when the index is served, since the port of the built-in library moves. */
export const ORIGIN = '{{origin}}';
