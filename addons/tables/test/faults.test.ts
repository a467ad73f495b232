/** What a full disk and an interrupted removal leave behind: an honest answer, and nothing that stays half done. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '../../../test/support/harness.js';
import { apply, preview, read, receipt, type Service } from '../src/calls.js';
import type { Outcome } from '../src/outcome.js';
import { QueryPool } from '../src/query/pool.js';
import { Databases } from '../src/store/databases.js';
import { DataFolder } from '../src/store/files.js';
import { Connection } from '../src/store/sqlite.js';
import type { JsonObject } from '../src/wire/json.js';
import type { Envelope, Receipt, Revision } from '../src/wire/shapes.js';
import { LIMITS } from './support/addon.js';

const test = suite('tables faults');
const ID = 'res-one';
const { run, checkpoint, set } = Connection.prototype;
let dir = '';
let service: Service;

test.beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tables-faults-'));
  const databases = new Databases(dir);
  service = { databases, queries: new QueryPool('none', LIMITS), limits: LIMITS, now: () => new Date() };
  committed(write('create', 'create-one', { tool: 'create-database', name: 'Notes' }, { schema: 1, data: 0 }));
});
test.afterEach(() => {
  Object.assign(Connection.prototype, { run, checkpoint, set });
  service.databases.close();
  rmSync(dir, { recursive: true, force: true });
});

function envelope(scope: 'read' | 'apply', action: string, operationId: string, args: JsonObject): Envelope {
  const actor = { userId: 'u', credentialId: 'c', mode: 'local-owner' };
  const request = { addonId: 'tables', resourceId: ID, operationId, generation: 1, action, arguments: args };
  return { request, authority: { actor, scope, expiresAt: '2099-01-01T00:00:00Z' } };
}

const write = (action: string, operationId: string, args: JsonObject, revision: Revision) =>
  apply(service, envelope('apply', action, operationId, args), revision);

function committed(outcome: Outcome<Receipt>): Receipt {
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.message}`);
  assert.is(outcome.value.state, 'committed');
  return outcome.value;
}

const full = () => {
  throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
};

/** From now on statements like this one find no room. */
function fillDiskFor(statement: RegExp): void {
  Connection.prototype.run = function failing(this: Connection, sql, ...cells) {
    return statement.test(sql) ? full() : run.call(this, sql, ...cells);
  };
}

const NEW_TABLE = { tool: 'create-table', table: 'numbers', columns: [{ name: 'n', type: 'real' }] };
const FIRST = { schema: 1, data: 0 };

test('a disk that is full before a change began is busy, never an unknown outcome, and the call may be repeated', () => {
  fillDiskFor(/INSERT OR REPLACE INTO operations/);
  const refused = write('schema', 'op-1', NEW_TABLE, FIRST);
  assert.is(refused.ok ? 200 : refused.refusal.status, 429);
  const stale = write('delete', 'op-2', { tool: 'delete-database' }, { schema: 9, data: 9 });
  assert.is(stale.ok ? 200 : stale.refusal.status, 429);
  fillDiskFor(/INSERT INTO deleted/);
  const kept = write('delete', 'op-3', { tool: 'delete-database' }, FIRST);
  assert.is(kept.ok ? 200 : kept.refusal.status, 429);
  fillDiskFor(/never/);
  committed(write('schema', 'op-1', NEW_TABLE, FIRST));
});

test('a refusal stays a refusal when the disk is too full to take its note back', () => {
  fillDiskFor(/DELETE FROM operations WHERE operation/);
  const args = { tool: 'drop-table', table: 'nowhere' };
  const refused = write('schema', 'op-1', args, FIRST);
  assert.is(refused.ok ? 200 : refused.refusal.status, 422);
});

test('a database whose log cannot be folded on a full disk closes all the same, and another one opens', () => {
  assert.is(service.databases.use(ID)?.name, 'Notes');
  Connection.prototype.checkpoint = full;
  service.databases.release(ID);
  assert.is(service.databases.use(ID)?.name, 'Notes');
});

