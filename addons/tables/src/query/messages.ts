/** What passes between the process and its query helper: one JSON line each way. Types only. */
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
