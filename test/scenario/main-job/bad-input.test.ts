import { existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { must } from '../../../src/contract/fp.js';
import { tailRecords } from '../../../src/events/inspect/read.js';
import { ROUTES } from '../../../src/http/routes/index.js';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { ARGS } from '../../support/killing-server.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';
import { askOwner } from '../../support/main-job.js';
import { clientOf, type RunningServer, startServer } from '../../support/server.js';
import { archive, file } from '../../support/tar.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('bad input to the real server');
const data = tempDir('bad');
/** What a refused request may be answered with. */
const REFUSED = [400, 403, 404, 405, 409, 410, 413, 415, 421, 429];
let good: TestLibrary;
let server: RunningServer;
let client: ReturnType<typeof clientOf>;
let resourceId = '';
/** Paths of the bad library and what stands there. */
const bad = new Map<string, string | Buffer>();
let badServer: Server;
let origin = '';

const head = async () => (await askOwner(data, 'journal.state', {})).position as number;
/** The types of the records after a position, read as `castellan journal tail` reads them, beside the running owner. */
const typesAfter = async (position: number) => {
  const directory = join(data, 'addons', 'journal');
  const records = must(await tailRecords(directory, (await head()) - position), 'the journal can be read');
  return records.map(({ type }) => type);
};
/** The same from a real process of the command line. */
const toldAfter = async (position: number) => {
  const { out } = await castellan(data, 'journal', 'tail', '-n', String((await head()) - position), '--json');
  const lines = out.trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { type: string }).type);
};
const source = (id: string, url: string) => {
  const policy = { requireSignature: false, allowLoopbackHTTP: true };
  return { id, url, kind: 'addon', name: id, format: 'library', policy };
};

