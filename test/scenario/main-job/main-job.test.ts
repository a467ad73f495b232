import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { castellan } from '../../support/castellan.js';
import { assert, suite } from '../../support/harness.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';
import { clientOf, dataPath, type RunningServer, startServer } from '../../support/server.js';

const test = suite('the main job, end to end');
const data = dataPath();
let library: TestLibrary;
let server: RunningServer;
let client: ReturnType<typeof clientOf>;
let resourceId = '';

interface Proposal {
  readonly id: string;
  readonly state: string;
  readonly digest: string;
  readonly effects: { readonly count: number };
}

const start = async () => {
  server = await startServer(data.path);
  client = clientOf(server.address);
};
const proposal = (operationId: string, amount: number) => ({
  addonId: 'counter',
  resourceId,
  operationId,
  generation: 1,
  action: 'write',
  arguments: { tool: 'add', amount },
});
const counterValue = async () => {
  const read = {
    addonId: 'counter',
    resourceId,
    operationId: 'look-1',
    generation: 1,
    action: 'read',
    arguments: { tool: 'value' },
  };
  return (await client.dispatch<{ payload: { value: number } }>(read)).body.payload.value;
};

test.before(async () => {
  library = await counterLibrary();
  await start();
});
test.after(async () => {
  await server.stop();
  await library.close();
  data.remove();
});

test('a second owner of the root exits 1 and says so, waits for no turn, and the first goes on [LIFECYCLE-005] [LIFECYCLE-001]', async () => {
  const second = await castellan(data.path, 'run', '--address', '127.0.0.1:0');
  assert.is(second.code, 1);
  assert.match(second.err, /addon storage already owned/);
  assert.is((await client.get('/readyz')).status, 200);
});

test('a frontend is refused before it creates or opens a root [LIFECYCLE-007]', async () => {
  const elsewhere = dataPath();
  const refused = await castellan(
    join(elsewhere.path, 'root'),
    'run',
    '--addons-role',
    'frontend',
    '--address',
    '127.0.0.1:0',
  );
  assert.is(refused.code, 2, refused.err);
  assert.equal(readdirSync(elsewhere.path), []);
  elsewhere.remove();
});

test('a library is added and listed over the control socket of the running server', async () => {
  const added = await castellan(
    data.path,
    'library',
    'add',
    '--id',
    'mine',
    '--url',
    library.url,
    '--allow-loopback-http',
  );
  assert.is(added.code, 0, added.err);
  const listed = await castellan(data.path, 'library', 'list', '--json');
  const { sources } = JSON.parse(listed.out) as { sources: { id: string; url: string }[] };
  assert.is(sources.find(({ id }) => id === 'mine')?.url, library.url);
  assert.is((await castellan(data.path, 'library', 'add', '--id', 'bad', '--url', library.url)).code, 1);
  assert.is((await castellan(data.path, 'library', 'refresh', 'nothing')).code, 1);
});

test('an add-on written in another language installs, disabled, and is turned on', async () => {
  const wanted = { sourceId: 'mine', version: '1.0.0' };
  const installed = await client.dispatch<{ payload: { state: string; generation: number } }>({
    addonId: 'counter',
    operationId: 'install-1',
    action: 'install',
    arguments: wanted,
  });
  assert.is(installed.status, 200, JSON.stringify(installed.body));
  assert.is(installed.body.payload.state, 'completed');
  const before = await client.get<{ apps: { id: string; state: string; enabled: boolean }[] }>('/api/addons/apps');
  assert.equal(
    before.body.apps.map(({ id, state, enabled }) => [id, state, enabled]),
    [['counter', 'stopped', false]],
  );
  const on = await client.post('/api/addons/apps/counter/start', { operationId: 'start-1', generation: 1 });
  assert.is(on.status, 200, JSON.stringify(on.body));
  const after = await client.get<{ apps: { state: string }[] }>('/api/addons/apps');
  assert.is(after.body.apps[0]?.state, 'running');
});

test('a person creates a resource from their own page, and a program cannot', async () => {
  const body = { addonId: 'counter', operationId: 'make-1', generation: 1, arguments: { name: 'Visitors' } };
  assert.is((await client.post('/api/addons/resources', body)).status, 403);
  const made = await client.own<{ resourceId: string; name: string }>('/api/addons/resources', 'make-1', body);
  assert.is(made.status, 201, JSON.stringify(made.body));
  resourceId = made.body.resourceId;
  const again = await client.own<{ resourceId: string }>('/api/addons/resources', 'make-1', body);
  assert.is(again.status, 200);
  assert.is(again.body.resourceId, resourceId);
});

test('a change over the API is a stored proposal and leaves the data alone until the person confirms [PROPOSAL-001] [PROPOSAL-002] [CONFIRM-012]', async () => {
  const stored = await client.post<Proposal>('/api/addons/proposals', proposal('add-1', 5));
  assert.is(stored.status, 201, JSON.stringify(stored.body));
  assert.is(stored.body.state, 'pending');
  assert.is(await counterValue(), 0);
  const digest = { digest: stored.body.digest };
  assert.is((await client.post('/api/addons/proposals/add-1/confirm', digest)).status, 403);
  assert.is((await client.own('/api/addons/proposals/add-1/confirm', 'add-2', digest)).status, 403);
  assert.is(
    (await client.own('/api/addons/proposals/add-1/confirm', 'add-1', { digest: `sha256:${'0'.repeat(64)}` })).status,
    409,
  );
  assert.is(await counterValue(), 0);
  const done = await client.own<Proposal>('/api/addons/proposals/add-1/confirm', 'add-1', digest);
  assert.is(done.status, 200, JSON.stringify(done.body));
  assert.is(done.body.state, 'applied');
  assert.is(await counterValue(), 5);
});

