/** The limits of an add-on as a body and as a payload. */
import { type AddonLimits, type AddonUse, LIMIT_BOUNDS, LIMIT_NAMES } from './addon-limits.js';
import { closed, t } from './fp.js';

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
