/** Free queries: what they answer, and that none of them reaches past the person's own tables or holds anything up. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../../../test/support/harness.js';
import { QUERY_DEADLINE_MS } from '../src/query/pool.js';
import { Addon, type Begun, DATABASE, envelope } from './support/addon.js';

const test = suite('tables queries');
let addon: Addon;
test.before(async () => {
  addon = await Addon.start();
  await addon.createDatabase();
  await addon.createDatabase('res-two', 'Other');
  const csv = 'name,score,ok,day\nann,1,true,2024-01-01\nbob,2,false,2024-01-02\n"c ""x"" d",3.5,,\n';
  await addon.change('schema', 'op-make', { tool: 'create-table-from-csv', table: 'people', csv });
});
test.after(() => addon.stop());

const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';

test('answers typed columns, parameters and order', async () => {
  const answer = await addon.query(
    'SELECT name, ok, score * 2 AS twice FROM people WHERE score > ? ORDER BY score DESC',
    [1],
  );
  assert.equal(answer.body.payload, {
    columns: ['name', 'ok', 'twice'],
    rows: [
      ['c "x" d', null, 7],
      ['bob', false, 4],
    ],
    truncated: false,
  });
});

test('answers ordinary analytical SQL', async () => {
  const good: [string, unknown][] = [
    ['SELECT count(*), sum(score), avg(score), max(day) FROM people', [3, 6.5, 6.5 / 3, '2024-01-02']],
    ["WITH t(n) AS (SELECT name FROM people) SELECT group_concat(upper(n), '; ') FROM t", ['ANN; BOB; C "X" D']],
    ['SELECT a.name FROM people a JOIN people b ON a.score < b.score GROUP BY a.name HAVING count(*) = 2', ['ann']],
    ['SELECT row_number() OVER (ORDER BY score DESC) FROM people ORDER BY name LIMIT 1', [3]],
    [
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM people WHERE name LIKE 'a%') THEN strftime('%Y', day) END FROM people LIMIT 1",
      ['2024'],
    ],
    ['VALUES (1, 2.5, NULL)', [1, 2.5, null]],
    ['-- a note; with a semicolon\nSELECT 1 /* ; */ ;', [1]],
    ['SELECT 9007199254740993, cast(name AS BLOB), 1e999 FROM people', ['9007199254740993', '0x616e6e', 'Infinity']],
  ];
  for (const [sql, row] of good) {
    const answer = await addon.query(sql);
    assert.is(answer.status, 200, `${sql}: ${JSON.stringify(answer.body)}`);
    assert.equal(answer.body.payload.rows[0], row, sql);
  }
});

test('refuses everything that is not one reading statement', async () => {
  const bad = [
    'DELETE FROM people',
    'INSERT INTO people(name) VALUES (1)',
    'UPDATE people SET name = 1',
    'DROP TABLE people',
    'CREATE TABLE x(a)',
    'PRAGMA user_version = 7',
    'PRAGMA writable_schema = ON',
    `ATTACH '${join('/tmp', 'x.sqlite')}' AS x`,
    'VACUUM',
    "VACUUM INTO '/tmp/tables-vacuum'",
    'BEGIN',
    'EXPLAIN SELECT 1',
    'REINDEX',
    'SELECT 1; DELETE FROM people',
    'SELECT 1;; SELECT 2',
    'WITH x AS (SELECT 1) DELETE FROM people',
    'WITH x AS (SELECT 1) INSERT INTO people(name) SELECT 1',
    'WITH x AS (SELECT 1) UPDATE people SET name = 1',
    'WITH x AS (SELECT 1) REPLACE INTO people(name) VALUES (2)',
    'DELETE FROM people RETURNING *',
    '',
    ';',
    'SELECT',
    'SELECT * FROM nowhere',
    "SELECT 'open",
    `SELECT '${'x'.repeat(17_000)}'`,
    "SELECT x'0aff'",
  ];
  for (const sql of bad) {
    const answer = await addon.query(sql);
    assert.ok(answer.status === 422 || answer.status === 400, `${sql}: ${answer.status}`);
  }
  assert.is((await addon.query('SELECT count(*) FROM people')).body.payload.rows[0][0], 3);
});

