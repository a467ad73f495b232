/**
 * A real owner killed by SIGKILL right before and right after every spawn, every commit with its sync and every write of
 * a startup line of a start, a restart, an upgrade and a stop, and at random moments with ten add-ons: the next one ends
 * what was left, starts each add-on once, and needs no operator.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CrossingOrder } from '../../support/crossing-owner.js';
import { tinyPackage } from '../../support/fixture-addon.js';
import { assert, suite } from '../../support/harness.js';
import { eventually, runningBelow } from '../../support/supervisor-rig.js';
import { memoryPlace, tempDir } from '../../support/temp-dir.js';

const test = suite('owner killed anywhere');
const SCRIPT = fileURLToPath(new URL('../../support/crossing-owner.js', import.meta.url));
/** Set CASTELLAN_PROCESS_KILLS to 200 or more for a long run, and CASTELLAN_KILL_SEED to repeat one. */
const ROUNDS = Number(process.env.CASTELLAN_PROCESS_KILLS ?? 3);
const SEED = Number(process.env.CASTELLAN_KILL_SEED ?? Date.now() % 1_000_000);
const ADDONS = Array.from({ length: 10 }, (_, index) => (index < 2 ? `stubborn-${index}` : `tiny-${index}`));

interface Said {
  readonly uncertain?: string;
  readonly settled?: number;
  readonly unfinished?: number;
  readonly done?: number;
}

/** A root, and owners on it one after another. */
class Place {
  readonly dataPath = tempDir('anywhere', memoryPlace());
  readonly packages = join(this.dataPath, 'packages');
  private owner: ChildProcess | undefined;
  private said: Said[] = [];

  open(order: Omit<CrossingOrder, 'dataPath' | 'packages'>): ChildProcess {
    const { dataPath, packages } = this;
    for (const id of order.addons) tinyPackage(join(packages, id));
    const whole = JSON.stringify({ ...order, dataPath, packages } satisfies CrossingOrder);
    const owner = spawn(process.execPath, [SCRIPT, whole], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.said = [];
    const { said } = this;
    createInterface({ input: owner.stdout }).on('line', (line) => said.push(JSON.parse(line) as Said));
    owner.stdin.on('error', () => {});
    this.owner = owner;
    return owner;
  }

  /** Waits until the owner settled, and holds it to what must be so then. */
  async judge(addons: readonly string[], what: string): Promise<void> {
    const { said, owner } = this;
    await eventually(`${what}: it settles`, () => said.length > 0 || owner?.exitCode !== null);
    assert.equal(said[0], { settled: addons.length, unfinished: addons.length }, what);
    const running = runningBelow(join(this.dataPath, 'addons', 'data'));
    assert.equal(running.map((one) => one.in).sort(), [...addons].sort(), `${what}: one process an add-on`);
  }

  go(): void {
    this.owner?.stdin?.write('go\n');
  }

  async ended(): Promise<Said | undefined> {
    const { owner } = this;
    if (owner !== undefined && owner.exitCode === null && owner.signalCode === null) await once(owner, 'exit');
    return this.said.at(-1);
  }

  /** Ends everything there is. */
  clear(): void {
    this.owner?.kill('SIGKILL');
    for (const { pid } of runningBelow(join(this.dataPath, 'addons', 'data'))) process.kill(pid, 'SIGKILL');
  }
}

/** One lane of the places 1, 3, 5 ... or 2, 4, 6 ...; answers how many kills there were. */
async function lane(first: number, id: string): Promise<number> {
  const place = new Place();
  try {
    for (let n = first; ; n += 2) {
      const owner = place.open({ addons: [id], dieAt: n, work: 'steps' });
      await place.judge([id], `before place ${n}`);
      place.go();
      const last = await place.ended();
      if (owner.signalCode === 'SIGKILL') continue;
      assert.is(owner.exitCode, 0, `place ${n}: ${JSON.stringify(last)}`);
      assert.is(last?.unfinished, 0);
      assert.equal(runningBelow(join(place.dataPath, 'addons', 'data')), []);
      return (n - first) / 2;
    }
  } finally {
    place.clear();
  }
}

test('killed before and after every spawn, sync and pipe write of start, restart, upgrade and stop, an owner leaves nothing that the next cannot tell', async () => {
  const kills = (await Promise.all([lane(1, 'tiny'), lane(2, 'stubborn')])).reduce((sum, each) => sum + each, 0);
  console.log(`${kills} kills`);
  assert.ok(kills >= 36, `${kills} kills`);
}, 300_000);

/** Numbers from 0 to 1 that only the seed decides (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('killed at random moments with ten add-ons, each runs once afterwards, and none is left of before', async () => {
  console.log(`seed ${SEED}`);
  const random = randomOf(SEED);
  const place = new Place();
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const owner = place.open({ addons: ADDONS, work: 'busy' });
      const early = random() < 0.4;
      if (!early) {
        await place.judge(ADDONS, `round ${round} of seed ${SEED}`);
        place.go();
      }
      await pause(random() * (early ? 900 : 600));
      owner.kill('SIGKILL');
      await place.ended();
    }
    place.open({ addons: ADDONS, work: 'busy' });
    await place.judge(ADDONS, `the end of seed ${SEED}`);
  } finally {
    place.clear();
  }
}, 3_600_000);

test.run();
