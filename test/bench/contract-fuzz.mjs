/**
 * Fuzzes every reader of the contract for as long as it is told: no throw, no hang, and nothing accepted that a plain
 * re-reading refuses. Not part of the normal run.
 *
 * usage: npm run build && node test/bench/contract-fuzz.mjs [--seconds 600] [--seed N]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePreview, decodeReceipt, decodeRegistration, decodeResult } from '../../dist/modules/contract/answers.js';
import { declaredTool } from '../../dist/modules/contract/declared-tool.js';
import { decodeEnvelope } from '../../dist/modules/contract/envelope.js';
import { decodeExecutionStatus } from '../../dist/modules/contract/execution-status.js';
import { inputSchema, validateArguments } from '../../dist/modules/contract/input-schema.js';
import { parseManifest } from '../../dist/modules/contract/manifest.js';
import { readDispatch, readProposal } from '../../dist/modules/contract/requests.js';
import { skillFileProblem } from '../../dist/modules/contract/skills.js';

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const seconds = option('seconds', 600);
const seed = option('seed', Date.now() % 2 ** 31);
const SLOW_MS = 2_000;

/** mulberry32: small, seeded, good enough to choose mutations. */
let state = seed;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];

const seeds = [
  readFileSync(new URL('../../addons/tables/manifest.json', import.meta.url), 'utf8'),
  '{"request":{"addonId":"a","operationId":"b","generation":1,"action":"read","arguments":{"tool":"x"}},"authority":{"actor":{"userId":"u","credentialId":"c","mode":"local-owner"},"scope":"read","expiresAt":"2026-11-30T12:00:00Z"}}',
  '{"payload":{"rows":[1,2,{"a":null}]},"outputs":[{"handle":"h","name":"n.csv","mediaType":"text/csv","size":1}]}',
  '{"operationId":"o","revision":{"schema":1,"data":0},"expiresAt":"2026-11-30T12:00:00Z","summary":{"count":1,"sample":[]}}',
  '{"operationId":"o","state":"committed","revision":{"schema":1,"data":0},"result":{"payload":1}}',
  '{"addonId":"a","operationId":"b","generation":1,"action":"write","resourceId":"r","arguments":{"tool":"x","\\u0061":[1.5e3]}}',
  '{"readiness":"available","isolation":"isolated","explanation":"x","networkPolicyEnforced":true}',
  '{"type":"object","properties":{"a":{"type":"string","pattern":"^[a-z]+$"},"b":{"type":"array","items":{"enum":[1,"x"]}}},"required":["a"]}',
  '---\nname: boards\ndescription: "x"\nrequires: [exec]\n---\n# Title\n',
];
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ':',
  ',',
  '\\',
  '\\u0041',
  '\\ud800',
  'null',
  'true',
  '1e999',
  '-0',
  '9007199254740993',
  '"tool"',
  '"Tool"',
  '"__proto__"',
  '"constructor"',
  '\u0000',
  '\ufeff',
  'ß',
  'İ',
  '\u212a',
  '(a+)+$',
  '\\\\pL{200}',
  '[ab]*a[ab]{200}$',
  '---\n',
  '&a',
  '*a',
  '!!x',
  '{"a":'.repeat(70),
  '['.repeat(70),
];

function mutate(text) {
  let made = text;
  for (let steps = 1 + below(4); steps > 0; steps -= 1) {
    const at = below(made.length + 1);
    const to = Math.min(made.length, at + below(1 + below(40)));
    const kind = below(6);
    if (kind === 0) made = made.slice(0, at) + made.slice(to);
    else if (kind === 1) made = made.slice(0, at) + pick(TOKENS) + made.slice(to);
    else if (kind === 2) made = made.slice(0, to) + made.slice(at, to).repeat(1 + below(3)) + made.slice(to);
    else if (kind === 3) made = made.slice(0, at) + pick(seeds).slice(below(60), 60 + below(400)) + made.slice(to);
    else if (kind === 4) made = made.slice(0, at) + String.fromCharCode(below(65_536)) + made.slice(at + 1);
    else
      made =
        made.slice(0, at) +
        made.slice(at, to).replace(/[a-z]/i, (c) => (c < 'a' ? c.toLowerCase() : c.toUpperCase())) +
        made.slice(to);
  }
  return made.slice(0, 300_000);
}

const bytes = (text) => {
  const made = Buffer.from(text, 'utf8');
  if (random() < 0.05 && made.length > 0) made[below(made.length)] = below(256);
  return made;
};

const readers = {
  manifest: (text) => parseManifest(bytes(text)),
  envelope: (text) => decodeEnvelope(bytes(text)),
  result: (text) => decodeResult(bytes(text)),
  preview: (text) => decodePreview(bytes(text)),
  receipt: (text) => decodeReceipt(bytes(text)),
  registration: (text) => decodeRegistration(bytes(text)),
  dispatch: (text) => readDispatch(bytes(text)),
  proposal: (text) => readProposal(bytes(text)),
  status: (text) => decodeExecutionStatus(bytes(text)),
  skill: (text) => skillFileProblem('skills/boards/SKILL.md', bytes(text)),
  tool: (text) => {
    const judged = declaredTool(text, ['x', 'rows-insert']);
    if (
      judged._tag === 'Right' &&
      Object.keys(judged.right.arguments).filter((key) => key.trim().toLowerCase() === 'tool').length > 1
    )
      throw new Error('two keys that read as tool were accepted');
    return judged;
  },
  schema: (text) => {
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return undefined;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (inputSchema(value)._tag === 'Left') return undefined;
    return validateArguments(value, { a: 'ab'.repeat(below(3_000)), b: [1, 'x', null, {}] });
  },
};

/** Texts with the reader that takes them, so that most mutations start from something nearly right. */
const HOMES = ['manifest', 'envelope', 'result', 'preview', 'receipt', 'proposal', 'status', 'schema', 'skill'];
const corpus = seeds.map((text, index) => ({ text, home: HOMES[index] }));
const names = Object.keys(readers);
const end = Date.now() + seconds * 1_000;
const counts = { runs: 0, accepted: 0, slowest: 0 };
while (Date.now() < end) {
  for (let burst = 0; burst < 200; burst += 1) {
    const from = pick(corpus);
    const text = mutate(from.text);
    const name = random() < 0.75 ? from.home : pick(names);
    const cpu = process.cpuUsage();
    let result;
    try {
      result = readers[name](text);
    } catch (error) {
      const kept = join(tmpdir(), `contract-fuzz-${seed}.txt`);
      writeFileSync(kept, text);
      console.error(`seed ${seed}: reader ${name} threw on the text kept in ${kept}\n`, error);
      process.exit(1);
    }
    const { user, system } = process.cpuUsage(cpu);
    const ms = (user + system) / 1_000;
    counts.slowest = Math.max(counts.slowest, ms);
    if (ms > SLOW_MS) {
      const kept = join(tmpdir(), `contract-fuzz-${seed}.txt`);
      writeFileSync(kept, text);
      console.error(`seed ${seed}: reader ${name} took ${Math.round(ms)} ms on the text kept in ${kept}`);
      process.exit(1);
    }
    counts.runs += 1;
    if (result?._tag === 'Right') {
      counts.accepted += 1;
      const entry = { text, home: name };
      if (corpus.length < 400) corpus.push(entry);
      else corpus[seeds.length + below(corpus.length - seeds.length)] = entry;
    }
  }
}
console.log(
  `seed ${seed}: ${counts.runs} texts in ${seconds} s, ${counts.accepted} accepted, slowest ${Math.round(counts.slowest)} ms, no crash, no hang`,
);
