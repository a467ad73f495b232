/** Patterns of a signer: one that is taken says the same of a whole identity as its inside does, whatever tricks it holds. */
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { isLeft, isRight } from '../../../src/contract/fp.js';
import { identityPattern } from '../../../src/contract/identity-pattern.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('identity patterns');
const WORKFLOW =
  '^https://github\\.com/mudler/LocalAI/\\.github/workflows/backend_merge\\.yml@refs/(heads/master|tags/.+)$';
const taken = (source: string) => isRight(identityPattern(source));
function matches(source: string, identity: string): boolean {
  const pattern = identityPattern(source);
  if (isLeft(pattern)) throw new Error(pattern.left);
  return pattern.right.matches(identity);
}

test('a pattern from ^ to $ is taken and read as a whole [BACKENDS-032] [BACKENDS-030]', () => {
  for (const source of [
    WORKFLOW,
    '^a$',
    '^(a|b)$',
    '^(?:a|b)+$',
    '^[a|b]$',
    '^a\\|b$',
    '^a\\\\$',
    '^[\\]|]$',
    '^[^|]+$',
    '^\\$$',
  ])
    assert.ok(taken(source), source);
  assert.ok(matches(WORKFLOW, 'https://github.com/mudler/LocalAI/.github/workflows/backend_merge.yml@refs/tags/v1'));
  for (const identity of [
    'https://github.com/mudler/LocalAI/.github/workflows/backend_merge.yml@refs/heads/master-2',
    'https://githubxcom/mudler/LocalAI/.github/workflows/backend_merge.yml@refs/heads/master',
    'xhttps://github.com/mudler/LocalAI/.github/workflows/backend_merge.yml@refs/heads/master',
    'https://github.com/mudler/LocalAI/.github/workflows/backend_merge.yml@refs/heads/master\n',
    '',
  ])
    assert.not(matches(WORKFLOW, identity), identity);
  assert.not(matches('^.*$', ''));
  assert.not(matches('^a+$', 'a'.repeat(3_000)));
});

test('a pattern without both anchors, or with one that is no anchor, is refused [BACKENDS-032]', () => {
  for (const source of [
    '',
    '^',
    '$',
    'a',
    '^a',
    'a$',
    '^a\\$',
    '^[a$]',
    '^[a$',
    '(^a$)',
    '^(a$)',
    ' ^a$',
    '^a$ ',
    '^?a$',
    '^*a$',
    '^{0}a$',
    '^a$?',
    '^a$*',
    '^a$+',
    '^a$|',
    '\\^a$',
  ])
    assert.not(taken(source), source);
});

test('an alternation outside of a group is refused, and no trick of the syntax hides one [BACKENDS-033]', () => {
  for (const source of [
    '^a|b$',
    '^|b$',
    '^a||b$',
    '^(a)|(b)$',
    '^a)|(b$',
    '^\\Q(\\Ea|b\\Q)\\E$',
    '^[](]|b[])]$',
    '^[^](]|b[^])]$',
    '^[[:alpha:](]|b[)]$',
    '^a\\\\|b$',
    '^[\\\\]|b$',
    '^(?i)a|b$',
    '^(?#()a|b(?#))$',
    '^(?x)( # )\na|b$',
    '^(?m)a$',
    '^(?P<n>a)$',
    '^(?=a)a$',
    '^(?<=a)a$',
    '^(a)\\1$',
  ])
    assert.not(taken(source), source);
});

test('a pattern that is too long, or too large once it is written out, is refused', () => {
  assert.not(taken(`^${'a'.repeat(1_023)}$`));
  assert.not(taken('^((a{1,99}){1,99}){1,9}$'));
  assert.ok(taken(`^${'(a*)*'.repeat(20)}$`));
  const started = Date.now();
  matches(`^${'(a*)*'.repeat(20)}b$`, 'a'.repeat(2_048));
  assert.ok(Date.now() - started < 1_000);
});

/** Pieces that mean something to one reading of a pattern or the other. */
const piece = fc.constantFrom(
  ...[
    '^',
    '$',
    '|',
    '(',
    ')',
    '[',
    ']',
    '[^',
    '\\',
    '\\Q',
    '\\E',
    '(?:',
    '(?i)',
    '(?m)',
    '(?P<n>',
    '*',
    '+',
    '?',
    '{0}',
    '{2}',
  ],
  ...[
    'a',
    'b',
    '.',
    '-',
    '\\|',
    '\\(',
    '\\)',
    '\\[',
    '\\]',
    '\\$',
    '\\^',
    '\\\\',
    '[:alpha:]',
    '\\pL',
    '\\A',
    '\\z',
    '\\b',
    '\\n',
    ':',
  ],
);
const pattern = fc.array(piece, { maxLength: 12 }).map((pieces) => `^${pieces.join('')}$`);
const identities = fc.array(fc.constantFrom('a', 'b', '(', ')', '|', '[', ']', '$', '^', '\\', '\n', ':', 'Q', 'E'), {
  maxLength: 6,
});

test('whatever is taken matches from end to end alone: searching with it and matching its inside are the same [BACKENDS-033]', () => {
  let seen = 0;
  fc.assert(
    fc.property(pattern, fc.array(identities, { minLength: 12, maxLength: 12 }), (source, samples) => {
      const read = identityPattern(source);
      if (isLeft(read)) return;
      seen += 1;
      const search = RE2JS.compile(source);
      const inside = RE2JS.compile(`\\A(?:${source.slice(1, -1)})\\z`);
      for (const sample of samples.map((parts) => parts.join('')).filter((text) => text !== '')) {
        assert.is(
          search.matcher(sample).find(),
          inside.matcher(sample).find(),
          `${source} on ${JSON.stringify(sample)}`,
        );
        assert.is(read.right.matches(sample), inside.matcher(sample).find(), `${source} on ${JSON.stringify(sample)}`);
      }
    }),
    { numRuns: 20_000 },
  );
  // Most random patterns are nonsense; enough of them must not be.
  assert.ok(seen > 500, `${seen} patterns were taken`);
});

test.run();
