import { isLeft, isRight } from '../../src/contract/fp.js';
import type { Journal } from '../../src/events/journal.js';
import { sealBody } from '../../src/events/sealed-body.js';
import { assert, type Suite, suite } from './harness.js';
import { everything, places, refusals, stored, taken, type With } from './journal-appends.js';
import { appendTo, counted, noted } from './sample-events.js';

export interface JournalAdapter {
  readonly name: string;
  /** A journal of `SAMPLE_CATALOGUE` with nothing in it. */
  open(): Promise<Journal>;
  /** Closes it and opens it again; absent when nothing outlives the object. */
  reopen?(journal: Journal): Promise<Journal>;
  dispose(journal: Journal): Promise<void>;
}

const salt = new Uint8Array(32).fill(7);

/** Runs the promises of a journal whose commits succeed. */
export function journalContract(adapter: JournalAdapter): void {
  const test = suite(`journal contract: ${adapter.name}`);
  const on: With = (body) => async () => {
    const journal = await adapter.open();
    try {
      await body(journal);
    } finally {
      await adapter.dispose(journal);
    }
  };
  places(test, on);
  refusals(test, on);
  durability(test, on);
  besideTheLog(test, on);
  if (adapter.reopen !== undefined) persistence(test, adapter);
  test.run();
}

function durability(test: Suite, on: With): void {
  test(
    'nothing is visible before it is durable, and listeners run before the callers go on',
    on(async (journal) => {
      const order: string[] = [];
      journal.onDurable((records) => {
        assert.is(journal.head().position, records.at(-1)?.position);
        for (const { position } of records) order.push(`listener ${position}`);
      });
      const appends = [1, 2, 3].map((n) => taken(journal, appendTo(`s-${n}`, 0, [counted(n)])));
      assert.is(journal.head().position, 0);
      assert.equal(everything(journal), []);
      assert.equal(journal.readStream('s-1'), []);
      assert.is(journal.streamRevision('s-1'), 1);
      await Promise.all(
        appends.map(async ({ durable, records }) => {
          assert.ok(isRight(await durable));
          order.push(`caller ${records[0]?.position}`);
        }),
      );
      assert.equal(order, ['listener 1', 'listener 2', 'listener 3', 'caller 1', 'caller 2', 'caller 3']);
    }),
  );

  test(
    'many writers share commits and every listener call is in position order',
    on(async (journal) => {
      const batches: number[][] = [];
      journal.onDurable((records) => batches.push(records.map(({ position }) => position)));
      const writer = async (id: number) => {
        for (let n = 0; n < 10; n += 1) await stored(journal, appendTo(`w-${id}`, n, [counted(n)]));
      };
      await Promise.all(Array.from({ length: 8 }, (_, id) => writer(id)));
      assert.equal(
        batches.flat(),
        Array.from({ length: 80 }, (_, index) => index + 1),
      );
      assert.ok(batches.length < 80, `80 appends took ${batches.length} commits`);
    }),
  );

  test(
    'the barrier resolves when all that was enqueued before it is durable',
    on(async (journal) => {
      assert.ok(isRight(await journal.barrier()));
      taken(journal, appendTo('s', 0, [counted(1)]));
      assert.ok(isRight(await journal.barrier()));
      assert.is(journal.head().position, 1);
    }),
  );

  test(
    'a listener that throws fences, since what is shown would be wrong from then on',
    on(async (journal) => {
      journal.onDurable(() => {
        throw new Error('a projection is broken');
      });
      assert.ok(isLeft(await taken(journal, appendTo('s', 0, [counted(1)])).durable));
      assert.match(journal.fenced() ?? '', 'a projection is broken');
    }),
  );
}

