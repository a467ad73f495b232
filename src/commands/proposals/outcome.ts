/** What the end of an apply, or a receipt, proves about a change (wire, "Answers of the add-on"; 10:187). */
import { type Either, isLeft } from '../../contract/fp.js';
import type { Json } from '../../contract/json.js';
import type { Receipt, Result } from '../../contract/wire.js';
import { isRevision } from '../addon-call.js';
import type { CallFailure } from '../ports.js';

export type Outcome =
  | { readonly kind: 'committed'; readonly receipt: Receipt }
  | {
      readonly kind: 'rejected';
      readonly code: string;
      readonly message: string;
      readonly refused: boolean;
      readonly receipt?: Receipt;
    }
  | { readonly kind: 'not-sent'; readonly why: string; readonly retryAfter?: number }
  | { readonly kind: 'unknown'; readonly why: string };

/** The payload alone: an add-on's output handles never leave the owner (11:265-268). */
export function resultOf(receipt: Receipt | undefined): { result?: Result } {
  const payload = receipt?.result?.payload;
  return payload === undefined ? {} : { result: { payload } };
}

const wordsOf = (payload: Json | undefined, key: 'error' | 'message'): string | undefined => {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return undefined;
  const value = (payload as Readonly<Record<string, Json>>)[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** What a receipt proves. Only a well-formed committed or rejected one for this very operation is final. */
export function outcomeOfReceipt(operationId: string, receipt: Receipt): Outcome {
  if (receipt.operationId !== operationId) return { kind: 'unknown', why: 'the receipt is of another operation' };
  if (receipt.state === 'committed')
    return isRevision(receipt.revision)
      ? { kind: 'committed', receipt }
      : { kind: 'unknown', why: 'the receipt has no valid revision' };
  if (receipt.state !== 'rejected') return { kind: 'unknown', why: `the receipt says ${receipt.state}` };
  const payload = receipt.result?.payload;
  const message = wordsOf(payload, 'message') ?? 'The add-on rejected the change; nothing was applied.';
  return { kind: 'rejected', code: wordsOf(payload, 'error') ?? 'rejected', message, refused: false, receipt };
}

/** What the end of an apply proves (wire, "Answers of the add-on"). */
export function outcomeOfApply(operationId: string, answer: Either<CallFailure, Receipt>): Outcome {
  if (!isLeft(answer)) return outcomeOfReceipt(operationId, answer.right);
  const failure = answer.left;
  switch (failure.kind) {
    case 'refused':
      return { kind: 'rejected', code: failure.code ?? 'invalid_request', message: failure.message, refused: true };
    case 'conflict':
      return { kind: 'rejected', code: failure.code ?? 'conflict', message: failure.message, refused: false };
    case 'busy':
      return { kind: 'not-sent', why: 'the add-on is busy', retryAfter: failure.retryAfter };
    case 'not-sent':
      return { kind: 'not-sent', why: 'the call did not leave the owner' };
    case 'timeout':
    case 'outage':
    case 'no-receipt':
      return { kind: 'unknown', why: failure.kind };
    default: {
      const forgotten: never = failure;
      return forgotten;
    }
  }
}
