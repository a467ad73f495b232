/**
 * Copy-as-crash: between two transactions the file on disk is what a SIGKILL leaves, so a copy of the directory taken
 * at a chosen moment, opened, is a restart after a crash at that moment, a hundred times cheaper than a killed child.
 */
import fc from 'fast-check';
import { isLeft } from '../../../src/contract/fp.js';
import type { Journal } from '../../../src/events/journal.js';
import { sealBody } from '../../../src/events/sealed-body.js';
import { assert, suite } from '../../support/harness.js';
import { copyOf, freshDirectory, openJournal } from '../../support/lmdb-journals.js';
import { assertRecovered } from '../../support/oracle.js';
import { appendTo, counted, noted } from '../../support/sample-events.js';
import { memoryPlace } from '../../support/temp-dir.js';

/** A copy is a crash whether the file was on a disk or in memory. */
const PLACE = memoryPlace();
const NONE: ReadonlyMap<string, number> = new Map();
const test = suite('crashes between any two durable steps');

type Moment = 'idle' | 'in-flight' | 'committed';
type Step =
  | { readonly kind: 'append'; readonly writers: number; readonly events: number; readonly body: boolean }
  | { readonly kind: 'crash'; readonly moment: Moment; readonly writers: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'snapshot' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      writers: fc.integer({ min: 1, max: 4 }),
      events: fc.integer({ min: 1, max: 3 }),
      body: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      moment: fc.constantFrom<Moment>('idle', 'in-flight', 'committed'),
      writers: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
);

/** Bytes of what was acknowledged must come back; what was only tried may. */
class World {
  readonly acknowledged = new Map<string, number>();
  readonly tried = new Set<string>();
  readonly bodies = new Map<string, string>();
  /** What the listeners were shown; must equal a fold of the log. */
  shown: number[] = [];
  journal!: Journal;
  directory = freshDirectory(PLACE);
  private n = 0;

  async open(): Promise<void> {
    this.journal = await openJournal(this.directory, { indexTail: 5, anchorEveryMs: 0 });
    this.shown = [...this.journal.read({ from: 1, limit: 3 })].flat().map(({ position }) => position);
    this.journal.onDurable((records) => this.shown.push(...records.map(({ position }) => position)));
  }

  /** Starts appends; each resolves when it was acknowledged. */
  start(writers: number, events: number, body: boolean): Promise<void>[] {
    return Array.from({ length: writers }, async (_, writer) => {
      this.n += 1;
      const operationId = `op-${this.n}`;
      const stream = `s-${(this.n + writer) % 3}`;
      const sealed = sealBody(Buffer.from(`body of ${operationId}`), new Uint8Array(32).fill(this.n % 256));
      const decided = Array.from({ length: events }, (_, index) => (index === 0 ? noted(operationId) : counted(index)));
      this.tried.add(operationId);
      const request = appendTo(stream, this.journal.streamRevision(stream), decided, {
        operationId,
        ...(body ? { bodies: [sealed] } : {}),
      });
      const appended = this.journal.append(request);
      if (isLeft(appended)) throw new Error(JSON.stringify(appended.left));
      const durable = await appended.right.durable;
      if (isLeft(durable)) return;
      const last = appended.right.records.at(-1)?.position ?? 0;
      this.acknowledged.set(operationId, last);
      if (body) this.bodies.set(sealed.ref, `body of ${operationId}`);
    });
  }

  /** Goes on with a copy of the directory as it was at the moment; the old environment is closed and forgotten. */
  async crash(moment: Moment, writers: number): Promise<void> {
    let copy: string | undefined;
    const acknowledged = new Map(this.acknowledged);
    const bodies = new Map(this.bodies);
    const take = () => {
      copy ??= copyOf(this.directory, PLACE);
    };
    if (moment === 'committed') this.journal.onDurable(take);
    const flying = moment === 'idle' ? [] : this.start(writers, 1, false);
    if (moment !== 'committed') take();
    await Promise.all(flying);
    await this.journal.close();
    // What was acknowledged only after the copy does not count.
    this.acknowledged.clear();
    for (const [operationId, position] of acknowledged) this.acknowledged.set(operationId, position);
    this.bodies.clear();
    for (const [ref, text] of bodies) this.bodies.set(ref, text);
    this.directory = copy ?? this.directory;
    await this.open();
  }

  check(): void {
    const last = new Map<string, number>();
    for (const slice of this.journal.read({ from: 1 }))
      for (const { operationId, position } of slice) last.set(operationId ?? '', position);
    for (const [operationId, position] of this.acknowledged)
      assert.is(last.get(operationId), position, `${operationId} was acknowledged and is lost`);
    for (const operationId of this.acknowledged.keys())
      assert.ok((this.journal.operation(operationId)?.position ?? 0) > 0, `${operationId} is not in the index`);
    assertRecovered(this.journal, { acknowledged: NONE, tried: this.tried, unknown: new Set() });
    assert.equal(
      this.shown,
      Array.from({ length: this.journal.head().position }, (_, index) => index + 1),
      'what was shown is the log',
    );
    for (const [ref, text] of this.bodies) assert.is(Buffer.from(this.journal.body(ref) ?? []).toString(), text);
    const snapshot = this.journal.loadSnapshot();
    if (snapshot !== undefined) assert.ok(snapshot.position <= this.journal.head().position);
  }
}

test('acknowledged is recovered, recovered was tried, in order, gapless, chained, with its bodies and indexes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const world = new World();
      await world.open();
      for (const next of steps) {
        if (next.kind === 'append') await Promise.all(world.start(next.writers, next.events, next.body));
        else if (next.kind === 'crash') await world.crash(next.moment, next.writers);
        else if (next.kind === 'snapshot')
          await world.journal.saveSnapshot({ ...world.journal.head(), format: 1, state: Buffer.from('{}') });
        else {
          await world.journal.close();
          await world.open();
        }
        world.check();
      }
      await world.journal.close();
    }),
    { numRuns: 200 },
  );
}, 280_000);

test.run();
