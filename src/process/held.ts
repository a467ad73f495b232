/** Holds one process to the limits of its add-on: by its control group, or by rlimits and a look each second. */

import type { Clock, Log } from '../commands/ports.js';
import type { AddonLimits, AddonUse } from '../contract/addon-limits.js';
import type { ControlGroup, ControlGroups } from './cgroups.js';
import { pause } from './deadlines.js';
import { RLIMIT_DATA, RLIMIT_NOFILE } from './libc.js';
import type { UsageMeter } from './usage.js';

/** Between two looks there is room for one burst; beyond this the kernel refuses further memory. */
const backstop = (memoryBytes: number | undefined): number | undefined =>
  memoryBytes === undefined ? undefined : 2 * memoryBytes + 268_435_456;

export interface HeldDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly usage: UsageMeter;
  /** Undefined where control groups cannot be used; asked for when the first limit is set. */
  readonly cgroups: () => ControlGroups | undefined;
  readonly limitsEveryMs: number;
}

/** The part of a child that can be limited; false when it has ended. */
export interface Limitable {
  readonly pid: number;
  setLimit(resource: number, value: number | undefined, hard: boolean): boolean;
}

const isLimited = (limits: AddonLimits): boolean => Object.values(limits).some((value) => value !== undefined);

export class Held {
  private group: ControlGroup | undefined;
  private failed = false;

  constructor(
    private readonly deps: HeldDeps,
    private readonly child: Limitable,
    private readonly addonId: string,
    private readonly limits: () => AddonLimits,
  ) {
    deps.usage.watch(child.pid);
    this.apply();
  }

  get heldBy(): 'cgroup' | 'rlimit' {
    return this.group === undefined ? 'rlimit' : 'cgroup';
  }

  use(): AddonUse | undefined {
    return this.deps.usage.use(this.child.pid);
  }

  /** Holds the process to what the limits are now. A limit that was raised may reach it only at its next start. */
  apply(): void {
    const limits = this.limits();
    try {
      // Runtimes raise this one to the hard limit by themselves when they start.
      this.child.setLimit(RLIMIT_NOFILE, limits.openFiles, true);
      if (this.group === undefined && !this.failed && isLimited(limits)) this.enterGroup();
      if (this.group !== undefined) this.group.set(limits);
      else this.child.setLimit(RLIMIT_DATA, backstop(limits.memoryBytes), false);
    } catch (error) {
      this.deps.log.warn({ addonId: this.addonId, fault: String(error) }, 'a limit of an add-on could not be set');
    }
  }

  private enterGroup(): void {
    try {
      const group = this.deps.cgroups()?.group(this.addonId);
      group?.enter(this.child.pid);
      this.group = group;
    } catch (error) {
      this.failed = true;
      this.deps.log.warn(
        { addonId: this.addonId, fault: String(error) },
        'the control group of an add-on cannot be used',
      );
    }
  }

  /** Resolves with the reason, in words, when a limit was passed that the kernel does not hold; never after the signal. */
  async passed(signal: AbortSignal): Promise<string> {
    for (;;) {
      await pause(this.deps.clock, this.deps.limitsEveryMs, signal);
      if (signal.aborted) return new Promise(() => {});
      const why = this.group === undefined ? this.over() : undefined;
      if (why !== undefined) return why;
    }
  }

  private over(): string | undefined {
    const { memoryBytes, processes } = this.limits();
    if (memoryBytes === undefined && processes === undefined) return undefined;
    const use = this.use();
    if (use === undefined) return undefined;
    if (memoryBytes !== undefined && use.memoryBytes > memoryBytes)
      return `it used ${mib(use.memoryBytes)} of memory, and its limit is ${mib(memoryBytes)}`;
    if (processes !== undefined && use.processes > processes)
      return `it ran ${use.processes} processes, and its limit is ${processes}`;
    return undefined;
  }

  /** Once the end of the process is confirmed: why the kernel ended it, when it was for a limit. */
  release(): string | undefined {
    this.deps.usage.forget(this.child.pid);
    const { group } = this;
    if (group === undefined) return undefined;
    const limit = this.limits().memoryBytes;
    let why: string | undefined;
    try {
      if (group.killedForMemory())
        why = `it used more memory than its limit of ${limit === undefined ? 'then' : mib(limit)}`;
      group.remove();
    } catch (error) {
      this.deps.log.warn({ addonId: this.addonId, fault: String(error) }, 'a control group could not be removed');
    }
    return why;
  }
}

const mib = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MiB`;
