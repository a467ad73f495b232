/** CSV as RFC 4180 writes it: quoted fields with doubled quotes, CRLF or LF, one header row, every row as long. */
import { accept, type Outcome, unfit } from '../outcome.js';

export interface Csv {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export const MAX_CSV_ROWS = 50_000;

type Fields = { fields: string[][]; problem?: string };

/** Splits the text into records; the problem, when there is one, names the line it stands on. */
function split(text: string): Fields {
  const fields: string[][] = [];
  let record: string[] = [];
  let at = 0;
  let line = 1;
  const endRecord = () => {
    // A line with nothing on it is not a record, except where a record of one empty field is the only reading.
    if (record.length > 1 || record[0] !== '') fields.push(record);
    record = [];
  };
  while (at < text.length) {
    if (text[at] === '"') {
      const started = line;
      let value = '';
      for (at += 1; ; ) {
        const end = text.indexOf('"', at);
        if (end < 0) return { fields, problem: `Line ${started}: a quoted field does not end.` };
        const part = text.slice(at, end);
        line += part.split('\n').length - 1;
        value += part;
        at = end + 1;
        if (text[at] !== '"') break;
        value += '"';
        at += 1;
      }
      record.push(value === '' ? QUOTED_EMPTY : value);
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? '')) {
        return { fields, problem: `Line ${line}: something follows a quoted field.` };
      }
    } else {
      const rest = /[,\r\n"]/g;
      rest.lastIndex = at;
      const end = rest.exec(text)?.index ?? text.length;
      if (text[end] === '"') return { fields, problem: `Line ${line}: a quote stands inside an unquoted field.` };
      record.push(text.slice(at, end));
      at = end;
    }
    if (at >= text.length) break;
    if (text[at] === ',') {
      at += 1;
      if (at === text.length) record.push('');
      continue;
    }
    if (text[at] === '\r' && text[at + 1] !== '\n') return { fields, problem: `Line ${line}: a lone carriage return.` };
    at += text[at] === '\r' ? 2 : 1;
    line += 1;
    endRecord();
    if (fields.length > MAX_CSV_ROWS + 1) return { fields, problem: `There are more than ${MAX_CSV_ROWS} rows.` };
  }
  if (record.length > 0) endRecord();
  return { fields };
}

/** Marks `""` while splitting, so that a line that holds only it is a record and an empty line is none. */
const QUOTED_EMPTY = '\0';

/** Reads a CSV text with its header row. Refuses (422) what RFC 4180 does not allow, naming the line. */
export function parseCsv(text: string): Outcome<Csv> {
  const no = (problem: string) => unfit('bad_csv', `The CSV was refused. ${problem}`);
  if (text.includes('\0')) return no('It holds a NUL character.');
  const { fields, problem } = split(text.replace(/^\ufeff/, ''));
  if (problem !== undefined) return no(problem);
  const [header, ...rows] = fields.map((record) => record.map((field) => (field === QUOTED_EMPTY ? '' : field)));
  if (header === undefined) return no('It is empty: the first row must name the columns.');
  const odd = rows.findIndex((row) => row.length !== header.length);
  if (odd >= 0) {
    return no(`Row ${odd + 1} has ${rows[odd]?.length} fields, and the header names ${header.length} columns.`);
  }
  return accept({ header, rows });
}

/** Writes rows so that `parseCsv` reads the same rows back. */
export function formatCsv(csv: Csv): string {
  const field = (text: string, alone: boolean) =>
    /[",\r\n]/.test(text) || (alone && text === '') || text.startsWith('\ufeff')
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  return [csv.header, ...csv.rows]
    .map((row) => `${row.map((text) => field(text, row.length === 1)).join(',')}\r\n`)
    .join('');
}
