/** The owner's policy: changed by compare and swap, and once for each operation id (01:131-139). */
import { canonicalJson } from '../contract/canonical-json.js';
import { type Either, left, right } from '../contract/fp.js';
import type { JsonObject } from '../contract/json.js';
import { type Refusal, refuse } from '../contract/refusal.js';
import type { Choices, ChoicesPatch, ProvidersChange } from '../contract/tool-providers.js';
import type { HostPolicyEvent } from '../events/catalogue/host-policy.js';
import type { Recorded } from '../events/event.js';
import type { Decider } from './decider.js';

/** Of the newest revisions; a retry whose receipt is gone meets its stale revision and is not applied twice. */
export const MOST_RECEIPTS = 1_024;

export interface PolicyReceipt {
  readonly operationId: string;
  readonly binding: string;
}

export interface HostPolicy {
  readonly revision: number;
  readonly choices: Choices;
  /** Oldest first. */
  readonly receipts: readonly PolicyReceipt[];
}

export type ChangeProviders = { readonly type: 'change-providers' } & ProvidersChange;

const bindingOf = (revision: number, patch: ChoicesPatch) =>
  canonicalJson({ revision, patch } as unknown as JsonObject);

function patched(choices: Choices, patch: ChoicesPatch): Choices {
  const all = Object.entries({ ...choices, ...patch });
  return Object.fromEntries(all.filter(([, addonId]) => typeof addonId === 'string')) as Choices;
}

function evolve(state: HostPolicy, event: Recorded<HostPolicyEvent>): HostPolicy {
  const { revision, chats_tool_providers: patch = {} } = event.payload;
  const receipt = { operationId: event.operationId ?? '', binding: bindingOf(revision - 1, patch) };
  return {
    revision,
    choices: patched(state.choices, patch),
    receipts: [...state.receipts, receipt].slice(-MOST_RECEIPTS),
  };
}

/** A repeat changes nothing. Refuses `operation_conflict` for a used id with another body and `stale`. */
function decide(state: HostPolicy, command: ChangeProviders): Either<Refusal, readonly HostPolicyEvent[]> {
  const { operationId, revision, choices } = command;
  const before = state.receipts.find((receipt) => receipt.operationId === operationId);
  if (before?.binding === bindingOf(revision, choices)) return right([]);
  if (before !== undefined)
    return left(
      refuse('operation_conflict', 'This operation id was used for another change. Nothing changed.', { operationId }),
    );
  if (revision !== state.revision)
    return left(
      refuse(
        'stale',
        'The choices were changed since you read them. Nothing changed. Read them again and repeat your change.',
        { operationId },
      ),
    );
  const payload = { revision: revision + 1, chats_tool_providers: choices };
  return right([{ type: 'HostPolicyChanged', payload }]);
}

export const hostPolicyDecider: Decider<HostPolicy, ChangeProviders, HostPolicyEvent> = {
  initial: { revision: 0, choices: {}, receipts: [] },
  decide,
  evolve,
};
