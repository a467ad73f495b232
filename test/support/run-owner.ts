/** Starts `owner-process.js` and reads what it says, line by line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RecordedLaunch } from '../../src/commands/ports.js';
import type { OwnerOrder } from './owner-process.js';
import { eventually } from './supervisor-rig.js';

const SCRIPT = fileURLToPath(new URL('./owner-process.js', import.meta.url));

export interface Said {
  readonly unfinished?: readonly RecordedLaunch[];
  readonly recovered?: string | true;
  readonly started?: string;
  readonly outcome?: string;
}

export class OwnerRun {
  readonly said: Said[] = [];
  stderr = '';
  readonly process: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;

  constructor(order: OwnerOrder) {
    const child = spawn(process.execPath, [SCRIPT, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.process = child;
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.said.push(JSON.parse(line) as Said);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal })));
  }

  /** The first line that has this field. */
  async says<K extends keyof Said>(field: K): Promise<NonNullable<Said[K]>> {
    const line = await eventually(`the owner says "${field}" (${this.stderr})`, () =>
      this.said.find((each) => each[field] !== undefined),
    );
    return line[field] as NonNullable<Said[K]>;
  }

  async ready(count: number): Promise<void> {
    await eventually(
      `${count} add-ons are ready (${this.stderr})`,
      () => this.said.filter((each) => each.outcome === 'ready').length >= count,
    );
  }

  kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<unknown> {
    this.process.kill(signal);
    return this.ended;
  }
}
