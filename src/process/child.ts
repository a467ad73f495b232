/** One process the owner started: its handle, its end, and the pipe that tells it that the owner lives. */
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Libc } from './libc.js';

export interface Exit {
  readonly code?: number;
  readonly signal?: string;
}

export const SIGTERM = 15;
export const SIGKILL = 9;

export class Child {
  private open = true;

  constructor(
    private readonly libc: Libc,
    readonly pid: number,
    /** Clock ticks since boot; with the pid it names this process and no later one. */
    readonly startTime: string,
    readonly endpoint: string,
    private readonly handle: number,
    private readonly startup: Socket,
    /** Resolves when the kernel has reported the end and the process was reaped. Never rejects. */
    readonly exited: Promise<Exit>,
    private readonly outputs: readonly Socket[],
  ) {
    // A child that exits before it read its line breaks the pipe; its exit says so better.
    startup.on('error', () => startup.destroy());
    void exited.then(() => this.close());
  }

  /** Hands over the startup line without waiting for the child to read it; descriptor 4 stays open until it ends. */
  give(line: string): void {
    this.startup.write(line);
  }

  /** Signals this very process, whatever became of its number; does nothing when it has ended. */
  signal(signal: typeof SIGTERM | typeof SIGKILL): void {
    if (!this.open) return;
    try {
      this.libc.signal(this.handle, signal, signal === SIGKILL);
    } catch {
      // A process that may not be signalled does not end, and whoever waits for its end says so.
    }
  }

  /** Limits one resource of this very process; false when it has ended. Until its end was reported its number is its own. */
  setLimit(resource: number, value: number | undefined, hard: boolean): boolean {
    if (!this.open) return false;
    this.libc.setLimit(this.pid, resource, value, hard);
    return true;
  }

  /** After the confirmed end: ends what it left in its process group, and gives the handle back. */
  private close(): void {
    if (!this.open) return;
    this.signal(SIGKILL);
    this.open = false;
    closeSync(this.handle);
    this.startup.destroy();
    // What is still in the pipes is read first; something that outlived its group must not hold them open for ever.
    for (const output of this.outputs) setTimeout(() => output.destroy(), 1_000).unref();
  }
}

/** In words, for administrators. */
export function describeExit(exit: Exit): string {
  if (exit.signal !== undefined) return `was ended by ${exit.signal}`;
  return exit.code === undefined ? 'ended' : `exited with code ${exit.code}`;
}
