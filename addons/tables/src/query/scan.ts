/** A first look at a query's text: one statement, a SELECT, not nested too deep. The real judge is `judge.ts`. */
import { accept, type Outcome, unfit } from '../outcome.js';

export const MAX_SQL = 16_384;
/** Texts, quoted names and comments as SQLite reads them; then words, then single characters. */
const TOKEN =
  /[xX]'[^']*'?|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\w+|[^\s]/g;

/** Refuses (422) what is not one SELECT, and SELECTs nested deeper than `maxDepth`. */
export function scanQuery(sql: string, maxDepth: number): Outcome<string> {
  const no = (message: string) => unfit('bad_query', message);
  if (sql.includes('\0')) return no('The query holds a NUL character.');
  const tokens = (sql.match(TOKEN) ?? []).filter((token) => !token.startsWith('--') && !token.startsWith('/*'));
  while (tokens.at(-1) === ';') tokens.pop();
  if (!/^(select|with|values)$/i.test(tokens[0] ?? '')) {
    return no('A query begins with SELECT, WITH or VALUES. Changes go through the tools for changes.');
  }
  // The driver aborts on the bytes of such a literal, and tables hold none to compare it with.
  if (tokens.some((token) => /^x'/i.test(token))) return no("Byte literals such as x'00' are not available.");
  if (tokens.includes(';')) return no('A query is one statement.');
  let open = 0;
  const selects: number[] = [];
  for (const token of tokens) {
    if (token === '(') open += 1;
    if (token === ')') open -= 1;
    while (selects.length > 0 && (selects.at(-1) ?? 0) > open) selects.pop();
    if (/^select$/i.test(token) && selects.at(-1) !== open) selects.push(open);
    if (selects.length > maxDepth) return no(`SELECTs may be nested ${maxDepth} deep.`);
  }
  return accept(sql);
}