test.before(async () => {
  good = await counterLibrary();
  badServer = createServer((request, response) => {
    const found = bad.get(request.url ?? '');
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  await new Promise<void>((resolve) => badServer.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(badServer.address() as { port: number }).port}`;
  server = await startServer(data, ARGS);
  client = clientOf(server.address);
  await askOwner(data, 'library.add', source('mine', good.url));
  const order = { addonId: 'counter', operationId: 'install-1', action: 'install' };
  assert.is((await client.dispatch({ ...order, arguments: { sourceId: 'mine', version: '1.0.0' } })).status, 200);
  assert.is((await client.post('/api/addons/apps/counter/start', { operationId: 'on-1', generation: 1 })).status, 200);
  const creation = { addonId: 'counter', operationId: 'make-1', generation: 1, arguments: { name: 'Visitors' } };
  resourceId = (await client.own<{ resourceId: string }>('/api/addons/resources', 'make-1', creation)).body.resourceId;
});
test.after(async () => {
  assert.not.match(server.output(), /request failed|unexpected fault|UnhandledPromise/);
  await server.stop();
  badServer.closeAllConnections();
  badServer.close();
  await good.close();
});

test('every bad flag of run exits 2, names the flag and makes nothing', async () => {
  const lines: readonly (readonly string[])[] = [
    ['--address', 'nonsense'],
    ['--address', '127.0.0.1:99999'],
    ['--address', '0.0.0.0:0'],
    ['--auth'],
    ['--addons-ownership-mode', 'named-user'],
    ['--addons-role', 'owner'],
    ['--addons-official-library', 'perhaps'],
    ['--journal', 'sqlite'],
    ['--tls-cert', '/nowhere.pem'],
    ['--tls-key', '/nowhere.pem'],
    ['--tls-cert', '/nowhere.pem', '--tls-key', '/nowhere.pem'],
    ['--tls-key', new URL(import.meta.url).pathname, '--tls-cert', new URL(import.meta.url).pathname],
    ['--external-url', 'ftp://example.org'],
    ['--external-url', 'https://example.org/path'],
    ['--allowed-host', 'http://example.org'],
    ['--trusted-proxy', 'example.org'],
    ['--local-confirm-code=perhaps'],
    ['--log-level', 'loud'],
    ['--no-such-flag'],
  ];
  const waiting = [...lines];
  const worker = async () => {
    for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
      const fresh = join(tempDir('flag'), 'data');
      const ran = await castellan(fresh, 'run', ...line);
      assert.is(ran.code, 2, `${line.join(' ')}: ${ran.err}`);
      assert.ok(ran.err.includes(line[0]?.split('=')[0] ?? ''), `${line.join(' ')}: ${ran.err}`);
      assert.not.ok(existsSync(fresh), `${line.join(' ')} made ${fresh}`);
    }
  };
  await Promise.all([worker(), worker()]);
});

test('a process in the role of a forwarder attaches to no storage, runs no add-on and takes over from no owner [RUNTIME-004]', async () => {
  const processes = () => readdirSync('/proc').filter((name) => isAddon(name)).length;
  const before = processes();
  assert.is(before, 1);
  for (const role of ['frontend', 'forwarder', 'carrier', 'auto']) {
    const ran = await castellan(data, 'run', '--addons-role', role, '--address', '127.0.0.1:0');
    assert.is(ran.code, 2, `${role}: ${ran.err}`);
    assert.is(processes(), before, role);
  }
  assert.is((await client.get('/readyz')).status, 200, 'the owner goes on');
});

/** Whether this is a process of an add-on of this server. */
function isAddon(pid: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${realpathSync(data)}/`);
  } catch {
    return false;
  }
}

/** A request of each POST route that would be taken as it is. */
const bodies = (): Readonly<Record<string, Readonly<Record<string, unknown>>>> => {
  const made = { addonId: 'counter', operationId: 'w-1', generation: 1 };
  return {
    '/api/addons/dispatch': { ...made, resourceId, action: 'read', arguments: { tool: 'value' } },
    '/api/addons/relay': { request: { operationId: 'w-1', action: 'operation-status' }, kind: 'status' },
    '/api/addons/proposals': { ...made, resourceId, action: 'write', arguments: { tool: 'add', amount: 1 } },
    '/api/addons/resources': { ...made, arguments: { name: 'Other' } },
    '/api/addons/apps/:id/start': { operationId: 'w-1', generation: 1 },
    '/api/addons/apps/:id/stop': { operationId: 'w-1', generation: 1 },
    '/api/addons/proposals/:id/confirm': { digest: `sha256:${'0'.repeat(64)}` },
    '/api/addons/proposals/:id/resolve': { digest: `sha256:${'0'.repeat(64)}`, reason: 'It was wrong.' },
    '/api/addons/proposals/:id/cancel': {},
    '/api/addons/proposals/:id/reconcile': {},
    '/api/local-confirm': { code: 'abc' },
    '/api/library/sources': { kind: 'addon', url: 'https://example.org/index.yaml' },
    '/api/library/sources/:id/enable': {},
    '/api/library/sources/:id/disable': {},
    '/api/settings': {},
    '/backends/library/install': { sourceId: 'none', name: 'none', version: '1.0.0' },
  };
};
const WRONG = [
  null,
  true,
  -1,
  1.5,
  2 ** 53,
  '',
  'A B\u0000',
  'x'.repeat(70_000),
  [],
  [1],
  { no: 1 },
  '../../etc/passwd',
];
const MALFORMED: readonly string[] = [
  '',
  ' ',
  '{',
  'null',
  '1',
  '"text"',
  '[]',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1}}',
  '{} {}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":"\\ud800"}',
  '{"a":"\u0001"}',
  '\ufeff{}',
  '['.repeat(100_000),
  `{"a":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`,
  `{"a":"${'x'.repeat(2_200_000)}"}`,
];

/** Every way in which one body is wrong: as text, or with one field of another type, missing, or too many. */
function variants(body: Readonly<Record<string, unknown>>): string[] {
  const changed = Object.keys(body).flatMap((field) => [
    ...WRONG.map((wrong) => ({ ...body, [field]: wrong })),
    Object.fromEntries(Object.entries(body).filter(([name]) => name !== field)),
  ]);
  return [...MALFORMED, ...[...changed, { ...body, unexpected: 1 }].map((each) => JSON.stringify(each))];
}

