import fc from 'fast-check';
import { canonicalJson } from '../../../src/contract/canonical-json.js';
import { closed, isLeft, isRight, t } from '../../../src/contract/fp.js';
import type { Json } from '../../../src/contract/json.js';
import { CATALOGUE } from '../../../src/events/catalogue/index.js';
import {
  type Catalogue,
  chainFault,
  decodeRecord,
  encodeEvent,
  metaText,
  parseRecord,
  recordText,
} from '../../../src/events/codec.js';
import { defineEvents, type JournalRecord } from '../../../src/events/event.js';
import { memoryJournal } from '../../../src/events/memory-journal.js';
import { assert, suite } from '../../support/harness.js';
import { AT, appendTo, noted, SAMPLE_CATALOGUE } from '../../support/sample-events.js';

const test = suite('the event codec');

const record = (over: Partial<JournalRecord>): JournalRecord => ({
  position: 1,
  id: 'id',
  type: 'Counted',
  version: 1,
  stream: 's',
  revision: 1,
  at: AT,
  payload: { amount: 2 },
  prev: '0'.repeat(64),
  hash: 'f'.repeat(64),
  ...over,
});

test('an older version is brought to the version of today on read, and the stored record is not', async () => {
  const old = defineEvents({
    Counted: { version: 1, payload: closed('Counted', { amount: t.Int }) },
  }) as unknown as Catalogue;
  const journal = memoryJournal({ catalogue: old });
  journal.append(appendTo('s', 0, [{ type: 'Counted', payload: { amount: 2 } }]));
  await journal.barrier();
  const stored = journal.record(1) as JournalRecord;
  assert.equal(decodeRecord(SAMPLE_CATALOGUE, stored).payload, { amount: 2, unit: 'piece' });
  assert.equal([stored.version, stored.payload], [1, { amount: 2 }]);
});

test('an unknown type is refused by name, never skipped', () => {
  assert.throws(() => decodeRecord(SAMPLE_CATALOGUE, record({ type: 'Invented' })), /unknown event type "Invented"/);
  assert.throws(() => decodeRecord(SAMPLE_CATALOGUE, record({ type: 'toString' })), /unknown event type "toString"/);
});

test('a version newer than this build, or one without an upcaster, is refused', () => {
  assert.throws(
    () => decodeRecord(SAMPLE_CATALOGUE, record({ version: 3 })),
    /has version 3, this build reads up to 2/,
  );
  assert.throws(() => decodeRecord(SAMPLE_CATALOGUE, record({ version: 0 })), /no upcaster from version 0/);
  assert.throws(() => decodeRecord(SAMPLE_CATALOGUE, record({ version: 'x' as never })), /version x/);
});

test('a payload that its codec refuses is refused on read too, without quoting it', () => {
  assert.throws(
    () => decodeRecord(SAMPLE_CATALOGUE, record({ version: 2, payload: { amount: 'secret', unit: 'kg' } })),
    (error: Error) => /does not decode/.test(error.message) && !/secret/.test(error.message),
  );
});

test('bytes of another position, or no record at all, are refused', () => {
  assert.throws(() => parseRecord(2, Buffer.from(JSON.stringify(record({})))), /not the record of this position/);
  assert.throws(() => parseRecord(1, Buffer.from('null')), /record 1/);
  assert.throws(() => parseRecord(1, Buffer.from('{"position":1')), /not JSON/);
});

test('any change to a stored record is a fault of the chain', () => {
  const encoded = encodeEvent(SAMPLE_CATALOGUE, noted('a text with "hash":"x" in it'));
  assert.ok(isRight(encoded));
  const place = { position: 1, id: 'id', stream: 's', revision: 1, prev: '0'.repeat(64) };
  const { text } = recordText(encoded.right, metaText({ at: AT, operationId: 'op' }), place);
  const bytes = Buffer.from(text);
  assert.is(chainFault(bytes, 1, '0'.repeat(64)), undefined);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ change;
      let fault: string | undefined;
      try {
        fault = chainFault(damaged, 1, '0'.repeat(64));
      } catch (error) {
        fault = String(error);
      }
      assert.ok(fault !== undefined, `byte ${at} changed by ${change}`);
    }),
    { numRuns: 3_000 },
  );
  const spaced = Buffer.from(text.replace('{"at"', '{ "at"'));
  assert.match(chainFault(spaced, 1, '0'.repeat(64)) ?? '', 'canonical');
});

test('a record is the canonical JSON of its fields, whatever text, actor and operation it has', () => {
  const actor = fc.record(
    { userId: fc.string(), credentialId: fc.string(), mode: fc.constant('named-user' as const) },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.option(actor), fc.option(fc.string()), (text, who, operationId) => {
      const meta = {
        at: AT,
        ...(who === null ? {} : { actor: who }),
        ...(operationId === null ? {} : { operationId }),
      };
      const encoded = encodeEvent(SAMPLE_CATALOGUE, noted(text));
      if (isLeft(encoded)) return;
      const place = { position: 7, id: 'id', stream: 's-1', revision: 3, prev: 'a'.repeat(64) };
      const made = recordText(encoded.right, metaText(meta), place);
      const { hash, ...rest } = JSON.parse(made.text) as JournalRecord;
      assert.is(made.text, canonicalJson({ ...rest, hash } as unknown as Json));
      assert.equal(rest, { ...meta, ...place, type: 'Noted', version: 1, payload: { text } });
    }),
    { numRuns: 500 },
  );
});

test('the catalogue of the product has plain type names and whole versions, with an upcaster for each older one', () => {
  for (const [type, spec] of Object.entries(CATALOGUE)) {
    assert.match(type, /^[A-Z][A-Za-z0-9]+$/);
    assert.ok(Number.isInteger(spec.version) && spec.version >= 1, type);
    for (let version = 1; version < spec.version; version += 1) assert.type(spec.upcast?.[version], 'function');
  }
});

test.run();