test('a database that finds no room to be opened is busy for every call, leaves no file open, and opens when there is room', async () => {
  service.databases.release(ID);
  let [tried, closed] = [0, 0];
  const { close } = Connection.prototype;
  // What opening says on a real full disk, where the file that the readers of a database share cannot grow.
  Connection.prototype.set = () => {
    tried += 1;
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_SHMSIZE' });
  };
  Connection.prototype.close = function counting(this: Connection) {
    closed += 1;
    close.call(this);
  };
  try {
    const looking = envelope('read', 'read', 'op-1', { tool: 'inspect' });
    const answers = [
      await read(service, looking, new AbortController().signal),
      preview(service, envelope('apply', 'schema', 'op-2', NEW_TABLE)),
      write('schema', 'op-3', NEW_TABLE, FIRST),
      receipt(service, 'create-one'),
    ];
    for (const answer of answers) {
      if (answer.ok) throw new Error('it was answered');
      assert.equal([answer.refusal.status, answer.refusal.retryAfterSeconds], [429, 30]);
      assert.match(answer.refusal.message, /disk or the database is full. Nothing was changed. Free some space/);
    }
    assert.equal([tried, closed], [answers.length, answers.length]);
  } finally {
    Object.assign(Connection.prototype, { set, close });
  }
  committed(write('schema', 'op-3', NEW_TABLE, FIRST));
});

test('inspect answers as many tables as its bytes allow, and going on at next gives each one once', async () => {
  const named = (at: number) => `t${String(at).padStart(2, '0')}`;
  for (let at = 0; at < 12; at += 1)
    committed(write('schema', `op-${at}`, { ...NEW_TABLE, table: named(at) }, { schema: 1 + at, data: 0 }));
  const narrow = { ...service, limits: { ...LIMITS, queryResultBytes: 4_096 + 200 } };
  const look = async (args: JsonObject, within: Service = narrow) => {
    const call = envelope('read', 'read', 'look', { tool: 'inspect', ...args });
    const found = await read(within, call, new AbortController().signal);
    if (!found.ok) throw new Error(found.refusal.message);
    return found.value.payload as { name: string; tables: { name: string }[]; next?: number };
  };
  const seen: string[] = [];
  let pages = 0;
  for (let offset: number | undefined = 0; offset !== undefined; pages += 1) {
    const page = await look({ offset });
    assert.is(page.name, 'Notes');
    assert.ok(JSON.stringify(page).length <= 4_296 && page.tables.length > 0);
    seen.push(...page.tables.map(({ name }) => name));
    offset = page.next;
  }
  assert.equal(
    seen,
    Array.from({ length: 12 }, (_, at) => named(at)),
  );
  assert.ok(pages > 3);
  const whole = await look({}, service);
  assert.equal([whole.tables.length, whole.next], [12, undefined]);
  assert.equal((await look({ offset: 99 })).tables, []);
});

test('a removal that is interrupted leaves the file by which the next start removes the rest', () => {
  const folder = new DataFolder(dir);
  writeFileSync(folder.database('res-two'), 'x');
  mkdirSync(`${folder.database('res-two')}-wal`);
  assert.throws(() => folder.remove('res-two'));
  assert.ok(existsSync(folder.database('res-two')));
});

test('a real column holds whole numbers past 2^63, and conditions compare with them', async () => {
  committed(write('schema', 'op-1', NEW_TABLE, FIRST));
  const numbers = [1e19, 2 ** 63, -(2 ** 64), 1e300, 9_007_199_254_740_992, 7];
  const rows = numbers.map((number) => [number]);
  const args = { tool: 'insert-rows', table: 'numbers', columns: ['n'], rows };
  committed(write('write', 'op-2', args, { schema: 2, data: 0 }));
  const where = [{ column: 'n', operator: 'at-least', value: 1e19 }];
  const listing = { tool: 'list-rows', table: 'numbers', orderBy: 'n', where };
  const found = await read(service, envelope('read', 'read', 'op-3', listing), new AbortController().signal);
  if (!found.ok) throw new Error(found.refusal.message);
  assert.equal((found.value.payload as JsonObject).rows, [
    [1, 1e19],
    [4, 1e300],
  ]);
});

test.run();
