/** A real data set through the wire, and names and values that try to be SQL. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { assert, suite } from '../../../test/support/harness.js';
import { parseCsv } from '../src/values/csv.js';
import { Addon } from './support/addon.js';

const test = suite('tables import');
const AIRPORTS = fileURLToPath(new URL('../../../../docs/tour/airports.csv', import.meta.url));
let addon: Addon;
test.before(async () => {
  addon = await Addon.start();
  await addon.createDatabase();
});
test.after(() => addon.stop());

let counter = 0;
const nextId = () => `op-${++counter}`;

test('imports the whole airports file in one change and finds the rows again', async () => {
  const csv = readFileSync(AIRPORTS, 'utf8');
  const args = { tool: 'create-table-from-csv', table: 'airports', csv };
  assert.ok(JSON.stringify(args).length < 1_048_576, 'the file does not fit one call');
  const previewed = await addon.preview('schema', args, { operationId: nextId() });
  assert.is(previewed.body.summary.count, 3_376);
  const receipt = await addon.change('schema', nextId(), args);
  assert.is(receipt.body.state, 'committed');
  assert.is(receipt.body.result.payload.count, 3_376);
  const inspected = await addon.read({ tool: 'inspect' });
  assert.equal(inspected.body.payload.tables, [
    {
      name: 'airports',
      rows: 3_376,
      columns: [
        ...['iata', 'name', 'city', 'state', 'country'].map((name) => ({ name, type: 'text' })),
        { name: 'latitude', type: 'real' },
        { name: 'longitude', type: 'real' },
      ],
    },
  ]);
  const states = await addon.query('SELECT state, count(*) AS n FROM airports GROUP BY state ORDER BY n DESC LIMIT 2');
  assert.equal(states.body.payload.rows, [
    ['AK', 263],
    ['TX', 209],
  ]);
  const parsed = parseCsv(csv);
  const expected = parsed.ok ? parsed.value.rows.slice(2_000, 2_100) : [];
  const listed = await addon.read({ tool: 'list-rows', table: 'airports', limit: 100, offset: 2_000 });
  assert.equal(
    listed.body.payload.rows.map((row: unknown[]) => row.slice(1, 6)),
    expected.map((row) => row.slice(0, 5)),
  );
  assert.is(listed.body.payload.next, 2_100);
});

test('adds a CSV to a table that exists, whose columns it may name in any order and case', async () => {
  const rows = 'NAME,iata\nNowhere,ZZ1\n"Some ""where""",ZZ2\n';
  const args = { tool: 'import-csv', table: 'AIRPORTS', csv: rows };
  assert.is((await addon.change('write', nextId(), args)).body.result.payload.count, 2);
  const found = await addon.query("SELECT name, city FROM airports WHERE iata = 'ZZ2'");
  assert.equal(found.body.payload.rows, [['Some "where"', null]]);
});

test('refuses a CSV whose header or fields do not fit, names the row, and imports none of it', async () => {
  const count = async () => (await addon.query('SELECT count(*) FROM airports')).body.payload.rows[0][0];
  const before = await count();
  const bad: [string, RegExp][] = [
    ['iata,nothing\na,b\n', /has no column "nothing"/],
    ['iata,IATA\na,b\n', /named twice/],
    ['iata,latitude\nok,1\nbad,north\n', /Row 2: The column "latitude" takes a number/],
    ['iata\n', /no rows/],
    ['iata,name\na\n', /Row 1 has 1 fields/],
  ];
  for (const [csv, message] of bad) {
    const answer = await addon.preview(
      'write',
      { tool: 'import-csv', table: 'airports', csv },
      { operationId: nextId() },
    );
    assert.is(answer.status, 422, csv);
    assert.match(answer.body.error.message, message);
    const { revision } = (await addon.read({ tool: 'inspect' })).body.payload;
    const applied = await addon.apply('write', { tool: 'import-csv', table: 'airports', csv }, revision, {
      operationId: nextId(),
    });
    assert.is(applied.status, 422, csv);
  }
  assert.is(await count(), before);
});

const HOSTILE = [
  '"; DROP TABLE canary; --',
  "'); DELETE FROM canary; --",
  'a" TEXT); DROP TABLE canary; CREATE TABLE "b',
  '?1',
  ':name',
  '$x',
  '@y',
  '%s',
  '`',
  '[a]',
  '\\',
  '""',
  "''",
  'select',
  'canary"."value',
  '/*',
  '--',
];

test('takes names and values that look like SQL as nothing but names and values', async () => {
  const columns = [{ name: 'value', type: 'text' }];
  await addon.change('schema', nextId(), { tool: 'create-table', table: 'canary', columns });
  const insert = { tool: 'insert-rows', table: 'canary', columns: ['value'], rows: [['alive']] };
  await addon.change('write', nextId(), insert);
  const word = fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.string({
      unit: fc.constantFrom('"', "'", ';', '`', '[', ']', '-', '(', ')', 'a', ' '),
      minLength: 1,
      maxLength: 12,
    }),
  );
  const name = word.map((text) => `n${text}n`);
  await fc.assert(
    fc.asyncProperty(name, name, word, word, async (table, column, value, replaced) => {
      const made = { tool: 'create-table', table, columns: [{ name: column, type: 'text' }] };
      assert.is((await addon.change('schema', nextId(), made)).body.state, 'committed');
      const rows = { tool: 'insert-rows', table, columns: [column], rows: [[value]] };
      await addon.change('write', nextId(), rows);
      const where = [{ column, operator: 'equals', value }];
      const set = [{ column, value: replaced }];
      const update = await addon.change('write', nextId(), { tool: 'update-rows', table, where, set });
      assert.is(update.body.result.payload.count, 1);
      const alter = { tool: 'alter-table', table, change: 'rename-column', column, to: `${column}2` };
      assert.is((await addon.change('schema', nextId(), alter)).body.state, 'committed');
      const listed = await addon.read({ tool: 'list-rows', table, orderBy: `${column}2` });
      assert.equal(listed.body.payload.columns, ['rowid', `${column}2`]);
      assert.equal(listed.body.payload.rows, [[1, replaced]]);
      const quoted = `SELECT "${`${column}2`.replaceAll('"', '""')}" FROM "${table.replaceAll('"', '""')}"`;
      assert.equal((await addon.query(quoted)).body.payload.rows, [[replaced]]);
      const dropped = await addon.change('schema', nextId(), { tool: 'drop-table', table });
      assert.is(dropped.body.state, 'committed');
      const alive = await addon.read({ tool: 'list-rows', table: 'canary' });
      assert.equal(alive.body.payload.rows, [[1, 'alive']]);
    }),
    { numRuns: 40 },
  );
}, 120_000);

test('keeps to its limits of tables, columns, rows of one call and texts', async () => {
  const resourceId = 'res-limits';
  await addon.createDatabase(resourceId);
  const schema = async (args: Record<string, unknown>) =>
    (await addon.change('schema', nextId(), args, { resourceId })).status;
  const column = (at: number) => ({ name: `c${at}`, type: 'text' });
  const wide = Array.from({ length: 100 }, (_, at) => column(at));
  assert.is(await schema({ tool: 'create-table', table: 'wide', columns: wide }), 200);
  const added = { tool: 'alter-table', table: 'wide', change: 'add-column', column: 'more', type: 'text' };
  assert.is(await schema(added), 422);
  assert.is(await schema({ tool: 'create-table', table: 'wider', columns: [...wide, column(100)] }), 400);
  for (let at = 1; at < 64; at += 1) {
    assert.is(await schema({ tool: 'create-table', table: `t${at}`, columns: [column(0)] }), 200);
  }
  assert.is(await schema({ tool: 'create-table', table: 't64', columns: [column(0)] }), 422);
  const rows = Array.from({ length: 101 }, () => ['x']);
  const many = await addon.preview(
    'write',
    { tool: 'insert-rows', table: 't1', columns: ['c0'], rows },
    { resourceId },
  );
  assert.is(many.status, 400);
}, 120_000);

test.run();
