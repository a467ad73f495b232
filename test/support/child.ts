/** Runs a compiled script of the tests in a process of its own, plain or under strace, and collects what it says. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ChildEnd {
  readonly lines: readonly string[];
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  /** `strace` and its options, in front of the command. */
  readonly strace?: readonly string[];
  /** SIGKILL after this long. */
  readonly killAfterMs?: number;
  /** SIGKILL as soon as it said so many lines. */
  readonly killAfterLines?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const DEADLINE_MS = 60_000;

export function runScript(name: string, args: readonly string[], options: ChildOptions = {}): Promise<ChildEnd> {
  const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const command = [...(options.strace ?? []), process.execPath, script, ...args];
  const child = spawn(command[0] ?? '', command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    detached: true,
  });
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  };
  const timer = setTimeout(kill, options.killAfterMs ?? DEADLINE_MS);
  let out = '';
  let stderr = '';
  let lines = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
    lines += chunk.toString('utf8').split('\n').length - 1;
    if (options.killAfterLines !== undefined && lines >= options.killAfterLines) kill();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ lines: out.split('\n').slice(0, -1), stderr, code, signal });
    });
  });
}
