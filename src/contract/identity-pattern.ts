/** Patterns of a signer's identity: one expression over the whole identity, in linear time (04:290-308). */
import { RE2JS } from 're2js';
import { type Either, left, right } from './fp.js';

export const MAX_IDENTITY = 2_048;
const MAX_PATTERN = 1_024;
const MAX_PROGRAM = 4_096;

export interface IdentityPattern {
  /** Whether the pattern takes the identity as a whole; never for one that is empty or longer than 2,048 characters. */
  matches(identity: string): boolean;
}

/**
 * The compiled pattern, or why it is not taken, as the end of a sentence. It must start with `^` and end with `$`, and hold no `|`
 * outside of a group, since one branch of that would match a part of the identity only. What would make the reading of the text
 * differ from the reading of the engine (quotes with `\Q`, a bracket as the first member of a class, groups other than `(...)` and
 * `(?:...)`) is refused, so that no trick hides a branch or unties an anchor.
 */
export function identityPattern(source: string): Either<string, IdentityPattern> {
  if (source.length > MAX_PATTERN) return left(`is longer than ${MAX_PATTERN} characters`);
  const problem = formProblem(source);
  if (problem !== undefined) return left(problem);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch {
    return left('is not valid in RE2 syntax (no look-around, no back-references)');
  }
  if (compiled.programSize() > MAX_PROGRAM) return left('is too large once its repetitions are written out');
  return right({
    // The whole text, whatever the anchors say: the form checks above are the first lock, this is the second.
    matches: (identity) => identity !== '' && identity.length <= MAX_IDENTITY && compiled.matches(identity),
  });
}

/** What `formProblem` has to remember on its way through the pattern. */
interface Walk {
  depth: number;
  inClass: boolean;
}

function formProblem(source: string): string | undefined {
  const walk: Walk = { depth: 0, inClass: false };
  if (!source.startsWith('^') || source.length < 2) return 'does not start with ^';
  if (/^\^[*+?{]/.test(source)) return 'repeats its first anchor';
  let last = '';
  for (let at = 0; at < source.length; at += last.length) {
    last = source[at] === '\\' ? source.slice(at, at + 2) : source.charAt(at);
    const problem = walk.inClass ? inClass(walk, last, source, at) : outside(walk, last, source, at);
    if (problem !== undefined) return problem;
  }
  if (walk.inClass || walk.depth !== 0) return 'has a bracket that is not closed';
  return last === '$' ? undefined : 'does not end with $';
}

function inClass(walk: Walk, token: string, source: string, at: number): string | undefined {
  if (token === '\\Q' || token === '\\E') return 'quotes with \\Q';
  // Also the start of a named class such as [[:alpha:]], which closes with a bracket of its own.
  if (token === '[') return 'has a bracket inside of a class; write \\[';
  if (token === ']' && (source[at - 1] === '[' || source.slice(at - 2, at) === '[^'))
    return 'has a class that begins with a bracket; write \\]';
  if (token === ']') walk.inClass = false;
  return undefined;
}

function outside(walk: Walk, token: string, source: string, at: number): string | undefined {
  if (token === '\\Q' || token === '\\E') return 'quotes with \\Q';
  if (token === '[') walk.inClass = true;
  if (token === '(' && source[at + 1] === '?' && source[at + 2] !== ':')
    return 'has a group that is neither (...) nor (?:...)';
  if (token === '(') walk.depth += 1;
  if (token === ')') walk.depth -= 1;
  if (walk.depth < 0) return 'closes a bracket that is not open';
  if (token === '|' && walk.depth === 0) return 'has an alternation outside of a group; put it in brackets';
  return undefined;
}
