import fc from 'fast-check';
import type { JsonObject } from '../../../src/contract/json.js';
import { isContextPath } from '../../../src/contract/manifest/context-files.js';
import { isHostOp, isName, isPackagePath, isPlain, isVersion } from '../../../src/contract/manifest/words.js';
import { parseManifest } from '../../../src/contract/manifest.js';
import { isCallable, parseQualifiedName, qualifiedName } from '../../../src/contract/qualified-names.js';
import { skillTreeProblems } from '../../../src/contract/skills.js';
import { assert, suite } from '../../support/harness.js';
import {
  drop,
  duplicate,
  duplicateEscaped,
  escaped,
  members,
  recase,
  rename,
  trailingComma,
  unknown,
  writeWith,
} from '../../support/json-mutations.js';
import { change, manifestWith, VALID } from '../../support/manifests.js';

const test = suite('manifest properties');
const accepts = (text: string) => parseManifest(text)._tag === 'Right';

const anyMember = fc.constantFrom(...Object.keys(VALID)).chain((name) => {
  const value = VALID[name]?.() as JsonObject;
  return fc.record({ value: fc.constant(value), at: fc.constantFrom(...members(value)) });
});

/** Below these, authors choose the names: properties of a schema, languages of a text. */
const FREE = ['properties', 'title', 'label'];
const closedMember = anyMember.filter(({ at }) => !at.path.some((key) => FREE.includes(String(key))));

test('an unknown, renamed or re-cased field is refused at every level [MANIFEST-059]', () => {
  fc.assert(
    fc.property(closedMember, fc.constantFrom(unknown, rename, recase), ({ value, at }, edit) => {
      assert.ok(accepts(JSON.stringify(value)));
      assert.not.ok(accepts(writeWith(value, at, edit)), `${at.path.join('.')} ${at.key}`);
    }),
    { numRuns: 1_500 },
  );
});

test('a repeated key is refused at every level in every spelling [MANIFEST-060]', () => {
  fc.assert(
    fc.property(anyMember, fc.constantFrom(duplicate, duplicateEscaped), ({ value, at }, edit) => {
      assert.not.ok(accepts(writeWith(value, at, edit)), `${at.path.join('.')} ${at.key}`);
    }),
    { numRuns: 1_000 },
  );
});

test('nesting deeper than 64 levels is refused wherever it stands, and 64 levels are read [MANIFEST-062]', () => {
  fc.assert(
    fc.property(anyMember, ({ value, at }) => {
      const rules = (levels: number) => {
        const lists = levels - at.path.length - 1;
        const text = writeWith(
          value,
          at,
          (_, key) => `${JSON.stringify(key)}:${'['.repeat(lists)}${']'.repeat(lists)}`,
        );
        const result = parseManifest(text);
        return result._tag === 'Left' ? result.left.map(({ rule }) => rule) : [];
      };
      assert.equal(rules(65), ['too-deep']);
      assert.not.ok(rules(64).includes('too-deep'));
    }),
    { numRuns: 300 },
  );
});

test('without a required field a manifest is refused [MANIFEST-065]', () => {
  const required = [
    'schemaVersion',
    'id',
    'version',
    'executable',
    'os',
    'arch',
    'host',
    'api',
    'protocol',
    'dataFormat',
    'capabilities',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(VALID)), fc.subarray(required, { minLength: 1 }), (name, gone) => {
      const value = gone.reduce<JsonObject>(
        (made, field) => change(made, field, undefined),
        VALID[name]?.() as JsonObject,
      );
      const result = parseManifest(JSON.stringify(value));
      const missing =
        result._tag === 'Left' ? result.left.filter(({ rule }) => rule === 'required').map(({ path }) => path) : [];
      assert.equal([...missing].sort(), [...gone].sort());
    }),
    { numRuns: 300 },
  );
});

test('escaping a key changes nothing, a stray comma is refused, dropping a member never throws', () => {
  fc.assert(
    fc.property(anyMember, ({ value, at }) => {
      assert.ok(accepts(writeWith(value, at, escaped)));
      assert.not.ok(accepts(writeWith(value, at, trailingComma)));
      parseManifest(writeWith(value, at, drop));
    }),
    { numRuns: 500 },
  );
});

