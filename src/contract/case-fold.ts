/** Full Unicode case folding and white-space trimming for the comparison of keys (10:22-27). */

/**
 * Lower, upper, lower per code point is full case folding: sharp s becomes ss, the long s and the Kelvin sign become
 * s and k, and no rule depends on the neighbours (as final sigma would). Dotless i is the one letter that upper case
 * would merge with another where folding does not.
 */
function foldCodePoint(point: string): string {
  if (point === 'ı') return point;
  return point.toLowerCase().toUpperCase().toLowerCase();
}

const isWhiteSpace = (code: number): boolean =>
  code === 0x20 ||
  (code >= 0x09 && code <= 0x0d) ||
  code === 0x85 ||
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000 ||
  code === 0xfeff;

/** `text` without white space (Unicode's, and the byte order mark) at both ends; linear, unlike a regular expression. */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isWhiteSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isWhiteSpace(text.charCodeAt(to - 1))) to -= 1;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

/** The text under full case folding, without locale. */
export function foldCase(text: string): string {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Array.from(text, foldCodePoint).join('');
  return text.toLowerCase();
}

/** What two keys have in common when some decoder could take one for the other. */
export const foldKey = (key: string): string => foldCase(trimSpace(key));
