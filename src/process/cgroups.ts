/**
 * Control groups (cgroup v2) for add-ons, where this server was given a subtree of its own: a service with
 * `Delegate=yes`, or a container that may write its group. The kernel lets a group hold either processes or groups with
 * limits, so the server first moves itself into a group beside those of its add-ons; it does that only when it is the
 * one process of its group, so that nobody else's processes are touched.
 */
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddonLimits } from '../contract/addon-limits.js';

const CONTROLLERS = ['cpu', 'memory', 'pids'] as const;
const CPU_PERIOD_US = 100_000;
const OWNER_GROUP = 'castellan-owner';

export interface ControlGroup {
  /** Moves a process into the group; what it starts from then on is in it too. */
  enter(pid: number): void;
  set(limits: AddonLimits): void;
  /** Whether the kernel ended a process of the group for its memory. */
  killedForMemory(): boolean;
  /** After the last process ended. */
  remove(): void;
}

export interface ControlGroups {
  group(name: string): ControlGroup;
}

export interface CgroupPlaces {
  /** Where the unified hierarchy is mounted. */
  readonly root: string;
  /** `/proc/self/cgroup`. */
  readonly self: string;
  readonly pid: number;
}

const SYSTEM: CgroupPlaces = { root: '/sys/fs/cgroup', self: '/proc/self/cgroup', pid: process.pid };

/** Undefined where this server has no subtree of its own; nothing is changed then. */
export function openControlGroups({ root, self, pid }: CgroupPlaces = SYSTEM): ControlGroups | undefined {
  try {
    const path = /^0::(\/.*)$/m.exec(readFileSync(self, 'utf8'))?.[1];
    if (path === undefined) return undefined;
    const own = join(root, path);
    const offered = words(join(own, 'cgroup.controllers'));
    if (!CONTROLLERS.every((name) => offered.includes(name))) return undefined;
    const inside = words(join(own, 'cgroup.procs'));
    if (inside.length !== 1 || inside[0] !== String(pid)) return undefined;
    return settle(own, pid);
  } catch {
    return undefined;
  }
}

function settle(own: string, pid: number): ControlGroups | undefined {
  const home = join(own, OWNER_GROUP);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'cgroup.procs'), String(pid));
  try {
    writeFileSync(join(own, 'cgroup.subtree_control'), CONTROLLERS.map((name) => `+${name}`).join(' '));
  } catch {
    writeFileSync(join(own, 'cgroup.procs'), String(pid));
    rmdirSync(home);
    return undefined;
  }
  return { group: (name) => controlGroup(join(own, `castellan-${name}`)) };
}

function controlGroup(folder: string): ControlGroup {
  mkdirSync(folder, { recursive: true });
  const write = (file: string, value: string) => writeFileSync(join(folder, file), value);
  write('memory.oom.group', '1');
  return {
    enter: (pid) => write('cgroup.procs', String(pid)),
    set: ({ memoryBytes, cpuMillis, processes }) => {
      write('memory.max', memoryBytes === undefined ? 'max' : String(memoryBytes));
      // Swapped out, an add-on over its limit would only get slow.
      write('memory.swap.max', memoryBytes === undefined ? 'max' : '0');
      const quota = cpuMillis === undefined ? 'max' : String(Math.round((cpuMillis * CPU_PERIOD_US) / 1_000));
      write('cpu.max', `${quota} ${CPU_PERIOD_US}`);
      write('pids.max', processes === undefined ? 'max' : String(processes));
    },
    killedForMemory: () => {
      const events = readFileSync(join(folder, 'memory.events'), 'utf8');
      return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0) > 0;
    },
    remove: () => rmdirSync(folder),
  };
}

const words = (file: string): readonly string[] =>
  readFileSync(file, 'utf8')
    .split(/\s+/)
    .filter((word) => word !== '');