test('any JSON in the place of any member is judged without a throw', () => {
  fc.assert(
    fc.property(anyMember, fc.jsonValue({ maxDepth: 3 }), ({ value, at }, other) => {
      parseManifest(writeWith(value, at, (_, key, write) => `${JSON.stringify(key)}:${write(other as never)}`));
    }),
    { numRuns: 2_000 },
  );
});

test('a range is accepted exactly when it is a pair of positive integers in order [MANIFEST-067]', () => {
  const edge = fc.oneof(
    fc.integer({ min: -3, max: 5 }),
    fc.double({ min: -2, max: 3, noNaN: true }),
    fc.constantFrom('1', null, '^1'),
  );
  fc.assert(
    fc.property(fc.constantFrom('host', 'api', 'protocol', 'dataFormat'), edge, edge, (field, min, max) => {
      const level = (value: unknown) => typeof value === 'number' && Number.isInteger(value) && value >= 1;
      const expected = level(min) && level(max) && (min as number) <= (max as number);
      assert.is(accepts(JSON.stringify(change(manifestWith({}), field, { min, max }))), expected);
    }),
    { numRuns: 500 },
  );
});

const numeric = fc.nat({ max: 999 }).map(String);
test('a version is accepted exactly in its one form [MANIFEST-068]', () => {
  const prerelease = fc.option(
    fc.constantFrom('-a', '-beta.1', '-rc-2', '-1', '-A', '+b', '-', '-a.', '-a_b', '.4', ' '),
    { nil: '' },
  );
  fc.assert(
    fc.property(numeric, numeric, numeric, prerelease, (a, b, c, tail) => {
      assert.is(isVersion(`${a}.${b}.${c}${tail}`), ['', '-a', '-beta.1', '-rc-2'].includes(tail));
      assert.not.ok(isVersion(`0${a}.${b}.${c}`) && a !== '');
      assert.not.ok(isVersion(`${a}.${b}`));
    }),
    { numRuns: 300 },
  );
});

test('an accepted id can be no path, in any text [MANIFEST-070]', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ maxLength: 70 }),
        fc.string({ unit: fc.constantFrom('a', 'z', '0', '-', '_', '.', '/', 'A'), maxLength: 70 }),
      ),
      (id) => {
        const good =
          /^[a-z]/.test(id) &&
          id.length <= 64 &&
          [...id].every((c) => 'abcdefghijklmnopqrstuvwxyz0123456789-'.includes(c));
        assert.is(isName(id), good);
      },
    ),
    { numRuns: 2_000 },
  );
});

const pieces = fc.constantFrom(
  'a',
  'ui',
  '..',
  '.',
  '',
  '/',
  '//',
  '\\',
  '%2e',
  ':',
  'é',
  '?',
  '#',
  ' ',
  '\n',
  'a.js',
  '.x',
  '...',
  '~',
);
test('an accepted package path stays inside the package as it is written [MANIFEST-075]', () => {
  fc.assert(
    fc.property(
      fc.array(pieces, { maxLength: 9 }).map((list) => list.join('')),
      (path) => {
        if (!isPackagePath(path)) return;
        assert.match(path, /^[\x21-\x7e]+$/);
        assert.not.match(path, /[\\%:?#]/);
        for (const segment of path.split('/')) assert.ok(segment !== '' && segment !== '.' && segment !== '..');
        assert.is(new URL(path, 'https://host/root/').href, `https://host/root/${path}`);
      },
    ),
    { numRuns: 5_000 },
  );
});

test('accepted text holds no markup, control character or direction override [MANIFEST-096]', () => {
  const point = fc.oneof(
    fc.integer({ min: 0, max: 0x3000 }),
    fc.constantFrom(0x202a, 0x202e, 0x2066, 0x2069, 0x2028, 0x85, 0x7f, 0x3c, 0x3e),
  );
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 6 }), (points) => {
      const bad = points.some(
        (p) =>
          p < 0x20 ||
          (p >= 0x7f && p < 0xa0) ||
          p === 0x3c ||
          p === 0x3e ||
          p === 0x2028 ||
          p === 0x2029 ||
          (p >= 0x202a && p <= 0x202e) ||
          (p >= 0x2066 && p <= 0x2069),
      );
      assert.is(isPlain(String.fromCodePoint(...points), 80), !bad);
    }),
    { numRuns: 3_000 },
  );
});

