/** What an operator may limit of one add-on (wire, "Routes": `PUT /api/admin/addons/{id}/limits`). Absent is unlimited. */
import { closed, t } from './fp.js';

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

function bounded(name: keyof AddonUse): t.Type<number> {
  const [least, most] = LIMIT_BOUNDS[name];
  return t.refinement(
    t.number,
    (value) => Number.isSafeInteger(value) && value >= least && value <= most,
    `a whole number from ${least} to ${most}`,
  );
}

const optional = (name: keyof AddonUse) => t.union([bounded(name), t.null]);

/** The body of the PUT: what is left out or null is unlimited from then on. */
export const limitsBody = closed(
  'limits',
  {},
  {
    memoryBytes: optional('memoryBytes'),
    cpuMillis: optional('cpuMillis'),
    openFiles: optional('openFiles'),
    processes: optional('processes'),
  },
);

export const limitsPayload = closed(
  'AddonLimitsSet',
  {},
  {
    memoryBytes: bounded('memoryBytes'),
    cpuMillis: bounded('cpuMillis'),
    openFiles: bounded('openFiles'),
    processes: bounded('processes'),
  },
);

/** The limits that a body sets. */
export function limitsOf(body: t.TypeOf<typeof limitsBody>): AddonLimits {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => (typeof body[name] === 'number' ? [[name, body[name]]] : [])),
  );
}

export const sameLimits = (a: AddonLimits, b: AddonLimits): boolean => LIMIT_NAMES.every((name) => a[name] === b[name]);
