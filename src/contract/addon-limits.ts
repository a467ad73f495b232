/**
 * What an operator may limit of one add-on (wire, "Routes": `PUT /api/admin/addons/{id}/limits`). Absent is unlimited. The
 * page uses this file too, so it brings no codec along.
 */

export interface AddonLimits {
  /** Resident memory of the add-on and what it started, in bytes. */
  readonly memoryBytes?: number;
  /** Milliseconds of processor time in each second; 1000 is one core. */
  readonly cpuMillis?: number;
  /** Open files of each of its processes. */
  readonly openFiles?: number;
  /** The add-on and what it started, together. */
  readonly processes?: number;
}

/** What one add-on uses now, in the units of its limits; `openFiles` is the most of any of its processes. */
export type AddonUse = Required<AddonLimits>;

/** The answer of the route: every limit, `null` where there is none, what is used, and who holds the add-on to it. */
export type AddonLimitsView = { readonly [K in keyof AddonUse]: number | null } & {
  /** Absent while it does not run. */
  readonly use?: AddonUse;
  /** `cgroup`: the kernel, for all four. `rlimit`: the kernel for open files, the server for memory and processes; no limit of processor time. */
  readonly heldBy: 'cgroup' | 'rlimit';
};

type Bounds = { readonly [K in keyof AddonUse]: readonly [number, number] };

/** Below the lower bounds no add-on could start; the upper ones are what the kernel takes. */
export const LIMIT_BOUNDS: Bounds = {
  memoryBytes: [16 * 1_048_576, 2 ** 50],
  cpuMillis: [10, 1_000_000],
  openFiles: [32, 1_048_576],
  processes: [1, 1_000_000],
};

export const LIMIT_NAMES = Object.keys(LIMIT_BOUNDS) as readonly (keyof AddonUse)[];

export const sameLimits = (a: AddonLimits, b: AddonLimits): boolean => LIMIT_NAMES.every((name) => a[name] === b[name]);
