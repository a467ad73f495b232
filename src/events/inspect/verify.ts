/** Verifies a whole journal in a child process and finds the first bad position, even when reading it kills the child. */
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isLeft, right } from '../../contract/fp.js';
import type { Journal } from '../journal.js';
import { type Hold, kept } from './kept.js';
import { readable } from './read-only.js';

export type Verification =
  | { readonly ok: true; readonly events: number; readonly hash: string }
  /** `position`: the first bad one; absent when the log is intact and something beside it is not. */
  | {
      readonly ok: false;
      readonly position?: number;
      readonly reason: string;
      /** The check did not come to its end, so nothing is known; set when the child was stopped from outside. */
      readonly inconclusive?: true;
    };

/** What a damaged page or a shortened file does to its reader; any other end of the child says nothing of the file. */
const DAMAGE = new Set(['SIGBUS', 'SIGSEGV', 'SIGABRT', 'SIGILL', 'SIGFPE']);

const SLICE = 1_000;
/** A child that says nothing for this long is stuck on a disk that does not answer. */
const SILENCE_MS = 120_000;
const LINE_BYTES = 65_536;

export interface VerifyOptions {
  readonly signal?: AbortSignal;
  /** What the log must reach: its anchor, unless it is salvaged. */
  readonly against?: 'anchor' | 'itself';
  readonly hold?: Hold;
}

/** Reads everything; takes some seconds for a million events. Works beside a running owner, and without one. */
export async function verifyJournal(directory: string, options: VerifyOptions = {}): Promise<Verification> {
  const checked = await readable(directory);
  if (isLeft(checked) && !(options.against === 'itself' && checked.left.code === 'anchor-damaged')) {
    const { code, found, message } = checked.left;
    return { ok: false, ...(code === 'absent' ? {} : { position: (found ?? 0) + 1 }), reason: message };
  }
  const result = await kept(directory, options.hold, () => inChild(directory, options));
  return isLeft(result) ? { ok: false, inconclusive: true, reason: result.left.message } : result.right;
}

async function inChild(directory: string, { against = 'anchor', signal }: VerifyOptions): Promise<Verification> {
  const whole = await runChild([directory, '1', String(SLICE), against], signal);
  if (whole.verdict !== undefined) return whole.verdict;
  if (!DAMAGE.has(whole.how)) return unfinished(whole.how);
  // The slice in which the child died is read again, one record at a time.
  const close = await runChild([directory, String(whole.reached + 1), '1', against], signal);
  if (close.verdict !== undefined && !close.verdict.ok) return close.verdict;
  if (close.verdict === undefined && !DAMAGE.has(close.how)) return unfinished(close.how);
  if (close.verdict?.ok === true)
    return { ok: false, reason: `reading beside the log ended the reader with ${whole.how}; the log itself is intact` };
  return { ok: false, position: close.reached + 1, reason: `reading it ended the reader with ${close.how}` };
}

const unfinished = (how: string): Verification => ({
  ok: false,
  inconclusive: true,
  reason: `the check ended with ${how} before it was done, so nothing is known; run it again`,
});

/** The line `castellan journal verify` prints. */
export function verificationLine(result: Verification): string {
  if (result.ok) return `verified ${result.events} events, head ${result.hash}`;
  return result.position === undefined
    ? `bad: ${result.reason}`
    : `bad at position ${result.position}: ${result.reason}`;
}

/** Verifies beside a running owner and fences it when something is wrong; a check that was stopped fences nothing. Answers what was found. */
export async function guardJournal(directory: string, journal: Journal, signal?: AbortSignal): Promise<Verification> {
  const hold: Hold = async () => {
    const release = journal.hold();
    return right(async () => {
      release();
      return true;
    });
  };
  const result = await verifyJournal(directory, { hold, ...(signal === undefined ? {} : { signal }) });
  if (!result.ok && result.inconclusive !== true) journal.fence(`the journal is damaged: ${verificationLine(result)}`);
  return result;
}

interface Run {
  readonly reached: number;
  readonly how: string;
  /** Absent when the child died without one. */
  readonly verdict?: Verification;
}

function runChild(args: readonly [string, string, string, string], signal: AbortSignal | undefined): Promise<Run> {
  const script = fileURLToPath(new URL('./verify-child.js', import.meta.url));
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    killSignal: 'SIGKILL',
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, 10);
  } catch {
    // It may have ended already; priority is a courtesy.
  }
  return new Promise((resolve) => {
    let rest = '';
    let reached = Number(args[1]) - 1;
    let verdict: Verification | undefined;
    const silence = setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
    child.stdout?.on('data', (chunk: Buffer) => {
      silence.refresh();
      const lines = (rest + chunk.toString('utf8')).split('\n');
      rest = (lines.pop() ?? '').slice(0, LINE_BYTES);
      for (const line of lines)
        if (line.startsWith('at ')) reached = Number(line.slice(3));
        else verdict = asVerdict(line);
    });
    const done = (how: string) => {
      clearTimeout(silence);
      resolve({ reached, how, ...(verdict === undefined ? {} : { verdict }) });
    };
    child.on('error', (error) => done(error.message));
    child.on('close', (code, killedBy) => done(killedBy ?? `exit ${code}`));
  });
}

function asVerdict(line: string): Verification {
  const said = JSON.parse(line) as { position?: number; hash?: string; reason?: string; inconclusive?: true };
  if (said.reason === undefined) return { ok: true, events: said.position ?? 0, hash: said.hash ?? '' };
  const { position, reason, inconclusive } = said;
  return {
    ok: false,
    reason,
    ...(position === undefined ? {} : { position }),
    ...(inconclusive ? { inconclusive } : {}),
  };
}
