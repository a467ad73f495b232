/**
 * Runs every compiled test file in a process of its own, two at a time, the long ones first, each with a deadline, and is good only when
 * every file exited 0 with a totals block in which all tests passed. Ends with the line `N passed, N failed`.
 *
 * usage: node test/run.mjs [--jobs N] [path-part ...]      (only files whose path contains one of the parts)
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const FILE_DEADLINE_MS = 900_000;
/** Files that take long (10 s and more), the longest first, so that none of them runs alone at the end. It only orders. */
const LONG = [
  'main-job/random-kills',
  'main-job/kill-each',
  'process/owner-killed',
  'browser/look',
  'browser/real-server',
  'browser/',
  'main-job/',
  'events/sync-order',
  'process/supervisor-faults',
  'packages/library-index',
  'packages/archives',
  'packages/crash',
  'events/damage',
  'events/kill',
  'events/inspect',
];

function rank(file) {
  const at = LONG.findIndex((part) => file.includes(part));
  return at < 0 ? LONG.length : at;
}

function options(argv) {
  const parts = [...argv];
  const at = parts.indexOf('--jobs');
  const jobs = at < 0 ? Math.min(2, availableParallelism()) : Number(parts.splice(at, 2)[1]);
  return { jobs, parts };
}

function runFile(file) {
  return new Promise((resolve) => {
    const started = Date.now();
    const child = spawn(process.execPath, ['--enable-source-maps', '--unhandled-rejections=strict', file], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' },
    });
    let out = '';
    let late = false;
    const killGroup = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {}
    };
    const timer = setTimeout(() => {
      late = true;
      killGroup();
    }, FILE_DEADLINE_MS);
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (out += chunk));
    child.on('close', (code) => {
      clearTimeout(timer);
      killGroup();
      const sum = (key) =>
        [...out.matchAll(new RegExp(`^ {2}${key}:\\s+(\\d+)$`, 'gm'))].reduce((total, m) => total + Number(m[1]), 0);
      const [total, passed, skipped] = [sum('Total'), sum('Passed'), sum('Skipped')];
      const good = code === 0 && !late && total > 0 && passed === total && skipped === 0;
      resolve({
        file,
        good,
        passed,
        failed: Math.max(total - passed, good ? 0 : 1),
        out,
        late,
        ms: Date.now() - started,
      });
    });
  });
}

const { jobs, parts } = options(process.argv.slice(2));
const files = readdirSync(`${root}build`, { recursive: true })
  .map((file) => `build/${file}`)
  .filter((file) => /^build\/(test|addons\/[^/]+\/test)\/.*\.test\.js$/.test(file))
  .sort()
  .sort((one, other) => rank(one) - rank(other))
  .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
if (files.length === 0) {
  console.error('no test file matches');
  process.exit(1);
}
const queue = [...files];
const results = [];
async function worker() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const result = await runFile(file);
    results.push(result);
    console.log(
      `${result.good ? 'ok  ' : 'FAIL'} ${file} (${result.passed} passed, ${result.ms} ms${result.late ? ', past its deadline' : ''})`,
    );
    if (!result.good) console.log(result.out.replace(/^/gm, '     '));
  }
}
await Promise.all(Array.from({ length: jobs }, worker));
const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exit(results.every((result) => result.good) ? 0 : 1);
