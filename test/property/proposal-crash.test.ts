/**
 * The gateway against crashes. Random callers, faults of the add-on and deaths of the owner: between any two commits,
 * with a commit on disk that nobody was told of, and before and after the add-on got a call. The add-on's own data is
 * the oracle. What must hold whatever happened:
 *
 *   - nothing that was answered is lost or taken back;
 *   - nothing is applied twice, and nothing is handed over a second time without proof that the first never left;
 *   - applied, rejected, cancelled and expired say what the add-on's data says;
 *   - the state equals the fold of the journal, and an owner that comes back settles what has a receipt.
 */
import fc from 'fast-check';
import { isKnown } from '../../src/aggregates/proposal.js';
import { confirm } from '../../src/commands/proposals/confirm.js';
import type { ProposalView } from '../../src/contract/api.js';
import type { Either } from '../../src/contract/fp.js';
import type { Refusal } from '../../src/contract/refusal.js';
import { MemoryStorage } from '../../src/events/memory-journal.js';
import type { Batch } from '../../src/events/storage.js';
import { proposalKind } from '../../src/projections/kinds/proposal.js';
import { resourceKind } from '../../src/projections/kinds/resource.js';
import { KINDS } from '../../src/projections/kinds.js';
import { OwnerState } from '../../src/projections/owner-state.js';
import { reconcileProposals } from '../../src/recovery/reconcile-proposals.js';
import { AddonDouble, type ApplyFault } from '../support/addon-double.js';
import { CountingIds, creation, insertion, installedTables, local, World } from '../support/gateway-world.js';
import { assert, suite } from '../support/harness.js';
import { SimClock, settle } from '../support/sim-clock.js';

const test = suite('proposals under crashes');

// ---- the disk: shared by every life of the owner, seen by one at a time --------------------------------------

/** One life's view of the disk. Once dead, nothing it writes arrives and nothing it waits for ever comes. */
class Disk extends MemoryStorage {
  dead = false;
  private countdown: number | undefined;
  private keeps = false;

  constructor(readonly shared: MemoryStorage) {
    super();
  }

  /** Dies at the n-th commit from now: with that commit on disk but unacknowledged, or without it. */
  dieAt(commits: number, keeps: boolean): void {
    this.countdown = commits;
    this.keeps = keeps;
  }

  override commit(batch: Batch): void | Promise<void> {
    if (this.dead) return new Promise(() => {});
    if (this.countdown !== undefined) {
      this.countdown -= 1;
      if (this.countdown <= 0) {
        this.dead = true;
        if (this.keeps) void this.shared.commit(batch);
        return new Promise(() => {});
      }
    }
    return this.shared.commit(batch);
  }

  override head = () => this.shared.head();
  override slice = (from: number, limit: number) => this.shared.slice(from, limit);
  override bytes = (position: number) => this.shared.bytes(position);
  override streamRevision = (stream: string) => this.shared.streamRevision(stream);
  override streamPositions = (stream: string) => this.shared.streamPositions(stream);
  override claim = (operationId: string) => this.shared.claim(operationId);
  override body = (ref: string) => this.shared.body(ref);
}

// ---- one run ---------------------------------------------------------------------------------------------------

const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  pending: [
    'pending',
    'cancelled',
    'expired',
    'executing',
    'applied',
    'rejected',
    'outcome-unknown',
    'abandoned-unknown',
  ],
  executing: [
    'executing',
    'pending',
    'applied',
    'rejected',
    'outcome-unknown',
    'abandoned-unknown',
    'cancelled',
    'expired',
  ],
  'outcome-unknown': ['outcome-unknown', 'applied', 'rejected', 'abandoned-unknown'],
  'abandoned-unknown': ['abandoned-unknown', 'applied', 'rejected'],
  applied: ['applied'],
  rejected: ['rejected'],
  cancelled: ['cancelled'],
  expired: ['expired'],
};

class Model {
  readonly clock = new SimClock();
  readonly shared = new MemoryStorage();
  readonly ids = new CountingIds();
  readonly addon = new AddonDouble(() => this.clock.now());
  /** What was answered last about each proposal. */
  readonly told = new Map<string, string>();
  readonly toldResources = new Set<string>();
  disk = new Disk(this.shared);
  world!: World;
  readonly databases: string[] = [];

  async begin(): Promise<void> {
    await this.open();
    this.databases.push(await this.world.database(), await this.world.database());
  }

  async open(): Promise<void> {
    this.disk = new Disk(this.shared);
    const { disk: storage, addon, clock, ids } = this;
    this.world = await World.open({ storage, addon, clock, ids, started: false });
    const recovered = reconcileProposals(this.world.proposals);
    await Promise.race([recovered, settle(60)]);
    if (!this.disk.dead) this.world.proposals.start();
    await settle();
  }

  /** The owner dies where it stands and a new one comes up. */
  async revive(): Promise<void> {
    this.disk.dead = true;
    this.clock.stop();
    this.addon.applyFaults.length = 0;
    this.addon.onApply = undefined;
    await settle();
    this.world.installed = installedTables();
    await this.open();
  }

