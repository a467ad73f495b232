/** What passes between the process and its query helper: one JSON line each way, after a first one that the helper is up. Types only. */
import type { Cell } from '../store/sqlite.js';
import type { JsonObject } from '../wire/json.js';

export interface QueryJob {
  readonly path: string;
  readonly sql: string;
  readonly parameters: readonly Cell[];
  readonly rows: number;
  readonly bytes: number;
}

export type QueryAnswer = { readonly payload: JsonObject } | { readonly refused: string } | { readonly fault: string };

/** Said once, as soon as the helper can take a query. */
export interface HelperReady {
  readonly ready: true;
}
