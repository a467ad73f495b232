/** Reading: a 2 MiB envelope strictly against JSON.parse of the same bytes, and a full 64 KiB manifest with every rule. */
import { decodeEnvelope } from '../../dist/modules/contract/envelope.js';
import { parseManifest } from '../../dist/modules/contract/manifest.js';
import { parseStrict } from '../../dist/modules/contract/strict-json.js';
import { atMost, median, ratio } from './support.mjs';

const ROUNDS = 25;
const LIMIT = 2_097_152;
const utf8 = new TextEncoder();

const envelope = (args) =>
  JSON.stringify({
    request: {
      addonId: 'tables',
      resourceId: 'people',
      operationId: 'op-1',
      generation: 1,
      action: 'write',
      arguments: args,
    },
    authority: {
      actor: { userId: 'local-owner', credentialId: 'local-owner', mode: 'local-owner' },
      scope: 'apply',
      expiresAt: '2026-11-30T12:00:00Z',
    },
  });

/** Rows as a client would insert them, and one object with very many keys, filled up to the limit. */
const documents = {
  rows: (n) => ({
    rows: Array.from({ length: n }, (_, i) => ({
      id: i,
      name: `Person ${i}`,
      note: 'short "text"',
      age: i % 90,
      ok: true,
    })),
  }),
  keys: (n) => ({ row: Object.fromEntries(Array.from({ length: n }, (_, i) => [`column-${i}`, i])) }),
  text: (n) => ({ csv: 'name,age,city\nAda,36,London\n'.repeat(n) }),
};

function filled(make) {
  let [low, high] = [1, LIMIT];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (middle > 200_000 || utf8.encode(envelope(make(middle))).byteLength > LIMIT) high = middle;
    else low = middle;
  }
  return utf8.encode(envelope(make(low)));
}

function time(work) {
  const before = performance.now();
  work();
  return performance.now() - before;
}

function manifest() {
  const level = { min: 1, max: 1 };
  const tool = (i) => ({
    name: `tool-${i}`,
    kind: 'read',
    description: `Lists the rows of table ${i}, filtered and page by page.`,
    inputSchema: {
      type: 'object',
      required: ['resourceId'],
      additionalProperties: false,
      properties: {
        resourceId: { type: 'string', minLength: 1, maxLength: 64 },
        columns: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 64 } },
        operator: { type: 'string', enum: ['equals', 'differs', 'less', 'at-most', 'greater', 'at-least', 'contains'] },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Rows to show.' },
      },
    },
  });
  for (let n = 200; ; n -= 1) {
    const tools = Array.from({ length: n }, (_, i) => tool(i));
    const text = JSON.stringify({
      schemaVersion: 1,
      id: 'tables',
      version: '1.0.0',
      executable: 'bin/tables',
      os: 'linux',
      arch: 'amd64',
      host: level,
      api: level,
      protocol: level,
      dataFormat: level,
      capabilities: { service: true, tools: tools.map(({ name }) => name), toolDefinitions: tools },
    });
    if (text.length <= 65_536) return utf8.encode(text.padEnd(65_536));
  }
}

export async function run() {
  const rows = [];
  for (const [name, make] of Object.entries(documents)) {
    const bytes = filled(make);
    const decoder = new TextDecoder();
    const [engine, strict, whole] = [[], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      engine.push(time(() => JSON.parse(decoder.decode(bytes))));
      strict.push(time(() => parseStrict(bytes, { maxBytes: LIMIT })));
      whole.push(time(() => decodeEnvelope(bytes)));
    }
    if (decodeEnvelope(bytes)._tag === 'Left') throw new Error(`the ${name} envelope was refused`);
    const detail = `${(bytes.byteLength / 1_048_576).toFixed(2)} MiB: JSON.parse ${median(engine).toFixed(1)} ms, strict ${median(strict).toFixed(1)} ms`;
    rows.push(
      ratio(`strict reading of an envelope of ${name} / JSON.parse`, median(whole) / median(engine), atMost(4), detail),
    );
  }
  const bytes = manifest();
  if (parseManifest(bytes)._tag === 'Left') throw new Error('the manifest was refused');
  const times = Array.from({ length: 60 }, () => time(() => parseManifest(bytes)));
  rows.push(
    ratio('a full 64 KiB manifest, ms median', median(times.slice(10)), atMost(5), `${bytes.byteLength} bytes`),
  );
  return rows;
}