  /** Starts a call; what it answers counts only while its owner lives. */
  async call<A>(start: (world: World) => Promise<Either<Refusal, A>>, tell: (value: A) => void): Promise<void> {
    const { disk } = this;
    const answered = start(this.world).then((answer) => {
      if (answer._tag === 'Right' && !disk.dead) tell(answer.right);
    });
    await Promise.race([answered, settle()]);
    if (this.disk.dead) await this.revive();
  }

  readonly tell = (view: ProposalView): void => {
    const before = this.told.get(view.id);
    if (before !== undefined)
      assert.ok(FOLLOWS[before]?.includes(view.state), `${view.id}: ${before} was answered and now ${view.state}`);
    this.told.set(view.id, view.state);
  };

  digestOf(id: string): string {
    const proposal = this.world.store.visible.get(proposalKind, id);
    return isKnown(proposal) ? proposal.record.digest : '';
  }

  // ---- what must hold ------------------------------------------------------------------------------------------

  check(): void {
    const { store, journal } = this.world;
    const fold = new OwnerState(KINDS);
    const open = new Map<string, number>();
    const started = new Map<string, number>();
    for (const slice of journal.read({ from: 1 }))
      for (const event of slice) {
        fold.apply(event);
        if (event.type === 'ExecutionStarted') {
          const { addonOperationId } = event.payload as { addonOperationId: string };
          started.set(addonOperationId, (started.get(addonOperationId) ?? 0) + 1);
          open.set(event.stream, (open.get(event.stream) ?? 0) + 1);
          assert.is(open.get(event.stream), 1, `${event.stream} was started twice`);
        }
        if (event.type === 'ExecutionNotSent') open.set(event.stream, 0);
      }
    assert.equal(JSON.parse(JSON.stringify(store.visible)), JSON.parse(JSON.stringify(fold)), 'state is not the fold');
    for (const [id, { times }] of this.addon.applied)
      assert.is(times, 1, `${id} was submitted again after it was applied`);
    const calls = new Map<string, number>();
    for (const { envelope } of this.addon.applyCalls) {
      const { operationId } = envelope.request;
      calls.set(operationId, (calls.get(operationId) ?? 0) + 1);
    }
    for (const [operationId, count] of calls)
      if (!this.isDirect(operationId))
        assert.ok(count <= (started.get(operationId) ?? 0), `${operationId} was sent unrecorded`);
    this.checkTruth(fold);
  }

  private isDirect(operationId: string): boolean {
    const resource = this.world.store.visible.get(resourceKind, operationId.replace(/^create-/, ''));
    if (!operationId.startsWith('create-')) return false;
    return !('origin' in resource) || resource.origin.kind === 'direct';
  }

  private checkTruth(state: OwnerState): void {
    for (const [id, told] of this.told) {
      const now = state.get(proposalKind, id).state;
      assert.ok(FOLLOWS[told]?.includes(now), `${id}: ${told} was answered and the journal says ${now}`);
    }
    for (const proposal of state.all(proposalKind).values()) {
      if (!isKnown(proposal)) continue;
      const receipt = this.addon.applied.get(proposal.record.addonOperationId)?.receipt.state;
      const { operationId } = proposal.record;
      if (proposal.state === 'applied') assert.is(receipt, 'committed', `${operationId} says applied`);
      if (['rejected', 'cancelled', 'expired', 'pending'].includes(proposal.state))
        assert.is.not(receipt, 'committed', `${operationId} says ${proposal.state} and ran`);
    }
    for (const [id, resource] of state.all(resourceKind))
      if (resource.state === 'active') assert.ok(this.addon.data.has(id), `${id} is active and does not exist`);
    for (const id of this.toldResources) assert.is(state.get(resourceKind, id).state, 'active', `${id} was answered`);
  }

  /** A healthy end: whatever has a receipt is settled by it, and nothing is applied any more. */
  async end(): Promise<void> {
    this.addon.up = true;
    this.addon.receiptFault = undefined;
    this.addon.previewFault = undefined;
    this.addon.existsAnswer = 'truth';
    const calls = this.addon.applyCalls.length;
    await this.revive();
    await this.clock.advance(40_000);
    this.check();
    assert.is(this.addon.applyCalls.length, calls, 'a restart applied something');
    const { visible } = this.world.store;
    for (const proposal of visible.all(proposalKind).values()) {
      if (!isKnown(proposal)) continue;
      assert.is.not(proposal.state, 'executing');
      const receipt = this.addon.applied.get(proposal.record.addonOperationId)?.receipt.state;
      if (receipt === 'committed') assert.is(proposal.state, 'applied', 'a committed change is not lost');
      if (receipt === 'committed' && proposal.record.action === 'create')
        assert.is(visible.get(resourceKind, proposal.record.resourceId).state, 'active');
    }
    await this.world.proposals.close();
  }
}

// ---- steps -----------------------------------------------------------------------------------------------------

type Step = (model: Model) => Promise<void>;

const slot = fc.integer({ min: 0, max: 3 });
const proposalId = fc.oneof(
  slot.map((n) => `op-${n}`),
  slot.map((n) => `cr-${n}`),
);

