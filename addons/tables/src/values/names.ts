/** Which names a person may give to databases, tables and columns. */
import { accept, type Outcome, unfit } from '../outcome.js';

export const MAX_NAME = 64;
/** Control characters, direction overrides, invisible characters and line breaks would make a name lie on a page. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

function judge(what: string, name: string): Outcome<string> {
  if (name.length === 0 || [...name].length > MAX_NAME) {
    return unfit('bad_name', `The name of a ${what} has 1 to ${MAX_NAME} characters.`);
  }
  if (UNSEEN.test(name))
    return unfit('bad_name', `The name of a ${what} may not hold control or invisible characters.`);
  if (name !== name.trim()) return unfit('bad_name', `The name of a ${what} may not begin or end with a space.`);
  return accept(name);
}

export const databaseName = (name: string): Outcome<string> => judge('database', name);

export function tableName(name: string): Outcome<string> {
  if (/^(sqlite_|__tables_)/i.test(name)) return unfit('bad_name', 'Table names may not begin with that prefix.');
  return judge('table', name);
}

/** `rowid` is the key every row has; the other two are what SQLite would take for it. */
export function columnName(name: string): Outcome<string> {
  if (/^(rowid|oid|_rowid_)$/i.test(name)) return unfit('bad_name', `"${name}" is the name of the rows' own key.`);
  return judge('column', name);
}
