/**
 * What every adapter of the journal port must do. `storing` says whether commits succeed; the always-failing journal
 * runs through the same suite with the promises that remain.
 */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { isLeft, isRight } from '../../src/contract/fp.js';
import type { Json } from '../../src/contract/json.js';
import type { RecordedEvent } from '../../src/events/event.js';
import type { AppendRequest, InFlight, Journal } from '../../src/events/journal.js';
import { sealBody } from '../../src/events/sealed-body.js';
import { assert, type Suite, suite } from './harness.js';
import { appendTo, counted, noted } from './sample-events.js';

export interface JournalAdapter {
  readonly name: string;
  /** A journal of `SAMPLE_CATALOGUE` with nothing in it. */
  open(): Promise<Journal>;
  /** Closes it and opens it again; absent when nothing outlives the object. */
  reopen?(journal: Journal): Promise<Journal>;
  dispose(journal: Journal): Promise<void>;
}

type With = (body: (journal: Journal) => Promise<void>) => () => Promise<void>;

function taken(journal: Journal, request: AppendRequest): InFlight {
  const appended = journal.append(request);
  if (isLeft(appended)) throw new Error(`refused: ${JSON.stringify(appended.left)}`);
  return appended.right;
}

async function stored(journal: Journal, request: AppendRequest): Promise<readonly RecordedEvent[]> {
  const { records, durable } = taken(journal, request);
  assert.ok(isRight(await durable), 'the append became durable');
  return records;
}

const everything = (journal: Journal, from = 1, limit = 7) => [...journal.read({ from, limit })].flat();

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

function places(test: Suite, on: With): void {
  test(
    'positions are gapless from 1, revisions gapless within each stream',
    on(async (journal) => {
      await stored(journal, appendTo('a', 0, [counted(1), counted(2)]));
      await stored(journal, {
        writes: [
          { stream: 'b', expectedRevision: 0, events: [counted(3)] },
          { stream: 'a', expectedRevision: 2, events: [noted('x')] },
        ],
        meta: { at: '2026-11-30T12:00:00.000Z' },
      });
      const places = everything(journal).map(({ position, stream, revision }) => `${position} ${stream} ${revision}`);
      assert.equal(places, ['1 a 1', '2 a 2', '3 b 1', '4 a 3']);
      assert.equal(
        journal.readStream('a').map(({ position }) => position),
        [1, 2, 4],
      );
      assert.equal(journal.readStream('nobody'), []);
      assert.is(journal.streamRevision('a'), 3);
    }),
  );

  test(
    'one append may write the same stream twice, the second time on the first',
    on(async (journal) => {
      const writes = [
        { stream: 'a', expectedRevision: 0, events: [counted(1)] },
        { stream: 'a', expectedRevision: 1, events: [counted(2)] },
      ];
      const records = await stored(journal, { writes, meta: { at: '2026-11-30T12:00:00.000Z' } });
      assert.equal(
        records.map(({ revision }) => revision),
        [1, 2],
      );
    }),
  );

  test(
    'a stream whose name begins like another is another stream',
    on(async (journal) => {
      await stored(journal, appendTo('note-1', 0, [counted(1)]));
      await stored(journal, appendTo('note-12', 0, [counted(2)]));
      await stored(journal, appendTo('note', 0, [counted(3)]));
      assert.is(journal.readStream('note').length, 1);
      assert.is(journal.readStream('note-1').length, 1);
      assert.is(journal.streamRevision('note-'), 0);
    }),
  );

  test(
    'records are stored as canonical JSON, each with the hash of itself and of the one before',
    on(async (journal) => {
      const meta = { at: '2026-11-30T12:00:00.000Z', operationId: 'op-1' };
      const actor = { userId: 'u', credentialId: 'c', mode: 'named-user' } as const;
      await stored(journal, {
        writes: [{ stream: 's', expectedRevision: 0, events: [noted('Zürich "quoted" \u2028'), counted(-0)] }],
        meta: { ...meta, actor },
      });
      let prev = '0'.repeat(64);
      for (const { position, bytes } of [...journal.readRaw({ from: 1 })].flat()) {
        const record = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, Json>;
        assert.is(Buffer.from(bytes).toString('utf8'), canonicalJson(record));
        const { hash, ...rest } = record;
        assert.is(createHash('sha256').update(canonicalJson(rest)).digest('hex'), hash);
        assert.is(record.prev, prev);
        assert.is(record.position, position);
        assert.equal(record.actor, actor);
        prev = hash as string;
      }
      assert.equal(journal.head(), { position: 2, hash: prev });
      assert.is(journal.record(2)?.hash, prev);
      assert.is(journal.record(3), undefined);
    }),
  );

  test(
    'slices cover the log once, whatever their size and wherever they begin',
    on(async (journal) => {
      await stored(
        journal,
        appendTo(
          's',
          0,
          Array.from({ length: 23 }, (_, index) => counted(index)),
        ),
      );
      for (const limit of [1, 5, 23, 100])
        for (const from of [1, 9, 23, 24]) {
          const found = everything(journal, from, limit).map(({ position }) => position);
          assert.equal(
            found,
            Array.from({ length: 24 - from }, (_, index) => from + index),
          );
        }
    }),
  );

  test(
    'what is read is what was recorded in flight',
    on(async (journal) => {
      const records = await stored(journal, appendTo('s', 0, [counted(1), noted('n')], { operationId: 'op' }));
      assert.equal(everything(journal), records);
    }),
  );
}

