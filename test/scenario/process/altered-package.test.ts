/** The real server, three add-ons, and what happens to the one whose files are changed behind its back. */
import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { AppEntry, InstalledEntry } from '../../../src/contract/api.js';
import { assert, suite } from '../../support/harness.js';
import { ARGS } from '../../support/killing-server.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';
import { addLibrary } from '../../support/main-job.js';
import { clientOf, type RunningServer, startServer } from '../../support/server.js';
import { pidsOf, runningBelow, traceOf } from '../../support/supervisor-rig.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('altered behind the owner');
const IDS = ['alpha', 'beta', 'gamma'];
const data = tempDir('altered');
let library: TestLibrary;
let server: RunningServer;
let client: ReturnType<typeof clientOf>;

const states = async () => {
  const { apps } = (await client.get<{ apps: AppEntry[] }>('/api/addons/apps')).body;
  return Object.fromEntries(apps.map(({ id, state }) => [id, state]));
};
const installed = async (id: string) => {
  const asked = { operationId: 'ask-1', action: 'addons-installed', arguments: {} };
  const { payload } = (await client.dispatch<{ payload: { addons: InstalledEntry[] } }>(asked)).body;
  return payload.addons.find((entry) => entry.id === id);
};
const until = async (what: string, look: () => Promise<boolean>) => {
  for (const end = Date.now() + 30_000; !(await look()); await new Promise((resolve) => setTimeout(resolve, 50)))
    if (Date.now() > end) throw new Error(`did not happen: ${what}\n${server.output()}`);
};
/** Changes a file of the published package of an add-on. */
function alter(id: string): void {
  const packages = join(data, 'addons', 'packages');
  const name = readdirSync(packages).find((each) => each.startsWith(id)) ?? '';
  const file = join(packages, name, 'addon.py');
  assert.ok(existsSync(file));
  chmodSync(file, 0o755);
  appendFileSync(file, '\n# not what was verified\n');
}
const folder = () => join(data, 'addons', 'data');

test.before(async () => {
  library = await counterLibrary(IDS.map((id) => ({ id })));
  server = await startServer(data, ARGS);
  client = clientOf(server.address);
  await addLibrary(data, library.url);
  for (const id of IDS) {
    const order = {
      addonId: id,
      operationId: `in-${id}`,
      action: 'install',
      arguments: { sourceId: 'mine', version: '1.0.0' },
    };
    assert.is((await client.dispatch(order)).status, 200);
    assert.is(
      (await client.post(`/api/addons/apps/${id}/start`, { operationId: `on-${id}`, generation: 1 })).status,
      200,
    );
  }
});
test.after(async () => {
  await server.stop('SIGKILL');
  await library.close();
});

test('a package that was altered while its add-on ran is refused at the next launch, by name, and the others go on', async () => {
  alter('beta');
  process.kill(pidsOf(traceOf(join(folder(), 'beta'))).at(-1) as number, 'SIGKILL');
  await until('beta is failed', async () => (await states()).beta === 'failed');
  assert.equal(await states(), { alpha: 'running', beta: 'failed', gamma: 'running' });
  assert.match((await installed('beta'))?.reason ?? '', /^the file addon\.py changed since the package was verified$/);
  const line = server
    .output()
    .split('\n')
    .find((each) => each.includes('addon.py changed'));
  assert.match(line ?? '', /"addonId":"beta"/);
});

test('at a restart the altered one is refused and the others run', async () => {
  assert.is(await server.stop(), 0);
  server = await startServer(data, ARGS);
  client = clientOf(server.address);
  await until(
    'the others run',
    async () => Object.values(await states()).filter((state) => state === 'running').length === 2,
  );
  await until('beta is failed', async () => (await states()).beta === 'failed');
  assert.equal(
    runningBelow(folder())
      .map((one) => one.in)
      .sort(),
    ['alpha', 'gamma'],
  );
  const again = await client.post('/api/addons/apps/beta/start', { operationId: 'again-1', generation: 1 });
  assert.is(again.status, 503);
});

/** Whether a child of this server checks its journal. */
function checks(pid: number): boolean {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return children.some((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('verify-child');
    } catch {
      return false;
    }
  });
}

test('a journal that is removed or cut while the server runs is noticed at the next step: nothing is said to have worked', async () => {
  const journal = join(data, 'addons', 'journal', 'data.mdb');
  // The check at the start would notice it too, in words of its own.
  await until('the check at the start is over', async () => !checks(server.pid));
  renameSync(journal, `${journal}.away`);
  const stop = await client.post('/api/addons/apps/alpha/stop', { operationId: 'off-1', generation: 1 });
  assert.is(stop.status, 503, JSON.stringify(stop.body));
  assert.is((await client.get('/readyz')).status, 503);
  assert.match(server.output(), /the file of the journal was removed while the server ran/);
  const later = await client.post('/api/addons/apps/gamma/stop', { operationId: 'off-2', generation: 1 });
  assert.is(later.status, 503);
  await server.stop();
  assert.equal(runningBelow(folder()), [], 'a stop that could not be recorded ends the processes all the same');
  await startServer(data, ARGS).then(
    () => assert.unreachable('it started without its journal'),
    (error) => assert.match(String(error), /ended with 1/),
  );
  renameSync(`${journal}.away`, journal);
  server = await startServer(data, ARGS);
  client = clientOf(server.address);
  await until('they run', async () => (await states()).alpha === 'running');
  truncateSync(journal, 4_096);
  const cut = await client
    .post('/api/addons/apps/alpha/stop', { operationId: 'off-3', generation: 1 })
    .catch(() => undefined);
  assert.not.equal(cut?.status, 200);
  await server.stop('SIGKILL');
  await startServer(data, ARGS).then(
    () => assert.unreachable('it started with a cut journal'),
    (error) => assert.match(String(error), /ended with 1/),
  );
});

test.run();
