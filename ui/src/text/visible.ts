/**
 * Makes text that came from an add-on, a model or a client safe to judge: what a screen would hide, reorder or pile up is
 * shown as its code, and a cut is always said (decisions, "Design" 9).
 */

export type Segment =
  | { readonly plain: string }
  | { readonly code: string; readonly name: string /** How often it stands there in a row. */; readonly times: number };

/** Format and control characters, line separators, unassigned, private and broken ones, and letters that draw nothing. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u2000-\u200a\u205f\u2800\u3000\u3164\uffa0]/u;
/** Joiners and variation selectors: combining characters that draw nothing of their own. */
const HIDDEN_MARK = /\u034f|[\u17b4\u17b5]|[\u180b-\u180d]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u;
const MARK = /\p{M}/u;
/** More marks than this on one letter pile up over the lines around it. */
const MOST_MARKS = 3;

const NAMES: Readonly<Record<number, string>> = {
  0: 'null',
  9: 'tab',
  10: 'new line',
  13: 'carriage return',
  27: 'escape',
  173: 'soft hyphen',
  1564: 'Arabic letter mark',
  8203: 'zero width space',
  8204: 'zero width non-joiner',
  8205: 'zero width joiner',
  8206: 'left-to-right mark',
  8207: 'right-to-left mark',
  8234: 'left-to-right embedding',
  8235: 'right-to-left embedding',
  8236: 'pop directional formatting',
  8237: 'left-to-right override',
  8238: 'right-to-left override',
  8294: 'left-to-right isolate',
  8295: 'right-to-left isolate',
  8296: 'first strong isolate',
  8297: 'pop directional isolate',
  65279: 'zero width no-break space',
};

/** Splits text into what may be drawn as it is and what is shown as a code. `lines` keeps new lines and tabs. */
export function segments(text: string, options: { lines?: boolean } = {}): readonly Segment[] {
  const found: Segment[] = [];
  let plain = '';
  let marks = 0;
  const flush = () => {
    if (plain !== '') found.push({ plain });
    plain = '';
  };
  for (const char of text) {
    marks = MARK.test(char) ? marks + 1 : 0;
    const kept = options.lines === true && (char === '\n' || char === '\t');
    if (kept || (!HIDDEN.test(char) && !HIDDEN_MARK.test(char) && marks <= MOST_MARKS)) {
      plain += char;
      continue;
    }
    flush();
    const point = char.codePointAt(0) ?? 0;
    const code = `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
    const last = found.at(-1);
    if (last !== undefined && 'code' in last && last.code === code) {
      found[found.length - 1] = { ...last, times: last.times + 1 };
      continue;
    }
    const name = NAMES[point] ?? (marks > MOST_MARKS ? 'one of many piled-up marks' : 'hidden character');
    found.push({ code, name, times: 1 });
  }
  flush();
  return found;
}

export interface Cut {
  readonly shown: string;
  /** Characters in all, when some are left out. */
  readonly of?: number;
  readonly kept: number;
}

/** At most `max` characters of the text, never half a character. */
export function cut(text: string, max: number): Cut {
  if (text.length <= max) return { shown: text, kept: text.length };
  let end = max;
  const unit = text.charCodeAt(end - 1);
  if (unit >= 0xd800 && unit <= 0xdbff) end -= 1;
  return { shown: text.slice(0, end), kept: end, of: text.length };
}
