/**
 * One pass over a JSON text for what `JSON.parse` lets through: repeated keys, depth, and values it would change in
 * silence. The grammar itself is left to `JSON.parse`, which runs after it and has the last word.
 */

export type ScanReason = 'duplicate_key' | 'too_deep' | 'unfinished';

export interface Scan {
  /** True when a number may overflow or a string may hold half of a surrogate pair: the parsed value needs a walk. */
  readonly suspicious: boolean;
  /** True when a plain integer stands beyond 2^53 - 1, so that reading it rounds it. */
  readonly rounded: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isNumberPart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2b || code === 0x2d || code === 0x65 || code === 0x45;

function isFraction(text: string, from: number, to: number): boolean {
  for (let i = from; i <= to; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x2e || (code | 0x20) === 0x65) return true;
  }
  return false;
}

/** Keys seen in one open object. The second key makes the set: most objects of a large document stay without one. */
class Keys {
  private first: string | undefined;
  private rest: Set<string> | undefined;
  /** False when the key was there already. */
  add(key: string): boolean {
    if (this.first === undefined) {
      this.first = key;
      return true;
    }
    if (this.first === key) return false;
    this.rest ??= new Set();
    if (this.rest.has(key)) return false;
    this.rest.add(key);
    return true;
  }
}

/**
 * Scans `text`, allowing `maxDepth` open arrays and objects. `fold` maps an unescaped key to what is compared (the
 * declared-tool rule folds case and white space); `onKey` sees each key of the outermost object, unescaped.
 * Linear in the length of the text.
 */
export function scanJson(
  text: string,
  maxDepth: number,
  fold?: (key: string) => string,
  onKey?: (key: string) => void,
): ScanReason | Scan {
  const open: (Keys | undefined)[] = [];
  let expectKey = false;
  let suspicious = false;
  let rounded = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      let escaped = false;
      let j = i + 1;
      for (let c = text.charCodeAt(j); c !== QUOTE; c = text.charCodeAt(j)) {
        if (Number.isNaN(c)) return 'unfinished';
        if (c === BACKSLASH) {
          escaped = true;
          if ((text.charCodeAt(j + 2) | 0x20) === 0x64) suspicious = true;
          j += 2;
        } else j += 1;
      }
      if (expectKey) {
        const key = unescapeKey(text, i, j, escaped);
        if (key === undefined) return 'unfinished';
        if (open.length === 1) onKey?.(key);
        if (!open[open.length - 1]?.add(fold === undefined ? key : fold(key))) return 'duplicate_key';
        expectKey = false;
      }
      i = j;
    } else if (code === 0x2c) expectKey = open[open.length - 1] !== undefined;
    else if (code === 0x7b || code === 0x5b) {
      if (open.length >= maxDepth) return 'too_deep';
      expectKey = code === 0x7b;
      open.push(expectKey ? new Keys() : undefined);
    } else if (code === 0x7d || code === 0x5d) {
      open.pop();
      expectKey = false;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const start = i;
      while (isNumberPart(text.charCodeAt(i + 1))) i += 1;
      const fraction = isFraction(text, start, i);
      if (fraction || i - start > 300) suspicious = true;
      if (!fraction && i - start > 14 && !Number.isSafeInteger(Number(text.slice(start, i + 1)))) rounded = true;
    }
  }
  return { suspicious, rounded };
}

/** The key between the quotes at `from` and `to`; undefined when its escapes are not JSON. */
function unescapeKey(text: string, from: number, to: number, escaped: boolean): string | undefined {
  if (!escaped) return text.slice(from + 1, to);
  try {
    return JSON.parse(text.slice(from, to + 1)) as string;
  } catch {
    return undefined;
  }
}

/**
 * Where the value that starts at or after `from` ends (the index behind it), by counting brackets outside strings
 * only: the value itself may be anything, even badly formed. Undefined when the text ends first. Linear.
 */
export function endOfValue(text: string, from: number): number | undefined {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i += 1;
      for (let c = text.charCodeAt(i); c !== QUOTE; c = text.charCodeAt(i)) {
        if (Number.isNaN(c)) return undefined;
        i += c === BACKSLASH ? 2 : 1;
      }
    } else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) {
      if (depth === 0) return i;
      depth -= 1;
    } else if (code === 0x2c && depth === 0) return i;
  }
  return undefined;
}
