/** An action tool in a chat: run at once, as the chat's person, in their own space, and never a second time (07:105-131). */
import { type Either, isLeft, left, right } from '../../contract/fp.js';
import { inputSchema } from '../../contract/input-schema.js';
import type { JsonObject } from '../../contract/json.js';
import type { ToolDefinition } from '../../contract/manifest-types.js';
import { type Refusal, refuse } from '../../contract/refusal.js';
import type { ContractRequest, Result } from '../../contract/wire.js';
import { bounded, callRefusal, crowded, issue } from '../addon-call.js';
import type { Caller, WithRawArguments } from '../gateway.js';
import type { CallFailure } from '../ports.js';
import type { Desk } from '../proposals/desk.js';
import { isNamespaceId } from '../proposals/find.js';
import { checkArguments } from '../tool-arguments.js';
import { currentGeneration, declaredDefinition } from '../tools.js';

const CONVERSATION = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const invalid = (message: string): Either<Refusal, never> => left(refuse('invalid_request', message));

/** The conversation is the chat's own word about itself; whoever has none is no chat (07:120-122). */
function conversationOf({ via, conversationId }: Caller): Either<Refusal, string> {
  if (via.kind !== 'chat' || conversationId === undefined)
    return left(refuse('denied', 'An action tool runs in a chat only. Nothing was sent.'));
  return CONVERSATION.test(conversationId)
    ? right(conversationId)
    : invalid('The id of the conversation is malformed. Nothing was sent.');
}

function wellFormed({ action, operationId, addonId, generation }: ContractRequest): Either<Refusal, void> {
  if (action !== 'act') return invalid('An action tool is called with the action act. Nothing was sent.');
  if (!isNamespaceId(operationId)) return invalid('The operationId is malformed. Nothing was sent.');
  if (!isNamespaceId(addonId)) return invalid('The addonId is malformed. Nothing was sent.');
  return Number.isSafeInteger(generation) && generation >= 1
    ? right(undefined)
    : invalid('The generation must be the number of an installed generation, from 1. Nothing was sent.');
}

/** What the model said of a resource is dropped: where the schema has one, it is the conversation (07:117-119). */
function fitting(tool: ToolDefinition, given: JsonObject, conversationId: string): Either<Refusal, JsonObject> {
  const schema = inputSchema(tool.inputSchema);
  const takesResource = !isLeft(schema) && schema.right.takesResource;
  const { resourceId: _, ...rest } = given;
  const args = takesResource ? rest : given;
  const checked = checkArguments(tool, args, takesResource ? conversationId : undefined);
  return isLeft(checked) ? checked : right(args);
}

/**
 * Runs a declared tool of kind `action` and answers its result; files of the result are left out, since this server
 * keeps none. Refuses `denied` (no chat, undeclared or page-only tool, stale generation), `invalid_request`, `busy`
 * (429 with the seconds to wait), `operation_conflict`, `unavailable` when the call provably never left, and
 * `outcome_unknown` when the add-on died or did not answer: it may have run, and it is never sent again (07:123-126).
 */
export async function act(
  desk: Desk,
  caller: Caller,
  { value, rawArguments }: WithRawArguments<ContractRequest>,
  signal?: AbortSignal,
): Promise<Either<Refusal, Result>> {
  const { store, clock, limits, runtimes } = desk.context;
  const conversation = conversationOf(caller);
  if (isLeft(conversation)) return conversation;
  const shape = wellFormed(value);
  if (isLeft(shape)) return shape;
  const { addonId, operationId, generation } = value;
  const installed = currentGeneration(desk.findInstalled(store.visible, addonId), generation);
  if (isLeft(installed)) return installed;
  const named = declaredDefinition(installed.right, rawArguments, 'action');
  if (isLeft(named)) return named;
  const args = fitting(named.right.tool, named.right.arguments, conversation.right);
  if (isLeft(args)) return args;
  const turn = await desk.acts.take(addonId);
  if (turn === undefined) return left(crowded({ operationId }));
  const client = runtimes.current(addonId, generation);
  if (isLeft(client)) {
    turn();
    return left(refuse('unavailable', 'The add-on is not running. Nothing was sent. Turn it on or try again later.'));
  }
  const request = {
    addonId,
    resourceId: conversation.right,
    operationId,
    generation,
    action: 'act',
    arguments: args.right,
  };
  const envelope = issue(clock, caller.actor, 'act', limits.actTimeoutMs, request);
  const answer = await bounded(clock, limits.actTimeoutMs, (late) =>
    client.right.act(envelope, signal === undefined ? late : AbortSignal.any([late, signal])),
  ).finally(turn);
  if (isLeft(answer)) return left(actRefusal(answer.left, operationId));
  const { payload } = answer.right;
  return right(payload === undefined ? {} : { payload });
}

function actRefusal(failure: CallFailure, operationId: string): Refusal {
  if (failure.kind === 'timeout' || failure.kind === 'outage' || failure.kind === 'no-receipt')
    return refuse(
      'outcome_unknown',
      'The add-on ended or did not answer while it ran. What it did is not known, and it is not run again by itself.',
      { operationId },
    );
  const codes = { unavailable: 'unavailable', timeout: 'outcome_unknown', conflict: 'operation_conflict' } as const;
  return callRefusal(failure, codes, { operationId });
}
