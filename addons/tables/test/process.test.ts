/** The process contract: launcher, descriptors, identity, credentials and what a hostile body gets. */
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '../../../test/support/harness.js';
import { Addon, envelope, GENERATION, PACKAGE } from './support/addon.js';

const test = suite('tables process');
let addon: Addon;
test.before(async () => {
  addon = await Addon.start();
  await addon.createDatabase();
});
test.after(() => addon.stop());

const inspect = { tool: 'inspect' };

test('answers health with the registration it was given, field by field', async () => {
  const answer = await addon.raw('/health', undefined);
  assert.is(answer.status, 200);
  assert.equal(answer.body, addon.registration);
});

test('leaves its data directory without data until the first database', async () => {
  const unused = await Addon.start();
  try {
    assert.equal((await unused.read({ tool: 'resource-exists' })).body.payload, { exists: false });
    assert.is((await unused.receipt('op-none')).status, 404);
    assert.is((await unused.read(inspect)).status, 422);
    await unused.preview('create', { tool: 'create-database', name: 'x' }, { operationId: 'create-res-one' });
    assert.equal(readdirSync(unused.dataDir), ['tmp']);
  } finally {
    await unused.stop();
  }
});

test('ends on SIGTERM with everything in the database files themselves', async () => {
  const ended = await Addon.start();
  try {
    await ended.createDatabase();
    ended.process.kill('SIGTERM');
    assert.is(await ended.exited, 0);
    const logs = readdirSync(ended.dataDir).filter((name) => name.endsWith('-wal'));
    for (const name of logs) assert.is(statSync(join(ended.dataDir, name)).size, 0, name);
    for (const name of readdirSync(ended.dataDir)) {
      if (/-(wal|shm)$/.test(name)) rmSync(join(ended.dataDir, name));
    }
    const again = await Addon.start({ dataDir: ended.dataDir });
    assert.is((await again.receipt('create-res-one')).body.state, 'committed');
    assert.is((await again.read(inspect)).body.payload.name, 'Notes');
    await again.kill();
  } finally {
    await ended.stop();
  }
});

test('runs from a read-only copy of the package without node_modules, PATH or a shell environment', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'tables-package-'));
  cpSync(PACKAGE, elsewhere, { recursive: true });
  for (const name of readdirSync(join(elsewhere, 'bin'))) chmodSync(join(elsewhere, 'bin', name), 0o555);
  chmodSync(join(elsewhere, 'bin'), 0o555);
  const copy = await Addon.start({ executable: join(elsewhere, 'bin/tables') });
  try {
    await copy.createDatabase();
    const environment = readFileSync(`/proc/${copy.process.pid}/environ`, 'utf8').split('\0').filter(Boolean).sort();
    assert.equal(
      environment.filter((entry) => !entry.startsWith('PWD=')),
      ['LANG=C', 'TZ=UTC'],
    );
    assert.is((await copy.query('SELECT 1')).status, 200);
  } finally {
    await copy.stop();
    chmodSync(join(elsewhere, 'bin'), 0o755);
    rmSync(elsewhere, { recursive: true });
  }
});

test('ends when descriptor 4 ends, also while a query runs, and leaves no helper behind', async () => {
  const other = await Addon.start();
  await other.createDatabase();
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
  const lost = other.query(endless).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 700));
  const children = readFileSync(`/proc/${other.process.pid}/task/${other.process.pid}/children`, 'utf8');
  assert.match(children.trim(), /^\d+$/);
  await other.stop();
  await lost;
  const gone = () => {
    try {
      return !readFileSync(`/proc/${children.trim()}/cmdline`, 'utf8').includes('query-helper');
    } catch {
      return true;
    }
  };
  for (let waited = 0; waited < 50 && !gone(); waited += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(gone(), 'the query helper outlived the add-on');
});

test('refuses every call without the bearer credential of this start', async () => {
  for (const authorization of [
    undefined,
    'Bearer ',
    `Bearer ${'c'.repeat(42)}`,
    `Basic ${'c'.repeat(43)}`,
    'c'.repeat(43),
  ]) {
    for (const path of ['/health', '/read', '/nowhere']) {
      const body = path === '/health' ? undefined : JSON.stringify(envelope('read', 'read', inspect));
      const answer = await addon.raw(path, body, { headers: { authorization } });
      assert.is(answer.status, 401, `${path} with ${authorization}`);
    }
  }
});

test('refuses a call for another incarnation', async () => {
  for (const incarnation of [undefined, '', 'ab'.repeat(15), 'AB'.repeat(16), 'ba'.repeat(16)]) {
    const answer = await addon.call('/read', envelope('read', 'read', inspect), {
      headers: { 'x-localai-incarnation': incarnation },
    });
    assert.is(answer.status, 401);
  }
});

