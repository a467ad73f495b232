/** The real clock, the real randomness and the real log; everything else gets them injected. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Clock, Ids, Log } from '../commands/ports.js';

export const systemClock: Clock = {
  now: () => new Date(),
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

export const systemIds: Ids = {
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  bytes: (length) => new Uint8Array(randomBytes(length)),
};

/** Structured lines on standard output. Errors are logged by name, message and stack, never with their own fields. */
export function createLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: (error: Error) => ({ type: error.name, message: error.message, stack: error.stack }) },
    redact: { paths: ['credential', 'authorization', '*.credential', '*.authorization'], censor: '[redacted]' },
  });
}
