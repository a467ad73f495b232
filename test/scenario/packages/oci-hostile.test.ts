/**
 * Hostile archives, images and registries in tables: each is refused with its typed refusal, nothing is published, no temporary is
 * left, and the registry's credential goes nowhere else. The tables stand in `hostile/`.
 */
import { assert, suite } from '../../support/harness.js';
import { BOMBS, COLLISIONS, DAMAGE, KINDS, NAMES } from './hostile/archives.js';
import { ADDRESSES, CHALLENGES, REDIRECTS, TOKENS } from './hostile/authority.js';
import { MANIFESTS, PLATFORMS, POLICIES } from './hostile/documents.js';
import { attempt, type Case, SECRET } from './hostile/rig.js';
import { ANSWERS, CUTS, SLOW } from './hostile/transport.js';

const test = suite('hostile packages and registries');
const WORDS = new RegExp(`${SECRET}|${Buffer.from(SECRET).toString('base64')}|127\\.0\\.0\\.1|https?:|evil|secret`);

let tried = 0;

async function refuses(cases: readonly Case[]): Promise<void> {
  tried += cases.length;
  const wrong: string[] = [];
  const queue = cases.values();
  const worker = async () => {
    for (const one of queue) wrong.push(...(await problemsOf(one)).map((problem) => `${one.what}: ${problem}`));
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  assert.equal(wrong, []);
}

async function problemsOf(one: Case): Promise<readonly string[]> {
  const { refusal, left, leaked, otherAsked } = await attempt(one);
  const problems: string[] = [];
  if (refusal === undefined) problems.push('was accepted');
  else if (refusal.refusal !== one.refused) problems.push(`was ${refusal.refusal}: ${refusal.message}`);
  else if (!one.words.test(refusal.message)) problems.push(`said: ${refusal.message}`);
  else if (WORDS.test(refusal.message)) problems.push(`says too much: ${refusal.message}`);
  if (left.length > 0) problems.push(`left ${left.join(' ')}`);
  if (leaked.length > 0) problems.push('sent a credential where it does not belong');
  if (otherAsked.length > 0 !== (one.reachesOther === true))
    problems.push(`asked the other host: ${otherAsked.join(' ')}`);
  return problems;
}

test('the case that nothing is wrong with is accepted, so that a refusal means something', async () => {
  const { refusal, receipt } = await attempt({});
  assert.is(refusal?.message, undefined);
  assert.is(receipt?.addonId, 'sample');
});
test('names that leave the package or mean two things', () => refuses(NAMES));
test('links, devices, sparse files and extended headers that change more than a name', () => refuses(KINDS));
test('a later layer overwrites, hides or replaces nothing of an earlier one [PACKAGE-027]', () => refuses(COLLISIONS));
test('archives and compressions that are cut, damaged or followed by more', () => refuses(DAMAGE));
test('bombs, counted over the whole stream and all layers', () => refuses(BOMBS));
test('manifests that are malformed, of another kind, or not the pinned one', () => refuses(MANIFESTS));
test('the platform and the digest are checked at every level [PACKAGE-005]', () => refuses(PLATFORMS));
test('what the policy or the pin does not allow is refused', () => refuses(POLICIES));
test('every answer of a registry but the right one is an error', () => refuses(ANSWERS));
test('connections that are cut and answers without end', () => refuses(CUTS));
test('registries that send too slowly', () => refuses(SLOW));
test('a redirect is followed for a pinned download alone, and never with the credential [PACKAGE-010] [PACKAGE-011]', () =>
  refuses(REDIRECTS));
test('tokens are asked for where they may be, and taken only when they are tokens', () => refuses(TOKENS));
test('challenges that cannot or may not be answered', () => refuses(CHALLENGES));
test('addresses of registries that are not what they look like', () => refuses(ADDRESSES));
test('the tables hold what they are meant to hold', () => {
  assert.ok(tried >= 200, `${tried} cases`);
});

test.run();