test('refuses an envelope with an unknown, missing, repeated or mistyped field [WIRE-004] [WIRE-006] [WIRE-008]', async () => {
  const good = envelope('read', 'read', inspect);
  const bad: unknown[] = [
    { ...good, extra: 1 },
    { request: good.request },
    { ...good, request: { ...good.request, extra: 1 } },
    { ...good, request: { ...good.request, generation: 0 } },
    { ...good, request: { ...good.request, generation: '3' } },
    { ...good, request: { ...good.request, operationId: 'Not An Id' } },
    { ...good, request: { ...good.request, arguments: [] } },
    { ...good, request: { ...good.request, resourceId: '../../etc/passwd' } },
    { ...good, authority: { ...good.authority, approved: true } },
    { ...good, authority: { ...good.authority, expiresAt: 'tomorrow' } },
    { ...good, authority: { ...good.authority, actor: { ...good.authority.actor, mode: 'root' } } },
    { ...good, authority: { ...good.authority, actor: { ...good.authority.actor, userId: 'é'.repeat(129) } } },
    [],
    null,
    7,
  ];
  for (const body of bad) assert.is((await addon.call('/read', body)).status, 400, JSON.stringify(body));
  const text = JSON.stringify(good);
  const twice = text.replace('"action":"read"', '"action":"read","\\u0061ction":"read"');
  for (const broken of [
    twice,
    `${text} 1`,
    text.slice(1),
    '',
    `${'['.repeat(65)}${']'.repeat(65)}`,
    text.replace('"tables"', '"\\ud800"'),
  ]) {
    assert.is((await addon.raw('/read', broken)).status, 400, broken.slice(0, 80));
  }
  assert.is((await addon.raw('/read', text)).status, 200);
});

test('refuses a scope that is not the one of the call, and act calls, which it does not serve [WIRE-010] [WIRE-017]', async () => {
  const read = (scope: string) => addon.call('/read', envelope('read', 'read', inspect, { scope }));
  for (const scope of ['preview', 'apply', 'output']) assert.is((await read(scope)).status, 422);
  assert.is((await read('act')).status, 400);
  assert.is((await read('else')).status, 400);
  const act = { tool: 'insert-rows' };
  assert.is((await addon.call('/act', envelope('act', 'act', act))).status, 422);
  assert.is((await addon.apply('write', act, { schema: 1, data: 0 }, { scope: 'read' })).status, 422);
});

test('refuses an expired authority and another generation before it looks at anything [WIRE-014]', async () => {
  const expired = { expiresAt: new Date(Date.now() - 1).toISOString() };
  assert.is((await addon.read(inspect, expired)).status, 422);
  const args = { tool: 'rename-database', name: 'Never' };
  assert.is(
    (await addon.apply('schema', args, { schema: 1, data: 0 }, { ...expired, operationId: 'op-late' })).status,
    422,
  );
  const old = { operationId: 'op-old', generation: GENERATION - 1 };
  assert.is((await addon.apply('schema', args, { schema: 1, data: 0 }, old)).status, 409);
  assert.is((await addon.receipt('op-late')).status, 404);
  assert.is((await addon.receipt('op-old')).status, 404);
});

test('answers 404, 405, 413 and 415 for what is no call of the wire', async () => {
  assert.is((await addon.raw('/nowhere', '{}')).status, 404);
  assert.is((await addon.raw('/read?x=1', '{}')).status, 404);
  assert.is((await addon.raw('/read', undefined)).status, 405);
  assert.is((await addon.raw('/health', '{}')).status, 405);
  assert.is((await addon.raw('/read', '{}', { headers: { 'content-type': 'text/plain' } })).status, 415);
  const large = await addon.raw('/read', ' '.repeat(2_097_153)).catch(() => ({ status: 413 }));
  assert.is(large.status, 413);
  assert.is((await addon.read(inspect)).status, 200);
});

test('answers 429 with Retry-After when too many calls are in hand, and serves again afterwards', async () => {
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(addon.port, '127.0.0.1');
    socket.on('error', () => {});
    const head = ['POST /read HTTP/1.1', 'Host: a', `Authorization: Bearer ${'c'.repeat(43)}`];
    const rest = [`X-LocalAI-Incarnation: ${'ab'.repeat(16)}`, 'Content-Type: application/json', 'Content-Length: 10'];
    socket.write(`${[...head, ...rest].join('\r\n')}\r\n\r\n`);
    return socket;
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const busy = await addon.read(inspect);
  assert.is(busy.status, 429);
  assert.is(busy.headers['retry-after'], '1');
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.is((await addon.read(inspect)).status, 200);
});

test('says nothing about its credential, its paths or its inside in a refusal or on its error output', async () => {
  const answers = [
    await addon.query("SELECT readfile('/etc/passwd')"),
    await addon.read(inspect, { resourceId: 'unknown' }),
  ];
  for (const { body } of answers) {
    const text = JSON.stringify(body);
    assert.not.match(text, /\/tmp|sqlite3?_|\.cjs|cccccc/i);
    assert.type(body.error.message, 'string');
  }
  assert.not.match(addon.stderr, /cccccc/);
});

test.run();
