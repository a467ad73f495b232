/** Host operations asked for, and the network capability that depends on them (02:208-278; 18:35-49). */
import { isObject, list, member, oneOf, type Report, record } from '../shape.js';
import { CAPABILITIES, entries, type Facts, NEEDS_API_2, repeats, strings } from './facts.js';
import { hostOp, plain } from './words.js';

const MAX_OPERATIONS = 32;
export const EGRESS_CHECK = 'egress.check';

/** Requests, never grants; leaving it out is neither an empty grant nor a request for everything (02:272-278). */
export const hostOperations = record(
  {},
  { required: list(hostOp, { max: MAX_OPERATIONS }), optional: list(hostOp, { max: MAX_OPERATIONS }) },
  { some: true },
);

export const network = record(
  { kind: oneOf('egress-check') },
  {
    title: plain(40),
    presets: list(record({ id: oneOf('off', 'registries', 'all'), title: plain(40) }), { max: 3 }),
  },
);

const OPERATIONS = member(CAPABILITIES, 'hostOperations');
const NETWORK = member(CAPABILITIES, 'network');

function requested(facts: Facts): { value: string; at: string }[] {
  const { hostOperations: asked } = facts.capabilities;
  if (!isObject(asked)) return [];
  return [
    ...strings(asked.required, member(OPERATIONS, 'required')),
    ...strings(asked.optional, member(OPERATIONS, 'optional')),
  ];
}

export function hostOperationRules(facts: Facts, report: Report): void {
  const operations = requested(facts);
  repeats(operations, (at) => report(at, 'repeated-id', 'This operation is asked for twice; keep one.'));
  const within = (value: unknown) => !Array.isArray(value) || value.length <= MAX_OPERATIONS;
  const { hostOperations: asked, network: net } = facts.capabilities;
  if (isObject(asked) && operations.length > MAX_OPERATIONS && within(asked.required) && within(asked.optional))
    report(OPERATIONS, 'total-size', `At most ${MAX_OPERATIONS} operations can be asked for in total.`);
  if (!isObject(net)) return;
  if (facts.oldApi) report(NETWORK, 'api-2', NEEDS_API_2);
  if (!operations.some(({ value }) => value === EGRESS_CHECK))
    report(NETWORK, 'network', 'A network declaration needs "egress.check" in hostOperations.');
  const ids = entries(net.presets, member(NETWORK, 'presets')).flatMap(({ value, at }) =>
    typeof value.id === 'string' ? [{ value: value.id, at: member(at, 'id') }] : [],
  );
  repeats(ids, (at) => report(at, 'repeated-id', 'A preset is named once.'));
}
