import fc from 'fast-check';
import { decodePreview, decodeReceipt, decodeRegistration, decodeResult } from '../../../src/contract/answers.js';
import { decodeEnvelope } from '../../../src/contract/envelope.js';
import { isBasename, isHandle, parseTime } from '../../../src/contract/identifiers.js';
import type { JsonObject } from '../../../src/contract/json.js';
import { parseStrict } from '../../../src/contract/strict-json.js';
import { assert, suite } from '../../support/harness.js';
import {
  deepen,
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
import { change } from '../../support/manifests.js';
import { ENVELOPE, PREVIEW, RECEIPT, REGISTRATION, RESULT } from '../../support/messages.js';

const test = suite('wire properties');
const bytes = (text: string) => new TextEncoder().encode(text);

interface Boundary {
  readonly name: string;
  readonly value: JsonObject;
  readonly accepts: (text: string) => boolean;
  /** Members below these are opaque, so any name may stand there. */
  readonly opaque: readonly string[];
}

const BOUNDARIES: readonly Boundary[] = [
  {
    name: 'envelope',
    value: ENVELOPE,
    accepts: (text) => decodeEnvelope(bytes(text))._tag === 'Right',
    opaque: ['arguments'],
  },
  { name: 'result', value: RESULT, accepts: (text) => decodeResult(bytes(text))._tag === 'Right', opaque: ['payload'] },
  {
    name: 'preview',
    value: PREVIEW,
    accepts: (text) => decodePreview(bytes(text))._tag === 'Right',
    opaque: ['summary'],
  },
  {
    name: 'receipt',
    value: RECEIPT,
    accepts: (text) => decodeReceipt(bytes(text))._tag === 'Right',
    opaque: ['payload'],
  },
  {
    name: 'registration',
    value: REGISTRATION,
    accepts: (text) => decodeRegistration(bytes(text))._tag === 'Right',
    opaque: ['capabilities'],
  },
];

const boundary = fc.constantFrom(...BOUNDARIES);
const anyMember = boundary.chain((one) =>
  fc.record({ one: fc.constant(one), at: fc.constantFrom(...members(one.value)) }),
);
const closedMember = anyMember.filter(({ one, at }) => !at.path.some((key) => one.opaque.includes(String(key))));

test('an unknown field is refused in every closed object of every boundary [WIRE-004]', () => {
  fc.assert(
    fc.property(closedMember, fc.constantFrom(unknown, recase, rename), ({ one, at }, edit) => {
      assert.ok(one.accepts(JSON.stringify(one.value)));
      assert.not.ok(one.accepts(writeWith(one.value, at, edit)), `${one.name} ${at.path.join('.')} ${at.key}`);
    }),
    { numRuns: 500 },
  );
});

test('a repeated key is refused everywhere, also where content is opaque and when it is escaped [WIRE-004]', () => {
  fc.assert(
    fc.property(anyMember, fc.constantFrom(duplicate, duplicateEscaped), ({ one, at }, edit) => {
      assert.not.ok(one.accepts(writeWith(one.value, at, edit)), `${one.name} ${at.path.join('.')} ${at.key}`);
    }),
    { numRuns: 500 },
  );
});

test('an escaped key is the same key, and depth and grammar hold everywhere', () => {
  fc.assert(
    fc.property(anyMember, ({ one, at }) => {
      assert.ok(one.accepts(writeWith(one.value, at, escaped)));
      assert.not.ok(one.accepts(writeWith(one.value, at, deepen)));
      assert.not.ok(one.accepts(writeWith(one.value, at, trailingComma)));
    }),
    { numRuns: 300 },
  );
});

test('a principal is any nonempty string of at most 256 bytes [WIRE-011]', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constantFrom('userId', 'credentialId'),
      (value, field) => {
        const size = new TextEncoder().encode(value).byteLength;
        const accepted =
          decodeEnvelope(JSON.stringify(change(ENVELOPE, `authority.actor.${field}`, value)))._tag === 'Right';
        assert.is(accepted, size > 0 && size <= 256);
      },
    ),
    {
      numRuns: 500,
      examples: [
        ['', 'userId'],
        ['a'.repeat(256), 'userId'],
        ['a'.repeat(257), 'userId'],
        ['é'.repeat(128), 'credentialId'],
        ['é'.repeat(129), 'credentialId'],
      ],
    },
  );
});

test('no accepted output name or handle leads out of a folder [WIRE-026]', () => {
  const parts = fc.constantFrom('..', '.', '/', '\\', 'a', '%2f', ':', '\u0000', '\u202e', 'C:', 'é', ' ', '~');
  fc.assert(
    fc.property(
      fc.array(parts, { minLength: 1, maxLength: 8 }).map((list) => list.join('')),
      (name) => {
        if (isBasename(name)) {
          assert.not.match(name, /[/\\\0]/);
          assert.ok(name !== '.' && name !== '..');
        }
        if (isHandle(name)) assert.match(name, /^[A-Za-z0-9._-]+$/);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a time is read exactly when it is a real RFC 3339 instant', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      assert.is(parseTime(date.toISOString()), date.getTime());
    }),
  );
});

test('random documents are read as JSON.parse reads them', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8, depthSize: 'large' }), (text) => {
      const read = parseStrict(text, { maxBytes: 10_000_000 });
      assert.is(read._tag, 'Right');
      if (read._tag === 'Right') assert.equal(read.right, JSON.parse(text));
    }),
    { numRuns: 1_000 },
  );
});

test('random text never makes the reader throw, and it takes nothing that JSON.parse refuses', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ':',
    ',',
    'a',
    '"a"',
    '1',
    'e',
    '-',
    '.',
    'null',
    ' ',
    '\\u0061',
    '\ud800',
    '\u0000',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }).map((list) => list.join('')),
      (text) => {
        const read = parseStrict(text, { maxBytes: 1_000 });
        if (read._tag === 'Right') assert.equal(read.right, JSON.parse(text));
      },
    ),
    { numRuns: 5_000 },
  );
});

test.run();