function refusals(test: Suite, on: With): void {
  test(
    'a revision that is not the last one is a conflict, in-flight events included, and nothing is enqueued',
    on(async (journal) => {
      const first = taken(journal, appendTo('s', 0, [counted(1)]));
      const late = journal.append(appendTo('s', 0, [counted(2)]));
      assert.equal(isLeft(late) && late.left, { kind: 'conflict', stream: 's', expected: 0, actual: 1 });
      const both = journal.append({
        writes: [
          { stream: 'other', expectedRevision: 0, events: [counted(3)] },
          { stream: 's', expectedRevision: 7, events: [counted(4)] },
        ],
        meta: { at: '2026-11-30T12:00:00.000Z' },
      });
      assert.ok(isLeft(both));
      await first.durable;
      assert.is(journal.head().position, 1);
      assert.is(journal.streamRevision('other'), 0);
    }),
  );

  test(
    'an unknown type, a payload its codec refuses and a text that is not Unicode are invalid, by name',
    on(async (journal) => {
      const bad = [
        { type: 'Unheard', payload: {} },
        { type: 'toString', payload: {} },
        { type: 'Counted', payload: { amount: 1.5, unit: 'kg' } },
        { type: 'Counted', payload: { amount: 1, unit: 'kg', extra: true } },
        { type: 'Noted', payload: { text: '\ud800' } },
      ];
      for (const event of bad) {
        const refused = journal.append(appendTo('s', 0, [counted(1), event]));
        assert.ok(isLeft(refused) && refused.left.kind === 'invalid' && refused.left.type === event.type, event.type);
      }
      assert.ok(isRight(await journal.barrier()));
      assert.is(journal.head().position, 0);
      assert.is(journal.streamRevision('s'), 0);
    }),
  );

  test(
    'a stream, actor or operation that cannot stand in a record is invalid, and nothing of the append is taken',
    on(async (journal) => {
      const good = { stream: 'good', expectedRevision: 0, events: [counted(1)] };
      const meta = { at: '2026-11-30T12:00:00.000Z' };
      for (const stream of ['', 'a"b', 'a\\b', 'ä', 'line\nbreak', 'x'.repeat(513)])
        assert.ok(isLeft(journal.append({ writes: [good, { ...good, stream }], meta })), stream);
      assert.ok(isLeft(journal.append({ writes: [good], meta: { ...meta, operationId: '\ud800' } })));
      const actor = { userId: '\udc00', credentialId: 'c', mode: 'named-user' } as const;
      assert.ok(isLeft(journal.append({ writes: [good], meta: { ...meta, actor } })));
      assert.is(journal.streamRevision('good'), 0);
      await stored(journal, appendTo('good', 0, [counted(1)], { operationId: 'operation "ä"' }));
      assert.equal(journal.operation('operation "ä"')?.stream, 'good');
    }),
  );

  test(
    'an operation id belongs to its first use, in flight and later',
    on(async (journal) => {
      assert.is(journal.operation('op'), undefined);
      const first = taken(journal, appendTo('a', 0, [counted(1), counted(2)], { operationId: 'op' }));
      const claim = { operationId: 'op', position: 1, stream: 'a' };
      assert.equal(journal.operation('op'), claim);
      const second = taken(journal, appendTo('b', 0, [counted(3)], { operationId: 'op' }));
      await Promise.all([first.durable, second.durable]);
      await stored(journal, appendTo('c', 0, [counted(4)], { operationId: 'op' }));
      assert.equal(journal.operation('op'), claim);
      assert.is(journal.operation('o'), undefined);
    }),
  );

  test(
    'fenced from outside, it refuses, tells its listeners once and leaves what was in flight unknown',
    on(async (journal) => {
      const reasons: string[] = [];
      journal.onFenced((reason) => reasons.push(reason));
      await stored(journal, appendTo('s', 0, [counted(1)]));
      const flying = taken(journal, appendTo('s', 1, [counted(2)]));
      journal.fence('record 1 is damaged');
      journal.fence('again');
      assert.equal(reasons, ['record 1 is damaged']);
      assert.is(journal.fenced(), 'record 1 is damaged');
      assert.ok(isLeft(await flying.durable));
      assert.ok(isLeft(await journal.barrier()));
      const refused = journal.append(appendTo('t', 0, [counted(3)]));
      assert.equal(isLeft(refused) && refused.left, { kind: 'fenced', reason: 'record 1 is damaged' });
      assert.is(everything(journal).length, journal.head().position);
    }),
  );
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
