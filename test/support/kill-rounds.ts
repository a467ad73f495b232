/** The rounds of the tests that kill the main job at its n-th call of a kind, for every n. */
import { join } from 'node:path';
import { OWNER } from '../../src/cli/owner.js';
import { showRecords } from '../../src/events/inspect/read.js';
import { openOwnerRoot } from '../../src/process/owner-root.js';
import { assert } from './harness.js';
import { assertKept, assertReplays, assertVerifies, counterState, settle } from './job-oracle.js';
import { ARGS, type KindOfCall, killAt, wasKilled } from './killing-server.js';
import { MainJob, STEPS } from './main-job.js';
import { startServer } from './server.js';
import { removeTree, tempDir } from './temp-dir.js';

const AT_ONCE = 2;
const MOST = 200;

/** One job that is killed at the n-th call of a kind, restarted, judged, and done to its end. False: nothing was killed. */
export async function killRound(libraryUrl: string, kind: KindOfCall, n: number, bound = false): Promise<boolean> {
  const job = new MainJob(tempDir('kill'), libraryUrl);
  if (bound) bindRoot(job.dataPath);
  const killed = await wasKilled(job, killAt(kind, n));
  if (!killed) assert.equal([...job.acknowledged], [...STEPS]);
  const handedOver = await wasHandedOver(job.dataPath);
  const server = await startServer(job.dataPath, ARGS);
  try {
    await assertKept(job, server.address, await settle(server.address));
    const lost = handedOver && counterState(job.dataPath).applied['add-1'] === undefined;
    await assertReplays(job.dataPath);
    await assertVerifies(job.dataPath);
    await job.run(server.address);
    await assertKept(job, server.address, await settle(server.address));
    if (lost) assert.is(counterState(job.dataPath).applied['add-1'], undefined, 'a lost change was submitted again');
    assert.not.match(server.output(), /unexpected fault|request failed/);
  } catch (error) {
    // An end that broke a connection is told a moment later.
    await new Promise((resume) => setTimeout(resume, 500));
    const { exitCode, signalCode } = server.child;
    const told = `restarted (${signalCode ?? exitCode ?? 'runs'}) after ${[...job.acknowledged].join(', ')}: ${error}\n${server.output()}`;
    throw new Error(`killed at ${kind} ${n}, ${told}`, { cause: error });
  } finally {
    await server.stop('SIGKILL');
  }
  removeTree(job.dataPath);
  return killed;
}

/** Whether the journal says that the first change was about to be given to the add-on. */
async function wasHandedOver(dataPath: string): Promise<boolean> {
  const records = await showRecords(join(dataPath, 'addons', 'journal'), { operationId: 'add-1' });
  return records._tag === 'Right' && records.right.some(({ type }) => type === 'ExecutionStarted');
}

/** Binds the root to its owner beforehand, so that every call of the kind is made by one thread and can be counted. */
function bindRoot(dataPath: string): void {
  const root = openOwnerRoot({ dataPath, ...OWNER });
  assert.ok(root._tag === 'Right');
  root.right.release();
}

/** Every n from 1 until a run ends without a kill; answers how many were killed. */
export async function everyCall(libraryUrl: string, kind: KindOfCall, bound = false): Promise<number> {
  let next = 1;
  let kills = 0;
  let ended = false;
  const worker = async () => {
    while (!ended && next < MOST) {
      const n = next++;
      if (await killRound(libraryUrl, kind, n, bound)) kills += 1;
      else ended = true;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  assert.ok(ended, `a run ends within ${MOST} calls`);
  return kills;
}
