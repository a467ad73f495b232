/** Every version of every event type ever written stays readable; `scripts/event-fixture.mjs` adds a fixture. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '../../../src/events/catalogue/index.js';
import { chainFault, decodeRecord, parseRecord } from '../../../src/events/codec.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('golden event fixtures');
const folder = join(process.cwd(), 'test/fixtures/events');
const names = readdirSync(folder);

test('every version of every event type has a fixture', () => {
  const missing = Object.entries(CATALOGUE).flatMap(([type, { version }]) =>
    Array.from({ length: version }, (_, index) => `${type}.v${index + 1}.json`).filter((name) => !names.includes(name)),
  );
  assert.equal(missing, [], `add them with scripts/event-fixture.mjs: ${missing.join(', ')}`);
});

test('every fixture chains, decodes to the version of today, and is of a known type', () => {
  for (const name of names) {
    const bytes = readFileSync(join(folder, name));
    assert.is(chainFault(bytes, 1, '0'.repeat(64)), undefined, name);
    const record = parseRecord(1, bytes);
    assert.is(name, `${record.type}.v${record.version}.json`);
    const { type, payload } = decodeRecord(CATALOGUE, record);
    if (record.version === CATALOGUE[type]?.version) assert.equal(payload, record.payload, name);
  }
});

test.run();
