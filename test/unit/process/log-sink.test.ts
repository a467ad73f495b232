/** What is kept of an add-on's output. */

import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { LogSink } from '../../../src/process/log-sink.js';
import { assert, suite } from '../../support/harness.js';
import { ManualClock } from '../../support/manual-clock.js';

const test = suite('log sink');
const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

async function write(chunks: readonly Uint8Array[], secret = '') {
  const sink = new LogSink(new ManualClock());
  const stream = new PassThrough();
  sink.hide(secret);
  sink.attach(stream as unknown as Socket);
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await turns();
  return sink.lines();
}

test('the last 200 lines are kept, oldest first', async () => {
  const lines = await write([Buffer.from(Array.from({ length: 500 }, (_, i) => `line ${i}\n`).join(''))]);
  assert.is(lines.length, 200);
  assert.equal([lines[0], lines[199]], ['line 300', 'line 499']);
});

test('a long line is cut at 4096 bytes and its rest is dropped, a last line needs no end', async () => {
  const lines = await write([Buffer.from(`${'a'.repeat(10_000)}\nshort\n${'b'.repeat(5_000)}`)]);
  assert.equal(
    lines.map((line) => line.length),
    [4_096, 5, 4_096],
  );
});

test('lines come out the same however they are cut into chunks', async () => {
  const line = fc.string({ maxLength: 40 }).filter((text) => !/[\r\n]/.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.array(fc.nat(60), { maxLength: 40 }),
      async (wanted, cuts) => {
        const bytes = Buffer.from(wanted.map((text) => `${text}\n`).join(''));
        const chunks: Buffer[] = [];
        let from = 0;
        for (const size of cuts) {
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        chunks.push(bytes.subarray(from));
        assert.equal(await write(chunks.filter((chunk) => chunk.length > 0)), wanted);
      },
    ),
    { numRuns: 60 },
  );
});

test('the credential is blotted out wherever it stands in a line, across its cut too', async () => {
  const secret = Array.from({ length: 43 }, (_, i) => String.fromCharCode(65 + (i % 26))).join('');
  assert.equal(await write([Buffer.from(`token=${secret}.\n`)], secret), ['token=[credential].']);
  for (let at = 3_900; at <= 4_230; at += 3) {
    const [line = ''] = await write([Buffer.from(`${'x'.repeat(at)}${secret}${'y'.repeat(700)}\n`)], secret);
    assert.not.match(line, /[A-Z]/, `at ${at}`);
    assert.ok(Buffer.byteLength(line) <= 4_096);
  }
  const many = await write([Buffer.from(`${secret.repeat(300)}\n`)], secret);
  assert.not.match(many.join('').replaceAll('[credential]', ''), /[A-Z]/);
});

test('a flood is read a little at a time, so that the add-on waits and not the owner', async () => {
  const clock = new ManualClock();
  const sink = new LogSink(clock);
  const stream = new PassThrough({ highWaterMark: 65_536 });
  sink.attach(stream as unknown as Socket);
  let taken = 0;
  const more = () => {
    while (stream.write(Buffer.alloc(65_536, 'x'))) taken += 65_536;
    taken += 65_536;
  };
  stream.on('drain', more);
  more();
  for (let i = 0; i < 50; i++) await turns();
  const first = taken;
  assert.ok(first < 2_500_000, `${first} bytes in the first window`);
  await clock.pass(250);
  for (let i = 0; i < 50; i++) await turns();
  assert.ok(taken > first && taken < 5_000_000, `${taken} bytes after two windows`);
});

test.run();
