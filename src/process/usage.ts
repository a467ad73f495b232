/** What the process groups of add-ons use, from one look through `/proc` that all of them share. */
import { readdirSync, readFileSync } from 'node:fs';
import type { AddonUse } from '../contract/addon-limits.js';

/** The kernel counts processor time for programs in hundredths of a second on every architecture. */
const MS_PER_TICK = 10;
/** Two looks closer than this are one: fifty add-ons that are watched cost one look. */
const FRESH_MS = 250;
/** A rate over less than this says nothing, since time is counted in steps of 10 ms. */
const RATE_MS = 500;

export interface GroupTotals {
  memoryBytes: number;
  processes: number;
  openFiles: number;
  /** Since the group began, its ended and waited-for children included. */
  cpuMs: number;
}

/** Process group and processor milliseconds of a line of `/proc/PID/stat`; a program may call itself `a) b`. */
export function parseStat(stat: string): { readonly group: number; readonly cpuMs: number } {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  return { group: Number(fields[2]), cpuMs: ticks * MS_PER_TICK };
}

/** Totals of the groups asked for; one that has no process is absent. A process that ends meanwhile is left out. */
export function measureGroups(groups: ReadonlySet<number>, proc = '/proc'): Map<number, GroupTotals> {
  const found = new Map<number, GroupTotals>();
  for (const name of readdirSync(proc)) {
    if (!/^[1-9]\d*$/.test(name)) continue;
    try {
      const { group, cpuMs } = parseStat(readFileSync(`${proc}/${name}/stat`, 'utf8'));
      if (!groups.has(group)) continue;
      const resident = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`${proc}/${name}/status`, 'utf8'))?.[1];
      const totals = found.get(group) ?? { memoryBytes: 0, processes: 0, openFiles: 0, cpuMs: 0 };
      totals.memoryBytes += Number(resident ?? 0) * 1024;
      totals.processes += 1;
      totals.cpuMs += cpuMs;
      totals.openFiles = Math.max(totals.openFiles, readdirSync(`${proc}/${name}/fd`).length);
      found.set(group, totals);
    } catch {
      // It ended between the list and the look.
    }
  }
  return found;
}

interface Mark {
  readonly at: number;
  readonly cpuMs: number;
}

export class UsageMeter {
  /** Where the rate of each group is counted from: an older look, or its start. */
  private readonly marks = new Map<number, { from: Mark; last: Mark }>();
  private seen = new Map<number, GroupTotals>();
  private seenAt = Number.NEGATIVE_INFINITY;

  constructor(
    /** Milliseconds from a clock that never jumps. */
    private readonly monotonic: () => number,
    private readonly measure: (groups: ReadonlySet<number>) => Map<number, GroupTotals> = measureGroups,
  ) {}

  /** The group of a process that was just started. */
  watch(group: number): void {
    const mark = { at: this.monotonic(), cpuMs: 0 };
    this.marks.set(group, { from: mark, last: mark });
    this.seenAt = Number.NEGATIVE_INFINITY;
  }

  forget(group: number): void {
    this.marks.delete(group);
    this.seen.delete(group);
  }

  /** Undefined for a group that is not watched or has no process any more. */
  use(group: number): AddonUse | undefined {
    const now = this.monotonic();
    if (now - this.seenAt >= FRESH_MS) this.look(now);
    const totals = this.seen.get(group);
    const marks = this.marks.get(group);
    if (totals === undefined || marks === undefined) return undefined;
    const { memoryBytes, processes, openFiles } = totals;
    const span = Math.max(1, marks.last.at - marks.from.at);
    const cpuMillis = Math.max(0, Math.round(((marks.last.cpuMs - marks.from.cpuMs) * 1_000) / span));
    return { memoryBytes, cpuMillis, openFiles, processes };
  }

  private look(now: number): void {
    this.seen = this.measure(new Set(this.marks.keys()));
    this.seenAt = now;
    for (const [group, marks] of this.marks) {
      const cpuMs = this.seen.get(group)?.cpuMs;
      if (cpuMs === undefined) continue;
      if (marks.last.at - marks.from.at >= RATE_MS) marks.from = marks.last;
      marks.last = { at: now, cpuMs };
    }
  }
}
