/** What every change offers: planned once for the preview and once, on the same revision, for the apply. */
import type { Outcome } from '../outcome.js';
import type { OpenDatabase } from '../store/database.js';
import type { Json, JsonObject } from '../wire/json.js';

export interface Plan {
  /** How many rows are added, changed or removed; 1 for a change that touches none. */
  readonly count: number;
  /** At most 20 of the effects, as a person would want to see them before saying yes. */
  sample(): readonly Json[];
  /** Does it, inside the transaction of the caller; answers the payload of the receipt. */
  run(): JsonObject;
}

export interface Change {
  readonly kind: 'write' | 'schema';
  /** Whether rows are touched, so that their revision moves too. A `write` always touches rows. */
  readonly touchesRows: boolean;
  /** Checks the change against the database as it is. Reads only. */
  plan(database: OpenDatabase): Outcome<Plan>;
}

export const SAMPLE_ENTRIES = 20;
/** How many row keys a receipt lists at most. */
export const LISTED_IDS = 100;