test('twenty confirmations at once apply the change once [CONFIRM-001] [CONFIRM-003]', async () => {
  const stored = await client.post<Proposal>('/api/addons/proposals', proposal('add-3', 7));
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      client.own<Proposal>('/api/addons/proposals/add-3/confirm', 'add-3', { digest: stored.body.digest }),
    ),
  );
  assert.ok(answers.some(({ status, body }) => status === 200 && body.state === 'applied'));
  assert.is(await counterValue(), 12);
});

test('more readers than the add-on may have calls wait for their turn, and all are answered', async () => {
  const values = await Promise.all(Array.from({ length: 40 }, counterValue));
  assert.equal(new Set(values), new Set([12]));
});

test('kill -9 and a restart keep everything that was said, and apply nothing again', async () => {
  const pending = await client.post<Proposal>('/api/addons/proposals', proposal('add-4', 100));
  await server.stop('SIGKILL');
  await start();
  const found = await client.get<{ proposals: Proposal[] }>('/api/addons/proposals?state=all');
  const states = new Map(found.body.proposals.map(({ id, state }) => [id, state]));
  assert.is(states.get('add-1'), 'applied');
  assert.is(states.get('add-3'), 'applied');
  assert.is(states.get('add-4'), 'pending');
  await running();
  assert.is(await counterValue(), 12);
  const done = await client.own<Proposal>('/api/addons/proposals/add-4/confirm', 'add-4', {
    digest: pending.body.digest,
  });
  assert.is(done.body.state, 'applied', JSON.stringify(done.body));
  assert.is(await counterValue(), 112);
});

test('the journal verifies, replays to the live state, and is exported as it was written', async () => {
  const verified = await castellan(data.path, 'journal', 'verify');
  assert.is(verified.code, 0, verified.out);
  assert.match(verified.out, /^verified \d+ events, head [0-9a-f]{64}\n$/);
  const replayed = await castellan(data.path, 'journal', 'replay', '--json');
  assert.is(replayed.code, 0, replayed.out);
  assert.is((JSON.parse(replayed.out) as { live: string }).live, 'equal');
  const exported = await castellan(data.path, 'journal', 'export');
  const records = exported.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.equal(
    records.map(({ position }) => position),
    records.map((_, index) => index + 1),
  );
  assert.is(
    records.some((record) => JSON.stringify(record).includes('"amount"')),
    false,
    'proposed arguments are in no event',
  );
  const shown = await castellan(data.path, 'journal', 'show', 'add-1');
  assert.match(shown.out, /ProposalStored[\s\S]*ProposalConfirmed[\s\S]*ExecutionStarted[\s\S]*ProposalApplied/);
});

test('everything on disk is private to its user, and the log holds no argument and no credential', async () => {
  for (const [name, mode] of [
    ['', 0o700],
    ['journal', 0o700],
    ['journal/data.mdb', 0o600],
    ['runtime/control.sock', 0o600],
  ] as const)
    assert.is(statSync(join(data.path, 'addons', name)).mode & 0o777, mode, name);
  const startup = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8');
  assert.not.match(startup + server.output(), /Bearer|"amount"|credential":"/);
});

test('turning it off and removing it keeps its data; a reinstall finds it again', async () => {
  assert.is((await client.post('/api/addons/apps/counter/stop', { operationId: 'stop-1', generation: 1 })).status, 200);
  const gone = await client.dispatch({
    addonId: 'counter',
    operationId: 'remove-1',
    action: 'uninstall',
    arguments: {},
  });
  assert.is(gone.status, 200, JSON.stringify(gone.body));
  assert.equal((await client.get('/api/addons/apps')).body, { apps: [] });
  const wanted = { sourceId: 'mine', version: '1.0.0' };
  const back = await client.dispatch<{ payload: { generation: number } }>({
    addonId: 'counter',
    operationId: 'install-2',
    action: 'install',
    arguments: wanted,
  });
  assert.is(back.body.payload.generation, 2, JSON.stringify(back.body));
  await client.post('/api/addons/apps/counter/start', { operationId: 'start-2', generation: 2 });
  const read = {
    addonId: 'counter',
    resourceId,
    operationId: 'look-2',
    generation: 2,
    action: 'read',
    arguments: { tool: 'value' },
  };
  assert.equal((await client.dispatch<{ payload: { value: number } }>(read)).body.payload.value, 112);
});

test('SIGTERM drains and exits 0, and its add-on is gone', async () => {
  assert.is(await server.stop('SIGTERM'), 0);
  const tail = await castellan(data.path, 'journal', 'tail', '-n', '3');
  assert.match(tail.out, /ProcessExited/);
  await start();
});

async function running(): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const { apps } = (await client.get<{ apps: { state: string }[] }>('/api/addons/apps')).body;
    if (apps[0]?.state === 'running') return;
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error('the add-on did not come back');
}
test.run();
