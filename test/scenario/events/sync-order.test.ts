import { existsSync } from 'node:fs';
import { runScript } from '../../support/child.js';
import { assert, suite } from '../../support/harness.js';
import { freshDirectory, openJournal } from '../../support/lmdb-journals.js';
import { assertRecovered, said } from '../../support/oracle.js';
import { memoryPlace } from '../../support/temp-dir.js';

const STRACE = '/usr/bin/strace';
/** With it only the calls that are traced stop, instead of every call of a start of node. */
const FOLLOW = ['-f', '--seccomp-bpf'];
const test = suite('what the disk sees');

/** The changing part of the two meta pages of LMDB: a commit is done when one of them is written. */
const META_WRITE = /pwrite64\(\d+<[^>]*data\.mdb>.*, 128, (40|4136)/;

/** The calls of a trace in the order in which they ended, reduced to what matters. */
function steps(trace: string): string[] {
  return trace.split('\n').flatMap((line) => {
    if (/fdatasync\(\d+<[^>]*data\.mdb/.test(line) || /fdatasync resumed/.test(line))
      return /= 0$/.test(line) ? ['sync'] : [];
    if (/write\(1<[^>]*>, "ack /.test(line)) return ['ack'];
    if (!/p?writev?(64)?\(\d+<[^>]*data\.mdb/.test(line)) return [];
    return [META_WRITE.test(line) ? 'meta' : 'data'];
  });
}

test('no acknowledgement precedes the sync of its data and the write of its meta page [PROPOSAL-047] [LIFECYCLE-027]', async () => {
  assert.ok(existsSync(STRACE), 'strace is installed');
  const directory = freshDirectory();
  const strace = [STRACE, ...FOLLOW, '-y', '-s', '8', '-e', 'trace=fdatasync,pwrite64,pwritev,writev,write'];
  const end = await runScript('append-child', [directory, '1', '40'], { strace });
  assert.is(end.code, 0, end.stderr.slice(-2000));
  const order = steps(end.stderr);
  let before: string[] = [];
  let acknowledged = 0;
  for (const step of order) {
    if (step !== 'ack') {
      before.push(step);
      continue;
    }
    acknowledged += 1;
    assert.match(before.join(' '), /data( data)* sync meta$/, `before acknowledgement ${acknowledged}`);
    before = [];
  }
  assert.is(acknowledged, 40);
});

/** Appends under injected errors; the process must end by itself and the journal must open afterwards. */
async function injected(rule: string): Promise<{ fenced: boolean }> {
  const directory = freshDirectory(memoryPlace());
  const strace = [
    STRACE,
    ...FOLLOW,
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    'trace=fdatasync,pwrite64',
    '-e',
    `inject=${rule}`,
  ];
  const end = await runScript('append-child', [directory, '2', '8'], { strace, env: { UV_THREADPOOL_SIZE: '1' } });
  assert.is(end.signal, null, `${rule}: it hung\n${end.stderr}`);
  const heard = said(end.lines);
  const fenceAt = end.lines.indexOf('fence');
  const later = fenceAt < 0 ? [] : end.lines.slice(fenceAt);
  assert.not.ok(
    later.some((line) => line.startsWith('ack ')),
    `${rule}: acknowledged after the fence`,
  );
  if (fenceAt >= 0) assert.ok(heard.unknown.size > 0, `${rule}: the callers of the failed commit were told`);
  const journal = await openJournal(directory);
  assertRecovered(journal, heard);
  await journal.close();
  return { fenced: fenceAt >= 0 };
}

/** Runs every rule, two at a time, since most of it is waiting; answers how many of the errors hit an append. */
async function fencedOf(rules: readonly string[]): Promise<number> {
  const waiting = [...rules];
  let fences = 0;
  const lane = async () => {
    for (let rule = waiting.shift(); rule !== undefined; rule = waiting.shift())
      if ((await injected(rule)).fenced) fences += 1;
  };
  await Promise.all([lane(), lane()]);
  return fences;
}

test('an I/O error at the n-th sync fences: no later acknowledgement, callers told, reopening finds all that was acknowledged [LIFECYCLE-032]', async () => {
  const rules: string[] = [];
  for (let n = 1; n <= 12; n += 1) {
    rules.push(`fdatasync:error=EIO:when=${n}`);
    if (n % 3 === 0) rules.push(`fdatasync:error=EIO:when=${n}+`);
  }
  const fences = await fencedOf(rules);
  assert.ok(fences >= 6, `${fences} of the injected errors hit an append`);
}, 240_000);

test('an I/O error or a full disk at the n-th write does the same', async () => {
  const rules: string[] = [];
  for (let n = 10; n <= 60; n += 10) rules.push(`pwrite64:error=${n % 20 === 0 ? 'ENOSPC' : 'EIO'}:when=${n}`);
  const fences = await fencedOf(rules);
  assert.ok(fences >= 2, `${fences} of the injected errors hit an append`);
}, 240_000);

test('while the disk stalls, nothing is acknowledged or readable', async () => {
  const directory = freshDirectory();
  const strace = [
    STRACE,
    ...FOLLOW,
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    'trace=fdatasync',
    '-e',
    'inject=fdatasync:delay_enter=300000',
  ];
  const end = await runScript('slow-disk-child', [directory], { strace });
  assert.is(end.code, 0, end.stderr);
  assert.equal(end.lines.slice(-2), ['early 0', 'late 1']);
}, 60_000);

test.run();
