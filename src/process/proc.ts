/** What the kernel tells about processes: which run of it this is, and what tells one process from another. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { codeOf } from './files.js';

/** A pid means something only within one boot and one pid namespace; a restarted container has another of the latter. */
export interface World {
  readonly bootId: string;
  readonly pidNamespace: string;
}

export interface ProcessView {
  readonly pid: number;
  readonly argv: readonly string[];
  /** Undefined when the kernel does not let this user see it. */
  readonly cwd?: string;
  readonly exe?: string;
}

export interface Proc {
  /** Throws when the kernel does not tell. */
  world(): World;
  /** Clock ticks since boot; undefined when there is no such process. Throws when the kernel does not tell. */
  startTime(pid: number): string | undefined;
  /** Every process of this user. Throws when the kernel does not list them. */
  own(): readonly ProcessView[];
}

const GONE = new Set(['ENOENT', 'ESRCH']);

function unlessGone<A>(look: () => A): A | undefined {
  try {
    return look();
  } catch (error) {
    if (GONE.has(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The start time is field 22 of the line, counted after the last `)`: a program may call itself `a) b`. */
export function startTimeOf(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields[19];
  return ticks !== undefined && /^\d{1,20}$/.test(ticks) ? ticks : undefined;
}

function view(pid: number): ProcessView | undefined {
  const uid = unlessGone(() => statSync(`/proc/${pid}`).uid);
  if (uid === undefined || uid !== process.geteuid?.()) return undefined;
  const cmdline = unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  if (cmdline === undefined) return undefined;
  const link = (name: string): string | undefined => {
    try {
      return readlinkSync(`/proc/${pid}/${name}`);
    } catch {
      return undefined;
    }
  };
  const [cwd, exe] = [link('cwd'), link('exe')];
  return {
    pid,
    argv: cmdline.split('\0').slice(0, -1),
    ...(cwd === undefined ? {} : { cwd }),
    ...(exe === undefined ? {} : { exe }),
  };
}

export const proc: Proc = {
  world: () => ({
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  }),
  startTime: (pid) => {
    const stat = unlessGone(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat === undefined) return undefined;
    const ticks = startTimeOf(stat);
    if (ticks === undefined) throw new Error(`/proc/${pid}/stat is not readable as the kernel documents it`);
    return ticks;
  },
  own: () =>
    readdirSync('/proc')
      .filter((name) => /^[1-9]\d*$/.test(name) && name !== String(process.pid))
      .map((name) => view(Number(name)))
      .filter((found): found is ProcessView => found !== undefined),
};
