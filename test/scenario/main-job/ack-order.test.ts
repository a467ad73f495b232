import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert, suite } from '../../support/harness.js';
import { ARGS } from '../../support/killing-server.js';
import { counterLibrary, type TestLibrary } from '../../support/library-server.js';
import { MainJob } from '../../support/main-job.js';
import { startServer } from '../../support/server.js';
import { tempDir } from '../../support/temp-dir.js';

const STRACE = '/usr/bin/strace';
const test = suite('answers and the disk');
/** The changing part of the two meta pages of LMDB: a commit is done when one of them is written. */
const META_WRITE = /pwrite64\(\d+<[^>]*data\.mdb>.*, 128, (40|4136)/;
const COMMIT = /data( data)* sync meta/g;

interface Exchange {
  readonly request: string;
  readonly status: number;
  /** What the server did between reading the request and writing its answer. */
  readonly steps: string;
}

/** What one line of the trace means; a call counts where it ended. */
function stepOf(line: string): string | undefined {
  if (/fdatasync.*= 0$/.test(line)) return 'sync';
  if (/p?writev?(64)?\(\d+<[^>]*data\.mdb/.test(line)) return META_WRITE.test(line) ? 'meta' : 'data';
  return /writev?\(\d+<[^>]*>.*"POST \/apply/.test(line) ? 'apply' : undefined;
}

/** The exchanges of one serial client, in order; only the main thread commits and speaks. */
function exchanges(trace: string, pid: number): Exchange[] {
  const found: Exchange[] = [];
  let open: { request: string; steps: string[] } | undefined;
  for (const line of trace.split('\n').filter((each) => each.startsWith(`${pid} `))) {
    const request = /read\(\d+<[^>]*>, "(POST \/api\/[^ ]*) /.exec(line)?.[1];
    const status = /writev?\(\d+<[^>]*>.*?"HTTP\/1\.1 (\d+)/.exec(line)?.[1];
    const step = stepOf(line);
    if (request !== undefined) open = { request, steps: [] };
    if (step !== undefined) open?.steps.push(step);
    if (status === undefined || open === undefined) continue;
    found.push({ request: open.request, status: Number(status), steps: open.steps.join(' ') });
    open = undefined;
  }
  return found;
}

async function traced(library: TestLibrary): Promise<Exchange[]> {
  assert.ok(existsSync(STRACE), 'strace is installed');
  const data = tempDir('order');
  const trace = join(tempDir('trace'), 'trace');
  const calls = 'trace=fdatasync,pwrite64,pwritev,writev,write,read';
  const wrap = [STRACE, '-D', '-f', '-b', 'execve', '-y', '-s', '120', '-o', trace, '-e', calls];
  const server = await startServer(data, ARGS, wrap);
  await new MainJob(data, library.url).run(server.address);
  await server.stop('SIGTERM');
  for (let tries = 0; tries < 200; tries += 1) {
    const text = readFileSync(trace, 'utf8');
    // strace fills a short pid up to five columns.
    if (new RegExp(`^${server.pid} +\\+\\+\\+ exited`, 'm').test(text)) return exchanges(text, server.pid);
    await new Promise((resume) => setTimeout(resume, 50));
  }
  throw new Error('the trace never ended');
}

test('no answer to a change leaves before its commit is synced and its meta page written, and no change reaches the add-on before its execution is durable [PROPOSAL-038] [PROPOSAL-047] [LIFECYCLE-027]', async () => {
  const library = await counterLibrary();
  const found = await traced(library).finally(() => library.close());
  /** How many commits each call must have made, in this order, before it was answered. */
  const expected: readonly (readonly [RegExp, number])[] = [
    [/\/dispatch$/, 4],
    [/\/apps\/counter\/start$/, 4],
    [/\/resources$/, 2],
    [/\/proposals$/, 1],
    [/\/proposals$/, 1],
    [/\/confirm$/, 2],
    [/\/proposals$/, 1],
    [/\/cancel$/, 1],
    [/\/apps\/counter\/stop$/, 4],
    [/\/dispatch$/, 4],
  ];
  const told = found.map(({ request, status, steps }) => `${status} ${request}: ${steps}`).join('\n');
  assert.is(found.length, expected.length, told);
  for (const [index, [path, atLeast]] of expected.entries()) {
    const { request, status, steps } = found[index] as Exchange;
    assert.match(request, path);
    assert.ok(status === 200 || status === 201, told);
    const repeated = index === 4;
    if (!repeated) assert.ok((steps.match(COMMIT) ?? []).length >= atLeast, `${request} was answered early:\n${told}`);
    assert.ok(/^$| meta$/.test(steps.replace(/ apply$/, '')), `${request} was answered within a commit:\n${told}`);
  }
  const confirm = found[5] as Exchange;
  assert.match(confirm.steps, /sync meta apply .*sync meta$/, told);
  assert.match((found[2] as Exchange).steps, /sync meta apply .*sync meta$/, told);
}, 120_000);

test.run();
