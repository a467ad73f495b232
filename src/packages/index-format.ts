/** What reading and writing a library index share, without the YAML library behind them: a start needs only this. */

export const MAX_INDEX_BYTES = 1_048_576;
export const MAX_RELEASES = 1_000;

/** Replaced by `builtin-library.ts` when the index is served, since the port of the built-in library moves. */
export const ORIGIN = '{{origin}}';