const proposing = fc.tuple(slot, fc.integer({ min: 0, max: 1 })).map(
  ([n, at]): Step =>
    (model) =>
      model.call(
        (world) => world.propose(local(), insertion(model.databases[at] ?? '', `op-${n}`)),
        ({ proposal }) => model.tell(proposal),
      ),
);
const creating = slot.map(
  (n): Step =>
    (model) =>
      model.call(
        (world) => world.propose(local(), creation(`cr-${n}`)),
        ({ proposal }) => model.tell(proposal),
      ),
);
const direct = slot.map(
  (n): Step =>
    (model) =>
      model.call(
        (world) => world.createDatabase(local(`mk-${n}`), `mk-${n}`, { name: `Book ${n}` }),
        ({ entry }) => void model.toldResources.add(entry.resourceId),
      ),
);
const confirming = fc.tuple(proposalId, fc.integer({ min: 1, max: 2 })).map(
  ([id, times]): Step =>
    async (model) => {
      const digest = model.digestOf(id);
      const one = (world: World) => confirm(world.proposals.desk, local(id), id, { digest });
      for (let n = 1; n < times; n += 1) void one(model.world);
      await model.call(one, model.tell);
    },
);
const cancelling = proposalId.map(
  (id): Step =>
    (model) =>
      model.call((world) => world.proposals.cancel(local(), id), model.tell),
);
const reconciling = proposalId.map(
  (id): Step =>
    (model) =>
      model.call((world) => world.proposals.reconcile(local(), id), model.tell),
);
const resolving = proposalId.map(
  (id): Step =>
    (model) => {
      const body = { digest: model.digestOf(id), reason: 'a test' };
      return model.call((world) => world.proposals.resolve(local(id), id, body), model.tell);
    },
);
const reading = proposalId.map(
  (id): Step =>
    (model) =>
      model.call((world) => world.proposals.proposal(local(), id), model.tell),
);
const passing = fc.constantFrom(100, 1_000, 35_000, 70_000, 300_000).map(
  (ms): Step =>
    async (model) => {
      await model.clock.advance(ms);
      if (model.disk.dead) await model.revive();
    },
);
const faulty = fc
  .constantFrom<ApplyFault>(
    'lost',
    'dropped',
    'hang',
    'throw',
    'receipt-pending',
    { kind: 'not-sent', message: 'x' },
    { kind: 'busy', retryAfter: 1 },
    { kind: 'refused', message: 'x' },
    { kind: 'conflict', message: 'x' },
  )
  .map(
    (fault): Step =>
      async (model) =>
        void model.addon.applyFaults.push(fault),
  );
const set =
  (change: Partial<AddonDouble>): Step =>
  async (model) =>
    void Object.assign(model.addon, change);
const weather = fc.constantFrom<Step>(
  set({ receiptFault: { kind: 'outage', message: 'down' } }),
  set({ receiptFault: undefined }),
  set({ existsAnswer: 'silent' }),
  set({ existsAnswer: 'truth' }),
  async (model) => model.addon.turn(false),
  async (model) => model.addon.turn(true),
);
const dying = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.boolean()).map(
  ([commits, keeps]): Step =>
    async (model) =>
      model.disk.dieAt(commits, keeps),
);
/** Dies around the next call to the add-on: before it arrived, or after it was applied. */
const dyingAtApply = fc.boolean().map(
  (ran): Step =>
    async (model) => {
      const { disk, addon } = model;
      addon.onApply = (envelope) => {
        addon.onApply = undefined;
        const call = addon.applyCalls.at(-1);
        if (ran && call !== undefined) addon.perform(envelope, call.revision);
        disk.dead = true;
        return new Promise(() => {});
      };
    },
);
const restarting = fc.constant<Step>((model) => model.revive());

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: proposing },
  { weight: 3, arbitrary: creating },
  { weight: 2, arbitrary: direct },
  { weight: 9, arbitrary: confirming },
  { weight: 2, arbitrary: cancelling },
  { weight: 3, arbitrary: reconciling },
  { weight: 2, arbitrary: resolving },
  { weight: 1, arbitrary: reading },
  { weight: 3, arbitrary: passing },
  { weight: 4, arbitrary: faulty },
  { weight: 3, arbitrary: weather },
  { weight: 3, arbitrary: dying },
  { weight: 2, arbitrary: dyingAtApply },
  { weight: 1, arbitrary: restarting },
);

async function run(steps: readonly Step[]): Promise<void> {
  const model = new Model();
  await model.begin();
  for (const next of steps) {
    await next(model);
    if (model.disk.dead) await model.revive();
    model.check();
  }
  await model.end();
}

test('with crashes between any two commits and around every call: nothing answered is lost, nothing is applied twice, the state is the fold [RECOVER-011] [PROPOSAL-047] [PROPOSAL-048] [RECOVER-017] [WIRE-031]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => run(steps)),
    { numRuns: Number(process.env.CRASH_RUNS ?? 150) },
  );
}, 280_000);

test.run();
