/** Patterns of an input schema: RE2 syntax, matched in linear time, with a bound on every cost (wire, "Manifest"). */
import { RE2JS } from 're2js';

/** Characters of a pattern, instructions of its program, characters of a string it is run on. */
export const MAX_PATTERN = 256;
export const MAX_PROGRAM = 512;
export const MAX_PATTERN_INPUT = 4_096;
/**
 * What one validation may spend on patterns: characters times the weight of the pattern. A hostile pattern defeats
 * the automaton's cache, and then each character costs its weight; this sum is what bounds a stall.
 */
export const PATTERN_BUDGET = 2_000_000;

export interface Pattern {
  /** What one character costs at worst: the instructions, each with the depth of the search in its character class. */
  readonly weight: number;
  test(value: string): boolean;
}

interface Program {
  readonly inst: readonly { readonly runes?: ArrayLike<number> }[];
}

/** The library has no other way to tell a class of two ranges from one of seven hundred. */
function weigh(compiled: RE2JS): number {
  const { prog } = compiled.re2() as unknown as { readonly prog: Program };
  return Math.ceil(prog.inst.reduce((sum, one) => sum + 1 + Math.log2(1 + (one.runes?.length ?? 0)), 0));
}

/** The compiled pattern, or the reason why it is not taken, as the end of a sentence. Never throws. */
export function compilePattern(source: string): Pattern | string {
  if (source.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
  try {
    const compiled = RE2JS.compile(source);
    if (compiled.programSize() > MAX_PROGRAM) return 'is too large once its repetitions are written out';
    return { weight: weigh(compiled), test: (value) => compiled.test(value) };
  } catch {
    return 'is not valid in RE2 syntax (no look-around, no back-references)';
  }
}