test('every malformed body of every POST route is refused with a typed error and changes nothing', async () => {
  const known = bodies();
  const posts = ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => path);
  assert.equal([...posts].sort(), Object.keys(known).sort(), 'each POST route is tried');
  const before = await head();
  for (const path of posts) {
    const at = path.replace('/apps/:id', '/apps/counter').replace(':id', 'none-1');
    for (const text of variants(known[path] ?? {})) {
      for (const subject of [undefined, path === '/api/addons/resources' ? 'w-1' : 'none-1']) {
        const reply = await (subject === undefined ? client.post(at, text) : client.own(at, subject, text));
        const { error } = reply.body as { error?: { type?: string; message?: string } };
        const told = `${path} ${subject ?? ''} ${text.slice(0, 200)}: ${reply.status} ${JSON.stringify(reply.body)}`;
        assert.ok(REFUSED.includes(reply.status), told);
        assert.ok(typeof error?.type === 'string' && typeof error.message === 'string', told);
      }
    }
  }
  assert.is(await head(), before);
}, 120_000);

test('odd paths and queries of every GET route are answered, never with a fault', async () => {
  const odd = ['%00', '%2e%2e%2f', '%ff', 'A'.repeat(5_000), '..%5c', "'--", '%F0%9F%92%A9'];
  const queries = [
    '',
    '?limit=-1',
    '?limit=1e99',
    '?cursor=%00',
    '?state=none',
    '?generation=x',
    '?addonId=%ff',
    '?a=1&a=2',
  ];
  const gets = ROUTES.filter(({ method, path }) => method === 'GET' && path !== '/api/events');
  for (const { path } of gets)
    for (const part of path.includes(':') ? odd : ['x'])
      for (const query of queries) {
        const at = path.replace(/:\w+/g, part) + query;
        const response = await fetch(`${server.address}${at}`);
        await response.arrayBuffer();
        assert.ok(response.status < 500, `${at.slice(0, 200)}: ${response.status}`);
      }
});