test('keeps queries away from files, other databases, its own tables and virtual tables', async () => {
  const other = join(addon.dataDir, 'res-two.sqlite');
  const written = join(addon.dataDir, 'written');
  const bad = [
    "SELECT readfile('/etc/passwd')",
    `SELECT "readfile"('${other}')`,
    `SELECT writefile('${written}', 'x')`,
    `SELECT 1 FROM people WHERE EXISTS (SELECT 1 FROM people WHERE [writefile]('${written}', name))`,
    `SELECT name FROM people ORDER BY \`writefile\`('${written}', name)`,
    `SELECT max(writefile('${written}', name)) OVER () FROM people`,
    "SELECT * FROM fsdir('/')",
    "SELECT * FROM fsdir WHERE path = '/'",
    'SELECT lsmode(1)',
    "SELECT load_extension('/tmp/x.so')",
    "SELECT fts3_tokenizer('simple')",
    'SELECT * FROM pragma_database_list',
    "SELECT * FROM pragma_table_info('people')",
    'SELECT * FROM sqlite_dbpage',
    'SELECT * FROM dbstat',
    'SELECT * FROM sqlite_stmt',
    "SELECT * FROM json_each('[1]')",
    'SELECT * FROM generate_series(1, 10)',
    'SELECT * FROM sqlite_schema',
    'SELECT * FROM sqlite_master',
    'SELECT * FROM sqlite_temp_schema',
    'SELECT * FROM main.__tables_receipts',
    'SELECT * FROM "__TABLES_META"',
    'SELECT (SELECT payload FROM __tables_receipts LIMIT 1)',
    'SELECT seq FROM sqlite_sequence',
    'SELECT 1 WHERE 1 IN (SELECT schema_revision FROM __tables_meta)',
    'SELECT zeroblob(1000)',
    'SELECT randomblob(10)',
    "SELECT name FROM people ORDER BY regexp('(a+)+$', name)",
    "SELECT sqlite3mc_config('cipher', 'x')",
    "SELECT sqlite_log(1, 'x')",
  ];
  for (const sql of bad) {
    const answer = await addon.query(sql);
    assert.is(answer.status, 422, `${sql}: ${JSON.stringify(answer.body)}`);
  }
  assert.not.ok(existsSync(written));
});

test('ends an endless query within its time while everything else goes on', async () => {
  const started = Date.now();
  const [slow, ...others] = await Promise.all([
    addon.query(endless),
    addon.query('SELECT 1'),
    addon.read({ tool: 'inspect' }),
    addon.raw('/health', undefined),
  ]);
  assert.is(slow.body.error.code, 'query_too_slow');
  assert.ok(Date.now() - started < 8_000);
  for (const answer of others) assert.is(answer.status, 200);
  assert.is((await addon.query('SELECT 2')).body.payload.rows[0][0], 2);
});

