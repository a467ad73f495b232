/**
 * Runs every `*.bench.mjs` beside this file, each in a process of its own, and prints ratios of two sides measured in
 * the same run. usage: node test/bench/run.mjs [name-part ...]     Exit 1 when a bench fails or misses its goal.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const [, self, ...args] = process.argv;

if (args[0] === '--one') {
  const { run } = await import(new URL(args[1], import.meta.url));
  for (const row of await run()) {
    const value = Number(row.value.toPrecision(3));
    const verdict = row.goal === undefined ? '    ' : row.met(row.value) ? 'ok  ' : 'MISS';
    console.log(
      `${verdict} ${row.name}: ${value}${row.goal === undefined ? '' : ` (goal ${row.goal})`}   ${row.detail}`,
    );
    if (verdict === 'MISS') process.exitCode = 1;
  }
} else {
  const files = readdirSync(here)
    .filter((file) => file.endsWith('.bench.mjs') && (args.length === 0 || args.some((part) => file.includes(part))))
    .sort();
  for (const file of files) {
    console.log(file);
    const { status } = spawnSync(process.execPath, ['--expose-gc', self, '--one', `./${file}`], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}