test('garbage on the control socket is refused and the server goes on', async () => {
  const before = await head();
  const link = join(data, 'addons', 'runtime', 'control.sock');
  const wholes = ['{', 'null', '[]', '{"command":1}', '{"command":"__proto__","args":{}}', '{"command":"library.add"}'];
  const texts = wholes.map((body) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  for (const text of [...texts, '\u0000\u0001 nonsense\r\n\r\n', 'POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\n{']) {
    await new Promise<void>((resolve, reject) => {
      const socket = connect(link, () => socket.write(text));
      socket.setTimeout(500, () => socket.destroy());
      socket.on('data', () => socket.destroy());
      // A reset is an answer too.
      socket.on('error', (error: NodeJS.ErrnoException) => error.code !== 'ECONNRESET' && reject(error));
      socket.on('close', () => resolve());
    });
    assert.is(server.child.exitCode, null, text);
  }
  assert.is(await head(), before);
});

const entry = (digest: string) =>
  `- id: broken\n  name: Broken\n  version: 1.0.0\n  artifact: ${origin}/p.tar\n  digest: ${digest}\n  os: linux\n  arch: ${process.arch === 'arm64' ? 'arm64' : 'amd64'}\n`;
const SOME = `sha256:${'a'.repeat(64)}`;

test('every bad library index is refused by its type, and nothing is installed from it', async () => {
  const indexes: readonly (string | Buffer)[] = [
    '',
    'nonsense',
    '{',
    '\t- id: x',
    'a: &a [*a]',
    `a: &a [1]\n${'b: *a\n'.repeat(10)}`,
    entry('md5:1'),
    entry(SOME).replace('id: broken', 'id: ../up'),
    entry(SOME).replace('name: Broken', 'name: Broken\n  name: Twice'),
    entry(SOME).replace('artifact: http', 'artifact: file'),
    entry(SOME) + entry(SOME),
    entry(SOME).replace('version: 1.0.0', 'version: [1]'),
    entry(SOME).replace('id: broken', 'id: !!js/function broken'),
    Buffer.from([0xff, 0xfe, 0x00, 0x41]),
    `- id: ${'x'.repeat(3_000_000)}`,
  ];
  await askOwner(data, 'library.add', source('bad', `${origin}/index.yaml`));
  for (const [index, text] of indexes.entries()) {
    bad.set('/index.yaml', text);
    const told = `index ${index}: ${text.toString().slice(0, 80)}`;
    const before = await head();
    const refreshed = await isRefused('library.refresh', { id: 'bad' });
    const order = { addonId: 'broken', operationId: `bad-index-${index}`, action: 'install' };
    const reply = await client.dispatch({ ...order, arguments: { sourceId: 'bad', version: '1.0.0' } });
    assert.is(reply.status, 403, `${told}: ${JSON.stringify(reply.body)}`);
    const { type } = (reply.body as { error: { type: string } }).error;
    assert.match(type, /^(library_unavailable|release_not_found|library_conflict)$/, told);
    const added = await typesAfter(before);
    if (index === 0) assert.equal(await toldAfter(before), added);
    assert.equal(
      added.filter((name) => !/^Operation(Requested|Failed)$/.test(name)),
      [],
      told,
    );
    if (type === 'library_unavailable') assert.ok(refreshed, `${told} was taken at a refresh`);
  }
}, 120_000);

/** Whether a command of the control socket was refused. */
async function isRefused(command: string, args: { id: string }): Promise<boolean> {
  return askOwner(data, command, args).then(
    () => false,
    () => true,
  );
}

test('every bad package is refused by its type, and leaves only the record of its failed operation', async () => {
  const manifest = JSON.stringify({ id: 'broken' });
  const packages: readonly (string | Buffer)[] = [
    '',
    'nonsense',
    '<html>Not found</html>'.repeat(100),
    archive(),
    archive(file('manifest.json', manifest)),
    archive(file('manifest.json', '{')),
    archive(file('../up', 'x')),
    archive(file('/etc/passwd', 'x')),
    archive(file('a\\b', 'x')),
    archive(file('link', '', { type: '2', link: '/etc/passwd' })),
    archive(file('device', '', { type: '3' })),
    archive(file('a', 'x'), file('a', 'y')),
    archive(file('receipt.json', '{}')),
    archive(file('a', 'x')).subarray(0, 700),
    Buffer.concat([archive(file('a', 'x')), Buffer.from('more')]),
    archive(file('a', 'x', { size: 2 ** 32 })),
    archive(file('a', 'x', { checksum: 1 })),
  ];
  const { createHash } = await import('node:crypto');
  for (const [index, bytes] of packages.entries()) {
    for (const wrongDigest of [false, true]) {
      const digest = wrongDigest ? SOME : `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      bad.set('/index.yaml', entry(digest));
      bad.set('/p.tar', bytes);
      const before = await head();
      const order = { addonId: 'broken', operationId: `bad-${index}-${wrongDigest}`, action: 'install' };
      const reply = await client.dispatch({ ...order, arguments: { sourceId: 'bad', version: '1.0.0' } });
      const told = `package ${index}: ${reply.status} ${JSON.stringify(reply.body)}`;
      assert.is(reply.status, 403, told);
      assert.match((reply.body as { error: { type: string } }).error.type, /^package_(unverified|fetch_failed)$/, told);
      const added = await typesAfter(before);
      if (index === 0) assert.equal(await toldAfter(before), added);
      assert.equal(added, ['OperationRequested', 'OperationFailed'], told);
    }
  }
  const left = readdirSync(join(data, 'addons', 'packages'));
  assert.equal(
    left.filter((name) => /stage|broken/.test(name)),
    [],
  );
  const { apps } = (await client.get<{ apps: { id: string }[] }>('/api/addons/apps')).body;
  assert.equal(
    apps.map(({ id }) => id),
    ['counter'],
  );
}, 120_000);

test.run();
