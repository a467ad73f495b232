/** A server whose enabled add-ons hang, exit, flood or never read at their start: it serves, and so do the others. */
import type { AppEntry } from '../../../src/contract/api.js';
import { assert, suite } from '../../support/harness.js';
import { ARGS } from '../../support/killing-server.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';
import { addLibrary } from '../../support/main-job.js';
import { clientOf, startServer } from '../../support/server.js';
import { eventually, runningBelow } from '../../support/supervisor-rig.js';
import { tempDir } from '../../support/temp-dir.js';

const test = suite('broken add-ons at the start of the server');
const BROKEN = {
  'a-hangs': { neverReady: true },
  'b-exits': { exitAtOnce: 1 },
  'c-floods': { floodStderr: 30_000_000, neverRead: true },
  'd-never-reads': { neverRead: true },
  'e-hangs-too': { neverReady: true },
} as const;
const data = tempDir('broken');
let library: TestLibrary;
test.before(async () => {
  const broken = Object.entries(BROKEN).map(([id, behaviour]) => ({ id, behaviour }));
  library = await counterLibrary([...broken, { id: 'z-good' }]);
});
test.after(() => library.close());

test('the server is ready while they still start, the good one runs behind five that do not, and the end is not held up', async () => {
  let server = await startServer(data, ARGS);
  const furnish = clientOf(server.address);
  await addLibrary(data, library.url);
  for (const addonId of [...Object.keys(BROKEN), 'z-good']) {
    const wanted = { sourceId: 'mine', version: '1.0.0' };
    const asked = { addonId, action: 'install', operationId: `in-${addonId}`, arguments: wanted };
    assert.is((await furnish.dispatch(asked)).status, 200);
    const on = { addonId, action: 'enable', operationId: `on-${addonId}`, arguments: {} };
    const early = { Prefer: 'respond-async' };
    assert.is((await furnish.post('/api/addons/dispatch', on, early)).status, 202);
  }
  const enabled = async () =>
    (await furnish.get<{ apps: AppEntry[] }>('/api/addons/apps')).body.apps.filter((app) => app.enabled).length;
  while ((await enabled()) < 6) await new Promise((resolve) => setTimeout(resolve, 50));
  await server.stop('SIGKILL');
  server = await startServer(data, ARGS);
  try {
    const client = clientOf(server.address);
    const state = async (id: string) =>
      (await client.get<{ apps: AppEntry[] }>('/api/addons/apps')).body.apps.find((app) => app.id === id)?.state;
    assert.is((await client.get('/readyz')).status, 200);
    assert.is(await state('a-hangs'), 'starting', 'it is ready before they are');
    let good = false;
    const look = setInterval(
      () =>
        void state('z-good').then(
          (seen) => (good ||= seen === 'running'),
          () => {},
        ),
      100,
    );
    await eventually('the good one runs', () => good, 20_000).finally(() => clearInterval(look));
    for (const id of ['a-hangs', 'd-never-reads']) assert.is(await state(id), 'starting', `${id} is still at it`);
    const off = await client.post('/api/addons/apps/a-hangs/stop', { operationId: 'off-1', generation: 1 });
    assert.is(off.status, 200, 'one that starts can be turned off');
    const from = performance.now();
    assert.is(await server.stop(), 0);
    assert.ok(performance.now() - from < 20_000, 'within two shutdown intervals');
    assert.equal(runningBelow(`${data}/addons/data`), []);
  } catch (error) {
    throw new Error(`${error}\n${server.output()}`, { cause: error });
  } finally {
    await server.stop('SIGKILL');
    for (const { pid } of runningBelow(`${data}/addons/data`)) process.kill(pid, 'SIGKILL');
  }
}, 120_000);

test('a server that cannot check its journal says so and serves', async () => {
  const server = await startServer(tempDir('unchecked'), ARGS, ['/usr/bin/env', 'TMPDIR=/nowhere']);
  try {
    await eventually('it says so', () =>
      /"reason":".*\/nowhere.*the journal could not be checked/.test(server.output()),
    );
    assert.is((await clientOf(server.address).get('/readyz')).status, 200);
  } finally {
    await server.stop();
  }
});

test.run();
