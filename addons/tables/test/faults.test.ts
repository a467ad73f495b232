/** What a full disk and an interrupted removal leave behind: an honest answer, and nothing that stays half done. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '../../../test/support/harness.js';
import { apply, read, type Service } from '../src/calls.js';
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
const { run, checkpoint } = Connection.prototype;
let dir = '';
let service: Service;

test.beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'tables-faults-'));
  const databases = new Databases(dir);
  service = { databases, queries: new QueryPool('none', LIMITS), limits: LIMITS, now: () => new Date() };
  committed(write('create', 'create-one', { tool: 'create-database', name: 'Notes' }, { schema: 1, data: 0 }));
});
test.afterEach(() => {
  Object.assign(Connection.prototype, { run, checkpoint });
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
