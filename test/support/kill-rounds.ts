/**
 * The main job done again and again while its server is killed in every part of it, each time at the next call of a
 * kind. After each kill the root is judged and the job goes on there, so that a root sees up to a dozen crashes.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OWNER } from '../../src/cli/owner.js';
import { showRecords } from '../../src/events/inspect/read.js';
import { openOwnerRoot } from '../../src/process/owner-root.js';
import { assert } from './harness.js';
import { assertKept, assertReplays, assertVerifies, counterState, settle } from './job-oracle.js';
import { KillPlan, type Part, type Task } from './kill-plan.js';
import { ARGS, hasChild, killAt, killInStart, release, type Trace, traceable } from './killing-server.js';
import { Gone, MainJob, STEPS, type Step } from './main-job.js';
import { clientOf, type RunningServer, startServer } from './server.js';
import { removeTree, tempDir } from './temp-dir.js';

const AT_ONCE = 2;
const MOST_JOBS = 150;
/** What a step leaves to do behind its answer is done within this. */
const BEHIND_MS = 30;

class Round {
  private readonly job: MainJob;
  private server: RunningServer | undefined;
  /** The first change was handed to the add-on, and the add-on never had it: it must not be handed over again. */
  private lost = false;
  private readonly crashes: string[] = [];

  constructor(
    private readonly plan: KillPlan,
    libraryUrl: string,
  ) {
    this.job = new MainJob(tempDir('kill'), libraryUrl);
  }

  /** Does the job once, with whatever kills are due in its parts. */
  async run(): Promise<void> {
    try {
      await this.start();
      for (const step of STEPS) await this.step(step);
      await this.end();
      removeTree(this.job.dataPath);
    } catch (error) {
      // An end that broke a connection is told a moment later.
      await sleep(500);
      const { child } = this.running;
      const now = child.signalCode ?? child.exitCode ?? 'runs';
      const told = `after ${this.crashes.join(', ')}; acknowledged ${[...this.job.acknowledged].join(', ')}`;
      throw new Error(`killed ${told}; the server (${now}): ${error}\n${this.running.output()}`, { cause: error });
    } finally {
      await this.server?.stop('SIGKILL');
    }
  }

  private get running(): RunningServer {
    assert.ok(this.server !== undefined, `no server runs after ${this.crashes.join(', ')}`);
    return this.server as RunningServer;
  }

  private async start(): Promise<void> {
    const task = this.plan.take('start');
    if (task?.trace.thread === 'pool') bindRoot(this.job.dataPath);
    const killed = task !== undefined && !(await this.starts(task));
    if (task === undefined) this.server = await startServer(this.job.dataPath, ARGS, traceable());
    if (killed) await this.restart();
    await this.report('start', task, killed, []);
  }

  /** False when the server was killed before all of its start was done. */
  private async starts({ trace, n }: Task): Promise<boolean> {
    try {
      this.server = await startServer(this.job.dataPath, ARGS, killInStart(trace, n));
    } catch (error) {
      if (/ended with SIGKILL/.test(String(error))) return false;
      throw error;
    }
    await hasChild(this.server.pid);
    await release(this.server.pid);
    return this.lives();
  }

  private async step(step: Step): Promise<void> {
    const task = this.plan.take(step);
    if (task === undefined) return this.job.run(this.running.address, [step]);
    const letGo = await killAt(this.running.pid, task.trace, task.n);
    let killed = false;
    try {
      await this.job.run(this.running.address, [step]);
      await sleep(BEHIND_MS);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
      killed = true;
    }
    await letGo();
    killed ||= !(await this.lives());
    if (killed) {
      await this.wasKilled();
      await this.restart();
    }
    await this.report(step, task, killed, STEPS.slice(0, STEPS.indexOf(step) + 1));
  }

  private async end(): Promise<void> {
    const task = this.plan.take('end');
    if (task === undefined) return this.keeps();
    await killAt(this.running.pid, task.trace, task.n);
    const how = await this.running.stop('SIGTERM');
    if (how !== 'SIGKILL') assert.is(how, 0, this.running.output());
    await this.restart();
    await this.report('end', task, how === 'SIGKILL', STEPS);
  }

  /** Tells the plan, judges what a kill left, and repeats these steps with their old ids. */
  private async report(part: Part, task: Task | undefined, killed: boolean, again: readonly Step[]): Promise<void> {
    if (task === undefined) return;
    if (killed) {
      this.crashes.push(`${task.trace.kind} ${task.n} of ${part} (${task.trace.thread})`);
      await this.keeps();
      await assertReplays(this.job.dataPath);
      await assertVerifies(this.job.dataPath);
      await this.job.run(this.running.address, again);
    }
    this.plan.report(part, task, killed);
  }

  private async keeps(): Promise<void> {
    const { dataPath } = this.job;
    await assertKept(this.job, this.running.address, await settle(this.running.address, dataPath));
    if (this.lost) assert.is(counterState(dataPath).applied['add-1'], undefined, 'a lost change was submitted again');
    assert.not.match(this.running.output(), /unexpected fault|request failed/);
  }

  private async restart(): Promise<void> {
    const handedOver = await wasHandedOver(this.job.dataPath);
    this.server = await startServer(this.job.dataPath, ARGS, traceable());
    await settle(this.server.address, this.job.dataPath);
    this.lost ||= handedOver && counterState(this.job.dataPath).applied['add-1'] === undefined;
  }

  private async lives(): Promise<boolean> {
    try {
      return (await clientOf(this.running.address).get('/api/addons/apps')).status === 200;
    } catch {
      await this.wasKilled();
      return false;
    }
  }

  private async wasKilled(): Promise<void> {
    const { child } = this.running;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    assert.is(child.signalCode, 'SIGKILL', this.running.output());
  }
}

/** Whether the journal says that the first change was about to be given to the add-on. */
async function wasHandedOver(dataPath: string): Promise<boolean> {
  const records = await showRecords(join(dataPath, 'addons', 'journal'), { operationId: 'add-1' });
  return records._tag === 'Right' && records.right.some(({ type }) => type === 'ExecutionStarted');
}

/** Binds the root to its owner beforehand, so that the main thread makes no call that is counted for the pool. */
function bindRoot(dataPath: string): void {
  const root = openOwnerRoot({ dataPath, ...OWNER });
  assert.ok(root._tag === 'Right');
  root.right.release();
}

/** Kills at every call of these kinds; answers how often the server was killed in each part of the job. */
export async function everyCall(libraryUrl: string, traces: readonly Trace[]): Promise<Readonly<Record<Part, number>>> {
  const plan = new KillPlan(traces);
  let jobs = 0;
  const worker = async () => {
    while (plan.due()) {
      jobs += 1;
      assert.ok(jobs <= MOST_JOBS, `every kill was made within ${MOST_JOBS} jobs`);
      await new Round(plan, libraryUrl).run();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  assert.not(plan.due(), 'no kill is left to be made');
  return plan.kills();
}
