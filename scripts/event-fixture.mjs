/**
 * Adds the golden fixture of an event type in its version of today: one journal record, as it will have to be readable
 * for ever. usage (after `npm run build`): node scripts/event-fixture.mjs TYPE 'PAYLOAD AS JSON'
 */
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CATALOGUE } from '../dist/modules/events/catalogue/index.js';
import { encodeEvent, metaText, recordText } from '../dist/modules/events/codec.js';

const [type, payload] = process.argv.slice(2);
const spec = CATALOGUE[type ?? ''];
if (spec === undefined || payload === undefined) {
  console.error(`usage: node scripts/event-fixture.mjs TYPE 'PAYLOAD'\ntypes: ${Object.keys(CATALOGUE).join(', ')}`);
  process.exit(2);
}
const file = fileURLToPath(new URL(`../test/fixtures/events/${type}.v${spec.version}.json`, import.meta.url));
if (existsSync(file)) {
  console.error(`${file} exists. A fixture never changes: raise the version of ${type} and add an upcaster instead.`);
  process.exit(1);
}
const encoded = encodeEvent(CATALOGUE, { type, payload: JSON.parse(payload) });
if (encoded._tag === 'Left') {
  console.error(`${type} does not take this payload: ${encoded.left}`);
  process.exit(1);
}
const meta = {
  at: '2026-11-30T12:00:00.000Z',
  actor: { userId: 'local-owner', credentialId: 'local-owner', mode: 'local-owner' },
  operationId: 'operation-1',
};
const place = { position: 1, id: 'fixture', stream: 'fixture', revision: 1, prev: '0'.repeat(64) };
writeFileSync(file, recordText(encoded.right, metaText(meta), place).text);
console.log(file);
