/** Every kind of stream the product has. */
import type { AnyStreamKind } from './owner-state.js';

export const KINDS: readonly AnyStreamKind[] = [];
