/** Every event type of the product, by name; an unknown type found in a journal is refused by name. */
import type { EventSpec } from '../event.js';

export const CATALOGUE: Readonly<Record<string, EventSpec<unknown>>> = {};
