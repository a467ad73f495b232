/** What must hold of a root after a crash and a restart, judged by what a `MainJob` remembers and not by the server. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdOf } from '../../src/cli/journal-control.js';
import { SNAPSHOT_FORMAT } from '../../src/commands/store.js';
import { readOnly } from '../../src/events/inspect/read-only.js';
import { replayJournal } from '../../src/events/inspect/replay.js';
import { walk } from '../../src/events/inspect/walk.js';
import { readAnchor } from '../../src/events/lmdb/anchor.js';
import type { Databases } from '../../src/events/lmdb/layout.js';
import { KINDS } from '../../src/projections/kinds.js';
import { OwnerState } from '../../src/projections/owner-state.js';
import { assert } from './harness.js';
import { AMOUNT, askOwner, type MainJob, type ProposalView, type Step } from './main-job.js';
import { clientOf } from './server.js';

const SETTLED_WITHIN_MS = 10_000;
const UNRESOLVED = '/api/addons/proposals?state=unresolved&limit=100';

interface AppView {
  readonly id: string;
  readonly state: string;
  readonly enabled: boolean;
}

interface CounterState {
  readonly counters: Readonly<Record<string, { readonly value: number }>>;
  /** How often each operation ran. */
  readonly applied: Readonly<Record<string, number>>;
}

/** The add-on's own file, which is the truth about what was applied. */
export function counterState(dataPath: string): CounterState {
  const file = join(dataPath, 'addons', 'data', 'counter', 'state.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CounterState) : { counters: {}, applied: {} };
}

/**
 * Waits until nothing starts any more and the owner has found out by itself what a crash left open: it asks nothing of
 * the owner that would make it do so. What may stay unknown is what the add-on never applied.
 */
export async function settle(address: string, dataPath: string): Promise<readonly AppView[]> {
  const client = clientOf(address);
  const until = Date.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const { apps } = (await client.get<{ apps: AppView[] }>('/api/addons/apps')).body;
    const { proposals } = (await client.get<{ proposals: ProposalView[] }>(UNRESOLVED)).body;
    const { applied } = counterState(dataPath);
    const open = proposals.filter(({ id, state }) => state === 'executing' || applied[id] !== undefined);
    const starting = apps.filter(({ state }) => state === 'starting');
    if (open.length === 0 && starting.length === 0) return apps;
    if (Date.now() > until) throw new Error(`never settled: ${JSON.stringify([...open, ...starting])}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

/** Everything acknowledged is there, nothing was applied twice or without a confirmation, and nothing is left half done. */
export async function assertKept(job: MainJob, address: string, apps: readonly AppView[]): Promise<void> {
  const client = clientOf(address);
  job.attach(address);
  const app = apps.find(({ id }) => id === 'counter');
  const sources = (await askOwner(job.dataPath, 'library.list', {})).sources as readonly { readonly id: string }[];
  const listed = (await client.get<{ proposals: ProposalView[] }>('/api/addons/proposals?state=all')).body.proposals;
  const resources = (
    await client.get<{ resources?: { resourceId: string }[] }>('/api/addons/resources?addonId=counter')
  ).body;
  const states = new Map(listed.map(({ id, state }) => [id, state]));
  const { applied, counters } = counterState(job.dataPath);
  const add = states.get(job.idOf('add'));
  const holds: Record<Step, boolean> = {
    library: sources.some(({ id }) => id === 'mine'),
    install: app !== undefined || job.tried.has('uninstall'),
    enable: app?.enabled === true || job.tried.has('disable'),
    create:
      job.tried.has('disable') || (resources.resources ?? []).some(({ resourceId }) => resourceId === job.resourceId),
    propose: add !== undefined,
    confirm: add === 'applied' && applied[job.idOf('add')] === 1 && counters[job.resourceId]?.value === AMOUNT,
    'propose-other': states.has('drop-1'),
    cancel: states.get('drop-1') === 'cancelled',
    disable: app?.enabled !== true,
    uninstall: app === undefined,
  };
  for (const step of job.acknowledged) assert.ok(holds[step], `"${step}" was acknowledged and is lost`);
  for (const [id, count] of Object.entries(applied)) assert.is(count, 1, `${id} was applied ${count} times`);
  assert.is(applied['drop-1'], undefined, 'a cancelled change was applied');
  assert.ok(job.tried.has('confirm') || applied['add-1'] === undefined, 'applied without a confirmation');
  assert.is([...states.values()].includes('executing'), false, 'a proposal is executing for ever');
  for (const id of job.operationIds())
    assert.match((await job.status(id)).state, /^(completed|failed|absent)$/, `${id} did not end`);
}

/** What `journal verify` checks, without the cost of its process: nothing here is damaged on purpose. */
export async function assertVerifies(dataPath: string): Promise<void> {
  const directory = join(dataPath, 'addons', 'journal');
  const anchor = await readAnchor(directory);
  assert.ok(anchor !== undefined && anchor !== 'damaged', 'the anchor can be read');
  const walked = (db: Databases) => walk(db, { from: 1, slice: 1_000, anchor, progress: () => {} });
  const found = await readOnly(directory, walked, holdOf(join(dataPath, 'addons', 'runtime')));
  assert.ok(found._tag === 'Right' && 'hash' in found.right, JSON.stringify(found));
}

/** `journal replay` beside a running server: its live state is the one that its journal gives. */
export async function assertReplays(dataPath: string): Promise<void> {
  const directory = join(dataPath, 'addons', 'journal');
  const hold = holdOf(join(dataPath, 'addons', 'runtime'));
  const seen: string[] = [];
  for (let tries = 0; tries < 20; tries += 1) {
    const live = await askOwner(dataPath, 'journal.state', {});
    const replayed = await replayJournal(directory, () => new OwnerState(KINDS), SNAPSHOT_FORMAT, { hold });
    assert.ok(replayed._tag === 'Right', 'the journal replays');
    const { head, stateDigest, snapshot } = replayed.right;
    assert.not.equal(snapshot?.equal, false, `the snapshot differs at ${snapshot?.firstDifference}`);
    seen.push(`${head.position} of ${live.position}`);
    if (head.position === live.position) return assert.is(stateDigest, live.stateDigest, 'the live state differs');
  }
  throw new Error(`the journal never stood still: ${seen.join(', ')}`);
}
