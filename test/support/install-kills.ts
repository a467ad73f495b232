/**
 * Installs an add-on again and again into one root while its server is killed, each time at a later call of one kind in any of its
 * threads. After each kill the root is judged, the same operation is sent again, and the add-on removed for the next time.
 */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_PACKAGE_LIMITS } from '../../src/packages/package-limits.js';
import { createPackageStore } from '../../src/packages/store.js';
import { assert } from './harness.js';
import { assertReplays, assertVerifies } from './job-oracle.js';
import { ARGS, killAt, type Trace, traceable } from './killing-server.js';
import { addLibrary, call, Gone } from './main-job.js';
import { ociFetcher } from './oci-store.js';
import { HOST, testIds } from './package-store.js';
import { clientOf, type RunningServer, startServer } from './server.js';
import { removeTree, tempDir } from './temp-dir.js';

/** What a step leaves to do behind its answer is done within this. */
const BEHIND_MS = 30;
const MOST = 60;

export interface KillsOf {
  readonly kind: Trace['kind'];
  /** The call after the n-th at which the next kill is tried. */
  readonly next: (n: number) => number;
}

/** How often the server was killed, until it made fewer calls of the kind than that. */
export async function killInstalls(
  { url, credentials }: { readonly url: string; readonly credentials: string },
  { kind, next }: KillsOf,
): Promise<number> {
  const root = tempDir('install-kills');
  const args = [...ARGS, '--credentials', credentials];
  let server: RunningServer | undefined = await startServer(root, args, traceable());
  try {
    await addLibrary(root, url);
    for (let n = 1, kills = 0; kills < MOST; n = next(n), kills += 1) {
      const known = packagesOf(root);
      const letGo = await killAt(server.pid, { kind, thread: 'any' }, n);
      const answer = await send(server, 'install', `install-${n}`);
      await new Promise((resolve) => setTimeout(resolve, BEHIND_MS));
      await letGo();
      if (server.child.signalCode === null && (answer !== undefined || (await lives(server)))) {
        assert.is(answer, 'completed');
        return kills;
      }
      if (server.child.signalCode === null) await once(server.child, 'exit');
      assert.is(server.child.signalCode, 'SIGKILL', server.output());
      server = await startServer(root, args, traceable());
      await judge(root, known, `${kind} ${n}`);
      await installedOnce(server, root, n, answer === 'completed');
      assert.is(await send(server, 'uninstall', `uninstall-${n}`), 'completed');
    }
    throw new Error('an installation makes more calls than were expected');
  } finally {
    await server?.stop('SIGKILL');
    removeTree(root);
  }
}

const packagesOf = (root: string): readonly string[] => {
  try {
    return readdirSync(join(root, 'addons', 'packages'));
  } catch {
    return [];
  }
};

/** What the owner recorded of a lifecycle step in the end; undefined when the server was killed before it answered. */
async function send({ address }: RunningServer, action: string, operationId: string): Promise<string | undefined> {
  const client = clientOf(address);
  const wanted = action === 'install' ? { sourceId: 'mine', version: '1.0.0' } : {};
  const ask = { operationId: 'ask-1', action: 'operation-status', arguments: { operationId } };
  try {
    await call(client.dispatch({ addonId: 'counter', operationId, action, arguments: wanted }));
    const { body } = await call(client.dispatch<{ payload: { state: string } }>(ask));
    return body.payload.state;
  } catch (error) {
    if (error instanceof Gone) return undefined;
    throw error;
  }
}

const lives = ({ address }: RunningServer): Promise<boolean> =>
  clientOf(address)
    .get('/api/addons/apps')
    .then(
      () => true,
      () => false,
    );

/** No stage is left, whatever was published is whole, at most one package more than before, and the journal is sound. */
async function judge(root: string, known: readonly string[], when: string): Promise<void> {
  const names = packagesOf(root);
  const store = createPackageStore({
    root: join(root, 'addons', 'packages'),
    host: HOST,
    ids: testIds,
    artifacts: ociFetcher(),
    limits: DEFAULT_PACKAGE_LIMITS,
  });
  for (const name of names.filter((one) => !known.includes(one)))
    assert.equal((await store.verify(name))._tag, 'Right', `${when}: ${name}`);
  assert.ok(names.length <= known.length + 1, when);
  await assertReplays(root);
  await assertVerifies(root);
}

/** The same operation again installs once, or stays failed and the next one installs; never a second package for one of them. */
async function installedOnce(server: RunningServer, root: string, n: number, acknowledged: boolean): Promise<void> {
  const before = packagesOf(root).length;
  const again = await send(server, 'install', `install-${n}`);
  assert.ok(again === 'completed' || (again === 'failed' && !acknowledged), `${again} after ${n}`);
  if (again === 'failed') assert.is(await send(server, 'install', `install-${n}-again`), 'completed');
  const after = packagesOf(root).length;
  assert.ok(after - before <= 1, `${after - before} packages more`);
  assert.is(await send(server, 'install', `install-${n}`), again, 'a repeat has the same answer');
  assert.is(packagesOf(root).length, after, 'a repeat installs nothing more');
  const { apps } = (await clientOf(server.address).get<{ apps: { id: string }[] }>('/api/addons/apps')).body;
  assert.equal(
    apps.map(({ id }) => id),
    ['counter'],
  );
}
