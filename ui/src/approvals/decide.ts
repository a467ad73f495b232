/** The person's decisions, sent over the confirmation surface of chapter 10: same origin, the proposal's id, the digest shown. */
import { useState } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { type ApiError, asApiError, call } from '../api/client.ts';
import { pending, unresolved } from '../api/lists.ts';
import { type Words, wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { proposalPath } from './held.ts';
import { meaningOf, STATES } from './words.ts';

export type Verb = 'confirm' | 'cancel' | 'reconcile' | 'resolve';

export interface Decision {
  readonly busy: Verb | undefined;
  readonly problem: Words | undefined;
  /** Set while the server asks for the code in its terminal; run it again once the code was taken. */
  readonly codeFor: (() => void) | undefined;
  readonly act: (verb: Verb, reason?: string) => Promise<void>;
  readonly dropCode: () => void;
}

const CONFIRM_TIMEOUT_MS = 90_000;

/** A confirmation and a resolution carry the id and the digest of exactly the view on screen; the others carry nothing. */
function send(view: ProposalView, verb: Verb, reason: string | undefined): Promise<ProposalView> {
  const guarded = verb === 'confirm' || verb === 'resolve';
  return call<ProposalView>(proposalPath(view.id, verb), {
    method: 'POST',
    timeoutMs: CONFIRM_TIMEOUT_MS,
    headers: guarded ? { 'x-localai-confirm': view.id } : {},
    body: guarded ? { digest: view.digest, ...(verb === 'resolve' ? { reason } : {}) } : {},
  });
}

export function useDecision(view: ProposalView, settle: (view: ProposalView) => void): Decision {
  const [busy, setBusy] = useState<Verb>();
  const [problem, setProblem] = useState<Words>();
  const [codeFor, setCodeFor] = useState<() => void>();

  const act = async (verb: Verb, reason?: string): Promise<void> => {
    if (busy !== undefined) return;
    setBusy(verb);
    setProblem(undefined);
    try {
      const next = await send(view, verb, reason);
      settle(next);
      if (verb === 'reconcile' && next.state === 'outcome-unknown') {
        setProblem({
          title: 'Still not known',
          text: 'The add-on has no record of this operation yet. That does not prove that it never ran.',
        });
        announce('Still not known.');
      } else announce(`${STATES[next.state].word}. ${meaningOf(next)}`);
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.status === 403 && error.code === 'confirm_code_required')
        setCodeFor(() => () => void act(verb, reason));
      else await explain(error);
    } finally {
      setBusy(undefined);
      void pending.refresh();
      void unresolved.refresh();
    }
  };

  /** Whatever went wrong, what the owner has recorded is read before anything is said. */
  const explain = async (error: ApiError) => {
    const now = await call<ProposalView>(proposalPath(view.id)).catch(() => undefined);
    if (now !== undefined) settle(now);
    const settled = now !== undefined && now.state !== 'pending' && now.state !== view.state;
    if (settled && now.state !== 'outcome-unknown' && now.state !== 'executing') {
      announce(`${STATES[now.state].word}. ${meaningOf(now)}`);
      if (error.type === 'proposal_closed' || error.outcomeUnknown) return;
    }
    const words = wordsFor(error);
    setProblem(error.kind === 'network' && now?.state === 'pending' ? STILL_WAITING : words);
    announce(words.title);
  };

  return { busy, problem, codeFor, act, dropCode: () => setCodeFor(undefined) };
}

const STILL_WAITING: Words = {
  title: 'No answer came, and the proposal still waits',
  text: 'Confirming again is safe: a proposal is applied at most once.',
};
