/** What every adapter of the journal port must do with one append: where its records stand, and what is refused. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../src/contract/canonical-json.js';
import { isLeft, isRight } from '../../src/contract/fp.js';
import type { Json } from '../../src/contract/json.js';
import type { RecordedEvent } from '../../src/events/event.js';
import type { AppendRequest, InFlight, Journal } from '../../src/events/journal.js';
import { assert, type Suite } from './harness.js';
import { appendTo, counted, noted } from './sample-events.js';

export type With = (body: (journal: Journal) => Promise<void>) => () => Promise<void>;

export function taken(journal: Journal, request: AppendRequest): InFlight {
  const appended = journal.append(request);
  if (isLeft(appended)) throw new Error(`refused: ${JSON.stringify(appended.left)}`);
  return appended.right;
}

export async function stored(journal: Journal, request: AppendRequest): Promise<readonly RecordedEvent[]> {
  const { records, durable } = taken(journal, request);
  assert.ok(isRight(await durable), 'the append became durable');
  return records;
}

export const everything = (journal: Journal, from = 1, limit = 7) => [...journal.read({ from, limit })].flat();

export function places(test: Suite, on: With): void {
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

export function refusals(test: Suite, on: With): void {
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
