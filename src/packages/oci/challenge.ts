/** The challenges of a `WWW-Authenticate` header (RFC 9110, 11.6.1): several may share one header. */

export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** Names in lower case; of a repeated name the challenge is refused. */
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_HEADER = 8_192;
const SCHEME = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)(?: +|(?=,)|$)/;
const PARAMETER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+) *= *(?:"((?:[^"\\]|\\.)*)"|([A-Za-z0-9!#$%&'*+.^_`|~-]+)) *(?:, *|$)/;

/** In their order; nothing at all for a header that is malformed or longer than 8 KiB. */
export function parseChallenges(header: string | null): readonly Challenge[] {
  if (header === null || header.length > MAX_HEADER) return [];
  const found: Challenge[] = [];
  let rest = header.trim();
  while (rest !== '') {
    const scheme = SCHEME.exec(rest);
    if (scheme?.[1] === undefined) return [];
    rest = rest.slice(scheme[0].length);
    const parameters = new Map<string, string>();
    for (let match = PARAMETER.exec(rest); match !== null; match = PARAMETER.exec(rest)) {
      const name = (match[1] ?? '').toLowerCase();
      if (parameters.has(name)) return [];
      parameters.set(name, match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? '');
      rest = rest.slice(match[0].length);
    }
    found.push({ scheme: scheme[1].toLowerCase(), parameters });
    rest = rest.replace(/^, */, '');
  }
  return found;
}