/** Waits until no helper runs. Had it not been ended, each would have run for the whole time of its query. */
async function endedBeforeTheirTime(started: number): Promise<void> {
  while (addon.helpers().length > 0) {
    assert.ok(Date.now() - started < QUERY_DEADLINE_MS, 'the queries were ended when their callers left');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('ends a query that its caller left, so that the next one is served at once', async () => {
  const body = JSON.stringify(envelope('read', 'read', { tool: 'query', sql: endless }));
  const started = Date.now();
  await Promise.all([addon.leave('/read', body, 400), addon.leave('/read', body, 400)]);
  await endedBeforeTheirTime(started);
  assert.is((await addon.query('SELECT 3')).status, 200);
});

test('survives a query that would use up its memory', async () => {
  const hungry = [
    "WITH RECURSIVE c(n, x) AS (SELECT 1, 'aaaaaaaa' UNION ALL SELECT n + 1, x || x FROM c LIMIT 40) SELECT max(length(x)) FROM c",
    "WITH RECURSIVE c(n, x) AS (SELECT 1, printf('%5000000d', 1) UNION ALL SELECT n + 1, x FROM c LIMIT 100000) SELECT group_concat(x) FROM c",
    "WITH RECURSIVE c(n, x) AS (SELECT 1, cast(printf('%20000000d', 1) AS BLOB) UNION ALL SELECT n + 1, x FROM c LIMIT 100000) SELECT x FROM c",
  ];
  for (const sql of hungry) {
    const answer = await addon.query(sql);
    const ended = answer.status === 422 || answer.body.payload?.truncated === true;
    assert.ok(ended, `${sql.slice(0, 60)}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`);
  }
  assert.is((await addon.query('SELECT 1')).status, 200);
  assert.is(addon.process.exitCode, null);
});

test('survives a query that makes SQLite or its driver abort', async () => {
  const broken = await addon.query("SELECT cast(substr(cast('é' AS BLOB), 1, 1) AS TEXT)");
  assert.is(broken.status, 422);
  assert.is(broken.body.error.code, 'query_failed');
  assert.is((await addon.query('SELECT 1')).status, 200);
});

test('bounds the answer by rows and by bytes, and says when there was more', async () => {
  const numbers = (last: number) => `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ${last})`;
  const rows = await addon.query(`${numbers(5000)} SELECT x FROM c`);
  assert.is(rows.body.payload.rows.length, 1000);
  assert.is(rows.body.payload.truncated, true);
  const exact = await addon.query(`${numbers(1000)} SELECT x FROM c`);
  assert.equal([exact.body.payload.rows.length, exact.body.payload.truncated], [1000, false]);
  const wide = await addon.query(`${numbers(900)} SELECT x, printf('%5000d', x) FROM c`);
  assert.is(wide.body.payload.truncated, true);
  assert.ok(JSON.stringify(wide.body).length <= 1_048_576);
  const limited = await addon.read({ tool: 'query', sql: 'SELECT name FROM people', limit: 2 });
  assert.equal([limited.body.payload.rows.length, limited.body.payload.truncated], [2, true]);
});

test('refuses SELECTs nested deeper than the limit', async () => {
  const nested = (depth: number) => `${'SELECT * FROM ('.repeat(depth - 1)}SELECT 1 AS a${')'.repeat(depth - 1)}`;
  assert.is((await addon.query(nested(8))).status, 200);
  assert.is((await addon.query(nested(9))).status, 422);
});

/** As many endless queries as may run and wait: any more are told to come back. */
const HELD = 10;

test('tells the caller to come back when too many queries wait, and serves again when they are gone', async () => {
  const body = JSON.stringify(envelope('read', 'read', { tool: 'query', sql: endless }));
  const started = Date.now();
  const calls = Array.from({ length: HELD + 2 }, () => addon.begin('/read', body));
  const told = await Promise.all((await firstOf(calls, 2)).map(({ answer }) => answer));
  told.push(await addon.query('SELECT 1'));
  for (const { status, headers, body: said } of told) assert.equal([status, headers['retry-after']], [429, '1'], said);
  for (const call of calls) call.leave();
  await endedBeforeTheirTime(started);
  // Those that waited do not get their turn, which would have taken four times the deadline of a query.
  const left = Date.now();
  let again = await addon.query('SELECT 1');
  while (again.status === 429 && Date.now() - left < QUERY_DEADLINE_MS) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    again = await addon.query('SELECT 1');
  }
  assert.is(again.status, 200);
  assert.ok(Date.now() - left < 3 * QUERY_DEADLINE_MS, `served ${Date.now() - left} ms after they left`);
});

/** The first `count` of the calls that are answered. */
function firstOf(calls: readonly Begun[], count: number): Promise<Begun[]> {
  const answered: Begun[] = [];
  return new Promise((resolve, reject) => {
    for (const call of calls)
      call.answer.then(() => {
        answered.push(call);
        if (answered.length === count) resolve([...answered]);
      }, reject);
  });
}

test('reads of an unknown database, table, column or tool are refused in words', async () => {
  assert.is((await addon.read({ tool: 'query', sql: 'SELECT 1' }, { resourceId: 'res-none' })).status, 422);
  assert.is((await addon.read({ tool: 'list-rows', table: 'none' })).body.error.code, 'unknown_table');
  const column = { tool: 'list-rows', table: 'people', columns: ['none'] };
  assert.match((await addon.read(column)).body.error.message, /has no column "none"/);
  assert.is((await addon.read({ tool: 'insert-rows' })).status, 422);
  assert.is((await addon.read({ tool: 'inspect', extra: 1 })).status, 400);
  assert.is((await addon.read({ tool: 'inspect' }, { resourceId: undefined })).status, 422);
});

test('lists rows by keys, conditions and order, page by page', async () => {
  const list = async (args: Record<string, unknown>) =>
    (await addon.read({ tool: 'list-rows', table: 'people', columns: ['name'], ...args }, { resourceId: DATABASE }))
      .body.payload;
  assert.equal(await list({ orderBy: 'score', descending: true, limit: 2 }), {
    table: 'people',
    columns: ['rowid', 'name'],
    rows: [
      [3, 'c "x" d'],
      [2, 'bob'],
    ],
    total: 3,
    next: 2,
  });
  const keys = async (where: unknown[]) => (await list({ where })).rows.map((row: unknown[]) => row[0]);
  assert.equal(await keys([{ column: 'name', operator: 'contains', value: '"x"' }]), [3]);
  assert.equal(await keys([{ column: 'name', operator: 'starts-with', value: 'b' }]), [2]);
  assert.equal(await keys([{ column: 'ok', operator: 'is-empty' }]), [3]);
  assert.equal(await keys([{ column: 'ok', operator: 'equals', value: true }]), [1]);
  assert.equal(await keys([{ column: 'ok', operator: 'differs', value: true }]), [2, 3]);
  assert.equal(await keys([{ column: 'day', operator: 'at-most', value: '2024-01-01' }]), [1]);
  assert.equal(
    await keys([
      { column: 'score', operator: 'greater', value: 1 },
      { column: 'score', operator: 'less', value: 3 },
    ]),
    [2],
  );
  assert.equal(
    (await list({ ids: [3, 1, 99] })).rows.map((row: unknown[]) => row[0]),
    [1, 3],
  );
});

test.run();