const route = fc.array(
  fc.constantFrom('a', 'B-1', '.', '..', '...', '', 'x'.repeat(64), 'x'.repeat(65), 'é', 'a b', 'a%20', '~_.'),
  { minLength: 1, maxLength: 9 },
);
test('page and path of an accepted model action are within the SDK routing bounds [MANIFEST-109] [MANIFEST-110]', () => {
  const base = VALID.ui?.() as JsonObject;
  fc.assert(
    fc.property(
      route.map((list) => list.join('/')),
      fc.constantFrom('', '/', '?a', '#a', 'https://'),
      (path, lead) => {
        const value = lead + path;
        const segments = `boards/${value}`.split('/');
        const good =
          value !== '' &&
          segments.length <= 8 &&
          `boards/${value}`.length <= 256 &&
          segments.every((one) => /^[A-Za-z0-9._~-]{1,64}$/.test(one) && one !== '.' && one !== '..');
        assert.is(accepts(JSON.stringify(change(base, 'capabilities.ui.modelActions[0].path', value))), good, value);
      },
    ),
    { numRuns: 400 },
  );
});

test('an accepted context path stays under Memory and ends in .md [MANIFEST-122] [CONTEXT-005]', () => {
  const part = fc.constantFrom('Memory', 'a', '..', '.', '', 'x.md', '.md', 'memory', '\\', '{agent}', 'a.txt', 'é');
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 6 }).map((list) => list.join('/')),
      (path) => {
        if (!isContextPath(path)) return;
        const [first, ...rest] = path.split('/');
        assert.is(first, 'Memory');
        assert.ok(rest.length > 0 && path.endsWith('.md'));
        for (const one of rest) assert.ok(one !== '' && !one.startsWith('.') && !one.includes('\\'));
      },
    ),
    { numRuns: 3_000 },
  );
});

test('operations are exact dotted names [MANIFEST-032]', () => {
  const part = fc.constantFrom('a', 'egress', 'check', '*', '', 'A', '-', '1', '_', ' ');
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 4 }).map((list) => list.join('.')),
      (name) => {
        const words = name.split('.');
        assert.is(isHostOp(name), words.length > 1 && words.every((word) => /^[a-z][a-z0-9_-]*$/.test(word)));
      },
    ),
  );
});

test('a plain skill name is the add-on id or starts with the id and a hyphen [SKILLS-011]', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('boards', 'boards-x', 'boards-', 'boardsx', 'board', 'my-boards', 'boards-xlsx', 'b'),
      (name) => {
        const expected = name === 'boards' || name.startsWith('boards-');
        assert.is(accepts(JSON.stringify(manifestWith({ skillDefinitions: [{ name }] }))), expected, name);
      },
    ),
  );
});

test('skill paths are made of safe segments [SKILLS-016]', () => {
  const segment = fc.constantFrom('a', 'b-1', '_x', '.x', 'A', 'a b', 'é', 'a.b', '-', '~', 'x'.repeat(60));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), (list) => {
      const path = `skills/boards/${list.join('/')}.md`;
      const main = { path: 'skills/boards/SKILL.md', size: 1, executable: false };
      const good = path.length <= 128 && list.every((one) => /^[a-z0-9_-][a-z0-9._-]*$/.test(one));
      assert.is(skillTreeProblems(['boards'], [main, { path, size: 1, executable: false }]).length === 0, good, path);
    }),
    { numRuns: 500 },
  );
});

test('qualified names are formatted and parsed back, and callable up to 64 characters [SHADOW-010]', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '0', '-', '_', 'A'), minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(word, word, (id, tool) => {
      const name = qualifiedName(id, tool);
      assert.is(name !== undefined, isName(id) && isName(tool));
      if (name === undefined) return;
      assert.equal(parseQualifiedName(name), { addonId: id, tool });
      assert.is(isCallable(id, tool), name.length <= 64);
    }),
    { numRuns: 1_000 },
  );
});

test('padding a manifest is harmless up to 64 KiB and refused beyond', () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(VALID)), fc.integer({ min: 65_000, max: 66_000 }), (name, size) => {
      assert.is(accepts(JSON.stringify(VALID[name]?.()).padEnd(size)), size <= 65_536);
    }),
    { numRuns: 100 },
  );
});

test.run();
