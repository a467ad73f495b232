/** Patterns of an input schema: RE2 syntax, matched in linear time, with a bound on every cost (wire, "Manifest"). */
import { RE2JS } from 're2js';

/** Characters of a pattern, instructions of its program, characters of a string it is run on. */
export const MAX_PATTERN = 256;
export const MAX_PROGRAM = 512;
export const MAX_PATTERN_INPUT = 4_096;
/**
 * Steps (characters times instructions) that one validation may spend on patterns. A step costs at most about a third
 * of a microsecond when a hostile pattern defeats the automaton's cache, so this is what bounds a stall.
 */
export const PATTERN_STEPS = 1_000_000;

export interface Pattern {
  readonly instructions: number;
  test(value: string): boolean;
}

/** The compiled pattern, or the reason why it is not taken, as the end of a sentence. Never throws. */
export function compilePattern(source: string): Pattern | string {
  if (source.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
  try {
    const compiled = RE2JS.compile(source);
    const instructions = compiled.programSize();
    if (instructions > MAX_PROGRAM) return 'is too large once its repetitions are written out';
    return { instructions, test: (value) => compiled.test(value) };
  } catch {
    return 'is not valid in RE2 syntax (no look-around, no back-references)';
  }
}
