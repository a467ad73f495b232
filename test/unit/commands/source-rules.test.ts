import fc from 'fast-check';
import { checkSettings } from '../../../src/commands/library/source-rules.js';
import type { SourcePolicy } from '../../../src/contract/api.js';
import { isLeft } from '../../../src/contract/fp.js';
import { assert, suite } from '../../support/harness.js';

const test = suite('rules of a library');

const PLAIN: SourcePolicy = { requireSignature: false };

function codeOf(
  url: string,
  policy: SourcePolicy = PLAIN,
  extra: { name?: string; authReference?: string } = {},
): string {
  const settings = { name: 'N', url, format: 'library' as const, policy, ...extra };
  const checked = checkSettings(settings, new Set(['known']));
  return isLeft(checked) ? checked.left.refusal : 'right';
}

test('an address is https without credentials, query or fragment [CATALOG-005] [CATALOG-019] [MANAGE-013]', () => {
  assert.is(codeOf('https://lib.test/index.yaml'), 'right');
  assert.is(codeOf('https://lib.test:8443/a/b.yaml'), 'right');
  for (const bad of [
    'ftp://lib.test/i',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'lib.test/index.yaml',
    '',
    'https://user@lib.test/i',
    'https://user:secret@lib.test/i',
    'https://:secret@lib.test/i',
    'https://lib.test/i?token=1',
    'https://lib.test/i?',
    'https://lib.test/i#part',
    'https://lib.test/i#',
    'http://lib.test/i',
    `https://lib.test/${'a'.repeat(2_048)}`,
  ])
    assert.is(codeOf(bad), 'invalid_request', bad);
});

test('plain http is for a literal loopback address of a library that opted in', () => {
  const opted = { ...PLAIN, allowLoopbackHTTP: true };
  assert.is(codeOf('http://127.0.0.1:8080/i', opted), 'right');
  assert.is(codeOf('http://[::1]:8080/i', opted), 'right');
  assert.is(codeOf('http://127.0.0.1:8080/i'), 'invalid_request');
  for (const bad of ['http://localhost/i', 'http://127.0.0.1.evil.test/i', 'http://10.0.0.1/i', 'http://[::2]/i'])
    assert.is(codeOf(bad, opted), 'invalid_request', bad);
});

test('a policy that requires a signature names one signer, exactly or by a pattern, and never by both [BACKENDS-065] [BACKENDS-031] [BACKENDS-032]', () => {
  const url = 'https://lib.test/i';
  const issuer = 'https://issuer.test';
  assert.is(codeOf(url, { requireSignature: true, issuer, identity: 'who' }), 'right');
  assert.is(codeOf(url, { requireSignature: true, issuer, identityRegex: '^https://who/(a|b)$' }), 'right');
  for (const policy of [
    { requireSignature: true },
    { requireSignature: true, issuer },
    { requireSignature: true, identity: 'who' },
    { requireSignature: true, issuer: '', identity: 'who' },
    { requireSignature: true, issuer, identity: 'who', identityRegex: '^who$' },
    { requireSignature: true, issuer, identityRegex: 'who' },
    { requireSignature: true, issuer, identityRegex: '^who' },
    { requireSignature: true, issuer, identityRegex: 'who$' },
    { requireSignature: true, issuer, identityRegex: '^a|b$' },
    { requireSignature: true, issuer, identityRegex: '^(a$' },
    { requireSignature: true, issuer, identityRegex: '^a\\$' },
    { requireSignature: false, issuer, identity: 'who' },
  ])
    assert.is(codeOf(url, policy), 'invalid_request', JSON.stringify(policy));
});

test('a pattern that takes a signer on master and on a tag is taken [BACKENDS-030]', () => {
  const identityRegex =
    '^https://github\\.com/mudler/LocalAI/\\.github/workflows/backend_merge\\.yml@refs/(heads/master|tags/.+)$';
  assert.is(
    codeOf('https://lib.test/i', { requireSignature: true, issuer: 'https://issuer.test', identityRegex }),
    'right',
  );
});

test('whatever stands around it, a choice at the top of a pattern is refused and one inside of brackets is not [BACKENDS-033]', () => {
  const issuer = 'https://issuer.test';
  const judge = (identityRegex: string) =>
    codeOf('https://lib.test/i', { requireSignature: true, issuer, identityRegex });
  const part = fc.constantFrom('a', 'b+', '(c|d)', '[e|f]', '\\|', '\\(', '(g(h|i))', '[)]', '[(]', '.', '\\\\');
  const parts = fc.array(part, { maxLength: 6 }).map((list) => list.join(''));
  fc.assert(
    fc.property(parts, parts, (left, right) => {
      assert.is(judge(`^${left}|${right}$`), 'invalid_request');
      assert.is(judge(`^${left}x${right}$`), 'right');
      assert.is(judge(`^(${left}|${right})$`), 'right');
    }),
  );
});

test('a name is needed, and a credential must be one that is configured [MANAGE-012]', () => {
  const url = 'https://lib.test/i';
  assert.is(codeOf(url, PLAIN, { name: ' ' }), 'invalid_request');
  assert.is(codeOf(url, PLAIN, { name: 'n'.repeat(129) }), 'invalid_request');
  assert.is(codeOf(url, PLAIN, { authReference: 'known' }), 'right');
  assert.is(codeOf(url, PLAIN, { authReference: 'other' }), 'denied');
});

test.run();