function besideTheLog(test: Suite, on: With): void {
  test(
    'a body is readable once durable, and gone with its salt once erased, while the log stays',
    on(async (journal) => {
      const body = sealBody(Buffer.from('a private text'), salt);
      const flying = taken(journal, appendTo('s', 0, [noted(body.ref)], { bodies: [body] }));
      assert.is(journal.body(body.ref), undefined);
      await flying.durable;
      assert.is(Buffer.from(journal.body(body.ref) ?? []).toString(), 'a private text');
      await stored(journal, { writes: [], meta: { at: '2026-11-30T12:00:00.000Z' }, erase: [body.ref] });
      assert.is(journal.body(body.ref), undefined);
      assert.is(journal.head().position, 1);
      assert.is(journal.readStream('s').length, 1);
    }),
  );

  test(
    'a body under a reference that is not its digest is invalid',
    on(async (journal) => {
      const body = { ...sealBody(Buffer.from('x'), salt), bytes: Buffer.from('y') };
      const refused = journal.append(appendTo('s', 0, [noted('n')], { bodies: [body] }));
      assert.ok(isLeft(refused) && refused.left.kind === 'invalid');
    }),
  );

  test(
    'a snapshot comes back as it was saved, and only if its hash stands in this log',
    on(async (journal) => {
      assert.is(journal.loadSnapshot(), undefined);
      await stored(journal, appendTo('s', 0, [counted(1)]));
      const { position, hash } = journal.head();
      const state = Buffer.from('{"s":1}');
      await journal.saveSnapshot({ position, hash, format: 3, state });
      const loaded = journal.loadSnapshot();
      assert.is(Buffer.from(loaded?.state ?? []).toString(), '{"s":1}');
      assert.equal([loaded?.position, loaded?.hash, loaded?.format], [position, hash, 3]);
      await journal.saveSnapshot({ position, hash: 'f'.repeat(64), format: 3, state });
      assert.is(journal.loadSnapshot(), undefined);
      await journal.saveSnapshot({ position: position + 1, hash, format: 3, state });
      assert.is(journal.loadSnapshot(), undefined);
    }),
  );

  test(
    'closing waits for what is in flight, and a closed journal refuses',
    on(async (journal) => {
      const flying = taken(journal, appendTo('s', 0, [counted(1)]));
      await journal.close();
      assert.ok(isRight(await flying.durable));
      const refused = journal.append(appendTo('s', 1, [counted(2)]));
      assert.ok(isLeft(refused) && refused.left.kind === 'fenced');
    }),
  );
}

function persistence(test: Suite, adapter: JournalAdapter): void {
  test('what was acknowledged is there after reopening, and appends go on behind it', async () => {
    let journal = await adapter.open();
    try {
      const body = sealBody(Buffer.from('kept'), salt);
      const records = await stored(
        journal,
        appendTo('s', 0, [counted(1), noted('ä')], { operationId: 'op', bodies: [body] }),
      );
      const head = journal.head();
      journal = (await adapter.reopen?.(journal)) ?? journal;
      assert.equal(journal.head(), head);
      assert.equal(everything(journal), records);
      assert.is(journal.streamRevision('s'), 2);
      assert.equal(journal.operation('op'), { operationId: 'op', position: 1, stream: 's' });
      assert.is(Buffer.from(journal.body(body.ref) ?? []).toString(), 'kept');
      await stored(journal, appendTo('s', 2, [counted(3)]));
      assert.is(journal.record(3)?.prev, head.hash);
    } finally {
      await adapter.dispose(journal);
    }
  });
}

/** What is left of the contract when no commit succeeds. */
export function failingContract(adapter: JournalAdapter): void {
  const test = suite(`journal contract, failing: ${adapter.name}`);
  test('callers of a failed commit are told so, nothing becomes visible, and everything later is refused', async () => {
    const journal = await adapter.open();
    const seen: unknown[] = [];
    const reasons: string[] = [];
    journal.onDurable((records) => seen.push(records));
    journal.onFenced((reason) => reasons.push(reason));
    const first = taken(journal, appendTo('a', 0, [counted(1)]));
    const second = taken(journal, appendTo('b', 0, [counted(2)]));
    assert.ok(isLeft(await first.durable));
    assert.ok(isLeft(await second.durable));
    assert.equal(seen, []);
    assert.is(reasons.length, 1);
    assert.ok(isLeft(await journal.barrier()));
    const refused = journal.append(appendTo('c', 0, [counted(3)]));
    assert.ok(isLeft(refused) && refused.left.kind === 'fenced');
    await adapter.dispose(journal);
  });
  test.run();
}
