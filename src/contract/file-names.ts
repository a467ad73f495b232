/** File names that come from elsewhere, made safe to show and to save (08:97-99, 08:175-177). */

export const MAX_FILE_NAME_BYTES = 128;
const DROPPED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const encoder = new TextEncoder();

/** The last part of a path without control and invisible characters, at most 128 bytes; `file` when nothing is left. */
export function safeFileName(name: string): string {
  const last = name.slice(0, 4_096).split(/[/\\]/).at(-1) ?? '';
  const plain = last.replace(DROPPED, '').trim();
  if (plain === '' || plain === '.' || plain === '..') return 'file';
  if (encoder.encode(plain).byteLength <= MAX_FILE_NAME_BYTES) return plain;
  const dot = plain.lastIndexOf('.');
  const ending = dot > 0 && plain.length - dot <= 16 ? plain.slice(dot) : '';
  let cut = '';
  const room = MAX_FILE_NAME_BYTES - encoder.encode(ending).byteLength;
  for (const character of plain.slice(0, plain.length - ending.length)) {
    if (encoder.encode(cut + character).byteLength > room) break;
    cut += character;
  }
  return `${cut.trimEnd()}${ending}`;
}

/** Whether a name is what `safeFileName` makes of it. */
export const isSafeFileName = (name: string): boolean => safeFileName(name) === name;
