/** A copy of this checkout as a stranger would get it: the files git knows and the new ones, nothing built or installed. */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from './server.js';
import { tempDir } from './temp-dir.js';

export function freshCheckout(): string {
  const directory = tempDir('checkout');
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const file of listed.toString('utf8').split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    cpSync(join(ROOT, file), join(directory, file), { verbatimSymlinks: true, force: true });
  }
  return directory;
}

/** One shell that lives through several commands, as a person's terminal does. */
export class Terminal {
  private readonly shell;
  private out = '';
  private marks = 0;

  constructor(directory: string, environment: Readonly<Record<string, string>> = {}) {
    this.shell = spawn('bash', ['--norc'], {
      cwd: directory,
      env: { ...process.env, ...environment },
      stdio: 'pipe',
      detached: true,
    });
    for (const stream of [this.shell.stdout, this.shell.stderr])
      stream.on('data', (chunk: Buffer) => {
        this.out += chunk;
      });
  }

  /** Types a command without waiting for its end. */
  type(command: string): void {
    this.shell.stdin.write(`${command}\n`);
  }

  /** Everything printed so far. */
  get output(): string {
    return this.out;
  }

  /** Runs a command to its end; rejects when it fails, with what it printed. */
  async run(command: string, ms = 60_000): Promise<string> {
    const mark = `::end-${++this.marks}`;
    const from = this.out.length;
    this.type(`set -o pipefail\n${command}\necho "${mark} $?"`);
    const ended = await this.until(new RegExp(`${mark} (\\d+)`), ms);
    const printed = this.out.slice(from, this.out.indexOf(mark, from));
    if (ended[1] !== '0') throw new Error(`exit ${ended[1]}: ${command}\n${printed}`);
    return printed;
  }

  async until(pattern: RegExp, ms: number): Promise<RegExpExecArray> {
    const deadline = Date.now() + ms;
    while (Date.now() < deadline) {
      const found = pattern.exec(this.out);
      if (found !== null) return found;
      await new Promise((resume) => setTimeout(resume, 50));
    }
    throw new Error(`${pattern} did not appear within ${ms} ms:\n${this.out.slice(-4_000)}`);
  }

  /** Ends the shell and everything it started. */
  end(): void {
    if (this.shell.pid !== undefined && this.shell.exitCode === null) process.kill(-this.shell.pid, 'SIGKILL');
  }
}
