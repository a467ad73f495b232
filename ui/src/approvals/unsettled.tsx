/** Proposals whose outcome is not known: what is known about each, and the ways to settle it. */
import { useId } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { unresolved } from '../api/lists.ts';
import { CodeDialog } from '../parts/code-dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { Asker } from './asker.tsx';
import { useDecision } from './decide.ts';
import { Effects } from './effects.tsx';
import { Outcome } from './outcome.tsx';
import { Technical } from './technical.tsx';
import { useAddonTitle, useResourceName } from './titles.ts';
import { deedOf } from './words.ts';

export function UnsettledCard({ view }: { readonly view: ProposalView }) {
  const heading = useId();
  const addon = useAddonTitle(view.addonId);
  const deed = deedOf(view, useResourceName(view));
  const decision = useDecision(view, () => void unresolved.refresh());
  return (
    <article
      className="approval approval-unsettled"
      aria-labelledby={heading}
      id={`unsettled-${view.id}`}
      data-proposal={view.id}
    >
      <header className="approval-head">
        <h3 id={heading} tabIndex={-1}>
          {deed.verb}{' '}
          <em>
            <Foreign text={deed.object} max={80} />
          </em>
        </h3>
      </header>
      <Asker view={view} addon={addon} />
      <Effects view={view} addon={addon} />
      <Technical view={view} />
      {decision.problem !== undefined && <Notice tone="warn" role="alert" {...decision.problem} />}
      <Outcome view={view} decision={decision} />
      {decision.codeFor !== undefined && (
        <CodeDialog
          onClose={decision.dropCode}
          onDone={() => {
            const again = decision.codeFor;
            decision.dropCode();
            again?.();
          }}
        />
      )}
    </article>
  );
}
