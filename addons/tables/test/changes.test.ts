/** Previews that write nothing, applies that happen once or not at all, and receipts that say which. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../../../test/support/harness.js';
import { Addon, DATABASE } from './support/addon.js';

const test = suite('tables changes');
let addon: Addon;
const COLUMNS = [
  { name: 'title', type: 'text' },
  { name: 'pages', type: 'integer' },
  { name: 'price', type: 'real' },
  { name: 'read', type: 'boolean' },
  { name: 'bought', type: 'date' },
];
const ROWS = [
  ['Ficciones', 174, 9.5, true, '2020-02-29'],
  ['Mrs Dalloway', 194, 7, false, null],
  ['Solaris', 204, 8.25, null, '2021-07-01'],
];

test.before(async () => {
  addon = await Addon.start();
});
test.after(() => addon.stop());
test.beforeEach(async () => {
  const revision = (await addon.read({ tool: 'inspect' })).body?.payload?.revision;
  if (revision !== undefined) {
    await addon.apply('delete', { tool: 'delete-database' }, revision, { operationId: `ui-${++counter}` });
  }
  database = `res-${++counter}`;
  await addon.createDatabase(database);
  await change('schema', { tool: 'create-table', table: 'books', columns: COLUMNS });
  await change('write', { tool: 'insert-rows', table: 'books', columns: COLUMNS.map(({ name }) => name), rows: ROWS });
});

let counter = 0;
let database = DATABASE;
const nextId = () => `op-${++counter}`;

async function change(action: string, args: Record<string, unknown>, operationId = nextId()) {
  const answer = await addon.change(action, operationId, args, { resourceId: database });
  assert.is(answer.status, 200, JSON.stringify(answer.body));
  assert.is(answer.body.state, 'committed');
  return answer.body;
}

const inspect = async () => (await addon.read({ tool: 'inspect' }, { resourceId: database })).body.payload;
const rows = async (table = 'books') =>
  (await addon.read({ tool: 'list-rows', table }, { resourceId: database })).body.payload.rows;
const preview = (action: string, args: Record<string, unknown>) =>
  addon.preview(action, args, { resourceId: database, operationId: nextId() });

function bytesOnDisk(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(addon.dataDir).sort()) {
    if (name !== 'tmp' && !name.endsWith('-shm')) hash.update(name).update(readFileSync(join(addon.dataDir, name)));
  }
  return hash.digest('hex');
}

const TOOLS: readonly [string, Record<string, unknown>, number][] = [
  ['write', { tool: 'insert-rows', table: 'books', columns: ['title'], rows: [['A'], ['B']] }, 2],
  ['write', { tool: 'update-rows', table: 'books', all: true, set: [{ column: 'read', value: true }] }, 3],
  ['write', { tool: 'delete-rows', table: 'books', where: [{ column: 'pages', operator: 'greater', value: 190 }] }, 2],
  ['write', { tool: 'import-csv', table: 'books', csv: 'pages,title\n10,"a ""b"" c"\n11,d\n' }, 2],
  ['schema', { tool: 'create-table', table: 'films', columns: [{ name: 'a', type: 'text' }] }, 1],
  ['schema', { tool: 'create-table-from-csv', table: 'films', csv: 'a,b\n1,2\n3,4\n5,6\n' }, 3],
  ['schema', { tool: 'alter-table', table: 'books', change: 'add-column', column: 'isbn', type: 'text' }, 1],
  ['schema', { tool: 'alter-table', table: 'books', change: 'rename-column', column: 'read', to: 'finished' }, 1],
  ['schema', { tool: 'alter-table', table: 'books', change: 'drop-column', column: 'bought' }, 2],
  ['schema', { tool: 'alter-table', table: 'books', change: 'rename-table', to: 'shelf' }, 1],
  ['schema', { tool: 'drop-table', table: 'books' }, 3],
  ['schema', { tool: 'rename-database', name: 'Library' }, 1],
];

test('previews the exact count and a sample with the current revision, and writes nothing [WIRE-018] [WIRE-019]', async () => {
  const { revision } = await inspect();
  const before = bytesOnDisk();
  for (const [action, args, count] of TOOLS) {
    const answer = await preview(action, args);
    assert.is(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(Object.keys(answer.body).sort(), ['expiresAt', 'operationId', 'revision', 'summary']);
    assert.equal(answer.body.revision, revision);
    assert.is(answer.body.summary.count, count, String(args.tool));
    assert.ok(answer.body.summary.sample.length >= 1 && answer.body.summary.sample.length <= 20);
  }
  assert.is(bytesOnDisk(), before);
});

test('shows what an update and a deletion do to each row, before and after', async () => {
  const set = [{ column: 'pages', value: 200 }];
  const update = await preview('write', { tool: 'update-rows', table: 'books', ids: [1, 3], set });
  assert.equal(update.body.summary.sample, [
    { rowid: 1, before: { pages: 174 }, after: { pages: 200 } },
    { rowid: 3, before: { pages: 204 }, after: { pages: 200 } },
  ]);
  const removal = await preview('write', { tool: 'delete-rows', table: 'books', ids: [2] });
  const before = { title: 'Mrs Dalloway', pages: 194, price: 7, read: false, bought: null };
  assert.equal(removal.body.summary.sample, [{ rowid: 2, before }]);
});

test('keeps a sample within 20 entries and 16 KiB, and says what it cut', async () => {
  const long = Array.from({ length: 60 }, () => ['x'.repeat(5_000)]);
  const answer = await preview('write', { tool: 'insert-rows', table: 'books', columns: ['title'], rows: long });
  assert.is(answer.body.summary.count, 60);
  assert.is(answer.body.summary.sample.length, 20);
  assert.ok(JSON.stringify(answer.body.summary.sample).length <= 16_384);
  assert.match(answer.body.summary.sample[0].after.title, /… \(4800 more characters\)$/);
});

test('applies every tool as previewed and moves the revision of what it touched [WIRE-021]', async () => {
  for (const [action, args] of TOOLS.filter(([, { tool }]) => tool !== 'create-table-from-csv')) {
    if (args.table === 'books' && !(await inspect()).tables.some((table: { name: string }) => table.name === 'books'))
      continue;
    const { revision } = await inspect();
    const receipt = await change(action, args);
    assert.ok(receipt.revision.schema + receipt.revision.data > revision.schema + revision.data, String(args.tool));
    if (action === 'write') assert.is(receipt.revision.schema, revision.schema);
    else assert.is(receipt.revision.schema, revision.schema + 1);
    assert.equal((await inspect()).revision, receipt.revision);
  }
  assert.is((await inspect()).name, 'Library');
});

test('stores typed values and gives them back as they were', async () => {
  assert.equal(
    await rows(),
    ROWS.map((row, at) => [at + 1, ...row]),
  );
});

test('refuses a value that does not fit its column, naming row and column, and changes nothing', async () => {
  const bad: [string, unknown][] = [
    ['pages', 1.5],
    ['pages', '12'],
    ['pages', 2 ** 53],
    ['price', 'x'],
    ['read', 1],
    ['bought', '2021-02-29'],
    ['bought', '2021-2-3'],
    ['title', 5],
    ['title', 'a\0b'],
    ['title', ['a']],
    ['title', { a: 1 }],
    ['title', 'x'.repeat(65_537)],
  ];
  const before = await inspect();
  for (const [column, value] of bad) {
    const args = { tool: 'insert-rows', table: 'books', columns: ['title', column].slice(column === 'title' ? 1 : 0) };
    const row = column === 'title' ? [value] : ['fine', value];
    const answer = await addon.apply('write', { ...args, rows: [row] }, before.revision, {
      resourceId: database,
      operationId: nextId(),
    });
    assert.is(answer.status, 422, JSON.stringify([column, value]));
    assert.match(answer.body.error.message, new RegExp(`Row 1: The column "${column}"`));
  }
  assert.equal(await inspect(), before);
});

test('rejects a change whose revision moved after the preview, and overwrites nothing [CONFIRM-002] [WIRE-020]', async () => {
  const args = { tool: 'update-rows', table: 'books', ids: [1], set: [{ column: 'title', value: 'Mine' }] };
  const seen = (await preview('write', args)).body.revision;
  await change('write', { ...args, set: [{ column: 'title', value: 'Theirs' }] });
  const now = await inspect();
  const operationId = nextId();
  const answer = await addon.apply('write', args, seen, { resourceId: database, operationId });
  assert.is(answer.status, 200);
  assert.is(answer.body.state, 'rejected');
  assert.equal(answer.body.revision, now.revision);
  assert.is(answer.body.result.payload.error, 'stale');
  assert.is((await rows())[0][1], 'Theirs');
  assert.equal(await inspect(), now);
  assert.equal((await addon.receipt(operationId)).body, answer.body);
  const schema = await addon.apply(
    'write',
    args,
    { ...now.revision, schema: now.revision.schema - 1 },
    {
      resourceId: database,
      operationId: nextId(),
    },
  );
  assert.is(schema.body.state, 'rejected');
  assert.is((await rows())[0][1], 'Theirs');
});

test('answers a repeated operation with its first receipt and runs nothing again [WIRE-031]', async () => {
  const args = { tool: 'insert-rows', table: 'books', columns: ['title'], rows: [['Once']] };
  const { revision } = await inspect();
  const operationId = nextId();
  const options = { resourceId: database, operationId };
  const first = await addon.apply('write', args, revision, options);
  assert.is(first.body.state, 'committed');
  const again = await Promise.all([
    addon.apply('write', args, revision, options),
    addon.apply(
      'write',
      { rows: args.rows, columns: args.columns, table: args.table, tool: args.tool },
      revision,
      options,
    ),
    addon.apply('write', args, revision, { ...options, credentialId: 'owner-recovery' }),
  ]);
  for (const answer of again) assert.equal(answer, { ...answer, status: 200, body: first.body });
  assert.is((await rows()).length, 4);
  assert.equal((await addon.receipt(operationId)).body, first.body);
});

test('answers 409 for a repeated operation id with any part of its binding changed [WIRE-032] [WIRE-030]', async () => {
  const args = { tool: 'delete-rows', table: 'books', ids: [1] };
  const { revision } = await inspect();
  const operationId = nextId();
  const options = { resourceId: database, operationId };
  assert.is((await addon.apply('write', args, revision, options)).body.state, 'committed');
  const other = `res-${++counter}`;
  await addon.createDatabase(other);
  const changed = [
    addon.apply('write', { ...args, ids: [2] }, revision, options),
    addon.apply('write', args, { ...revision, data: revision.data + 1 }, options),
    addon.apply('write', args, revision, { ...options, userId: 'user-2' }),
    addon.apply('write', args, revision, { ...options, resourceId: other }),
    addon.apply('schema', { tool: 'drop-table', table: 'books' }, revision, options),
    addon.apply(
      'create',
      { tool: 'create-database', name: 'x' },
      { schema: 1, data: 0 },
      { ...options, resourceId: 'res-new' },
    ),
    addon.apply('delete', { tool: 'delete-database' }, revision, options),
  ];
  for (const answer of await Promise.all(changed)) {
    assert.is(answer.status, 409);
    assert.is(answer.body.error.code, 'operation_conflict');
  }
  assert.is((await rows()).length, 2);
});

test('forgets an operation it refused, so that the corrected call may reuse the id', async () => {
  const { revision } = await inspect();
  const options = { resourceId: database, operationId: nextId() };
  const wrong = await addon.apply('schema', { tool: 'drop-table', table: 'boks' }, revision, options);
  assert.is(wrong.status, 422);
  assert.is((await addon.receipt(options.operationId)).status, 404);
  assert.is(
    (await addon.apply('schema', { tool: 'drop-table', table: 'books' }, revision, options)).body.state,
    'committed',
  );
});

test('refuses a tool under another action, as a read, and undeclared, administrative or inherited names', async () => {
  const { revision } = await inspect();
  const apply = (action: string, args: Record<string, unknown>) =>
    addon.apply(action, args, revision, { resourceId: database, operationId: nextId() });
  const drop = { tool: 'drop-table', table: 'books' };
  for (const action of ['write', 'create', 'delete', 'undo', 'read']) {
    assert.is((await apply(action, drop)).status, 422, action);
  }
  for (const action of ['write', 'schema', 'create', 'read']) {
    assert.is((await apply(action, { tool: 'delete-database' })).status, 422, action);
  }
  for (const tool of ['toString', '__proto__', 'constructor', '', 'DROP-TABLE', 7, null, 'inspect']) {
    assert.is((await apply('schema', { ...drop, tool })).status, 422, String(tool));
  }
  assert.is((await addon.read(drop, { resourceId: database })).status, 422);
  assert.is((await preview('delete', { tool: 'delete-database' })).status, 422);
  assert.is((await apply('schema', { ...drop, approved: true })).status, 400);
  assert.is((await inspect()).tables.length, 1);
});

test('requires a change of rows to say which rows it means', async () => {
  const set = [{ column: 'read', value: true }];
  for (const which of [{}, { ids: [1], all: true }, { ids: [] }, { where: [] }, { all: false }]) {
    assert.is(
      (await preview('write', { tool: 'update-rows', table: 'books', set, ...which })).status,
      400,
      JSON.stringify(which),
    );
    assert.is((await preview('write', { tool: 'delete-rows', table: 'books', ...which })).status, 400);
  }
  const nothing = { tool: 'delete-rows', table: 'books', ids: [99] };
  assert.is((await preview('write', nothing)).body.error.code, 'no_rows');
});

test('never gives a row key twice', async () => {
  await change('write', { tool: 'delete-rows', table: 'books', ids: [3] });
  const receipt = await change('write', { tool: 'insert-rows', table: 'books', columns: ['title'], rows: [['New']] });
  assert.equal(receipt.result.payload.ids, [4]);
});

test('keeps a receipt of a deleted database and refuses the creation that would bring it back', async () => {
  const operationId = nextId();
  const written = await change('write', { tool: 'delete-rows', table: 'books', ids: [1] }, operationId);
  const deletion = { resourceId: database, operationId: nextId() };
  const removed = await addon.apply('delete', { tool: 'delete-database' }, written.revision, deletion);
  assert.is(removed.body.state, 'committed');
  assert.equal((await addon.read({ tool: 'resource-exists' }, { resourceId: database })).body.payload, {
    exists: false,
  });
  assert.equal(
    readdirSync(addon.dataDir).filter((name) => name.startsWith(`${database}.`)),
    [],
  );
  assert.equal((await addon.receipt(operationId)).body, written);
  assert.equal(
    (await addon.apply('delete', { tool: 'delete-database' }, written.revision, deletion)).body,
    removed.body,
  );
  const creation = { resourceId: database, operationId: nextId() };
  const again = await addon.apply('create', { tool: 'create-database', name: 'x' }, { schema: 1, data: 0 }, creation);
  assert.is(again.status, 409);
});

test('rejects the deletion of a database that changed since', async () => {
  const { revision } = await inspect();
  await change('schema', { tool: 'rename-database', name: 'Other' });
  const options = { resourceId: database, operationId: nextId() };
  const answer = await addon.apply('delete', { tool: 'delete-database' }, revision, options);
  assert.is(answer.body.state, 'rejected');
  assert.equal((await addon.receipt(options.operationId)).body, answer.body);
  assert.equal((await addon.read({ tool: 'resource-exists' }, { resourceId: database })).body.payload, {
    exists: true,
  });
});

test('creates a database once, and says whether one exists', async () => {
  const options = { resourceId: 'res-created', operationId: 'create-res-created' };
  const args = { tool: 'create-database', name: 'Büro 2026' };
  const exists = async () => (await addon.read({ tool: 'resource-exists' }, options)).body.payload;
  const previewed = await addon.preview('create', args, options);
  assert.equal(previewed.body.summary, { count: 1, sample: [{ name: 'Büro 2026' }] });
  assert.equal(await exists(), { exists: false });
  const first = await addon.apply('create', args, previewed.body.revision, options);
  assert.equal(first.body.revision, { schema: 1, data: 0 });
  assert.equal(await exists(), { exists: true });
  assert.equal((await addon.apply('create', args, previewed.body.revision, options)).body, first.body);
  const renamed = { ...args, name: 'Other' };
  assert.is((await addon.apply('create', renamed, previewed.body.revision, options)).status, 409);
  const inspected = await addon.read({ tool: 'inspect' }, options);
  assert.equal(inspected.body.payload, { name: 'Büro 2026', revision: { schema: 1, data: 0 }, tables: [] });
});

test('refuses names that are empty, too long, invisible or reserved', async () => {
  const names = ['', ' ', ' a', 'a ', 'x'.repeat(65), 'a\u202eb', 'a\u200bb', 'a\nb', 'a\u0000b'];
  for (const name of names) {
    const create = await addon.preview(
      'create',
      { tool: 'create-database', name },
      { resourceId: 'res-x', operationId: nextId() },
    );
    assert.ok(create.status === 422 || create.status === 400, JSON.stringify(name));
    const table = await preview('schema', {
      tool: 'create-table',
      table: name,
      columns: [{ name: 'a', type: 'text' }],
    });
    assert.ok(table.status === 422 || table.status === 400, JSON.stringify(name));
  }
  for (const table of ['sqlite_schema', 'SQLITE_x', '__tables_receipts', '__TABLES_x', 'Books']) {
    const answer = await preview('schema', { tool: 'create-table', table, columns: [{ name: 'a', type: 'text' }] });
    assert.is(answer.status, 422, table);
  }
  for (const name of ['rowid', 'OID', '_rowid_']) {
    const answer = await preview('schema', { tool: 'create-table', table: 't', columns: [{ name, type: 'text' }] });
    assert.is(answer.status, 422, name);
  }
  for (const table of ['__tables_receipts', '__tables_meta', 'sqlite_sequence', 'sqlite_schema']) {
    assert.is((await addon.read({ tool: 'list-rows', table }, { resourceId: database })).status, 422, table);
    assert.is((await preview('schema', { tool: 'drop-table', table })).status, 422, table);
  }
});

test.run();
