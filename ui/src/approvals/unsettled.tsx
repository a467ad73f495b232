/** Proposals whose outcome is not known: what is known about each, and the ways to settle it. */
import { type ReactNode, useId } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { CodeDialog } from '../parts/code-dialog.tsx';
import { Notice } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { Asker } from './asker.tsx';
import { useDecision } from './decide.ts';
import { Effects } from './effects.tsx';
import { Outcome } from './outcome.tsx';
import { Technical } from './technical.tsx';
import { useAddonTitle, useResourceName } from './titles.ts';
import { deedOf, needsPerson } from './words.ts';

interface Group {
  readonly settle: (view: ProposalView) => void;
  readonly hide: (id: string) => void;
}

interface Props extends Group {
  readonly title: string;
  readonly views: readonly ProposalView[];
  readonly children: ReactNode;
}

export function Unsettled({ title, views, children, ...group }: Props) {
  const heading = useId();
  return (
    <section className="unsettled" aria-labelledby={heading}>
      <h2 className="approvals-part" id={heading}>
        {title}
      </h2>
      <p className="lead">{children}</p>
      <div className="approvals">
        {views.map((view) => (
          <UnsettledCard key={view.id} view={view} {...group} />
        ))}
      </div>
    </section>
  );
}

function UnsettledCard({ view, settle, hide }: Group & { readonly view: ProposalView }) {
  const heading = useId();
  const addon = useAddonTitle(view.addonId);
  const deed = deedOf(view, useResourceName(view));
  const decision = useDecision(view, settle);
  const look = needsPerson(view) ? 'approval-unsettled' : 'approval-done';
  const hideIt = () => {
    hide(view.id);
    document.querySelector<HTMLElement>('main h1')?.focus();
  };
  return (
    <article
      className={`approval approval-known ${look}`}
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
      {/* What it is about is known from before; what became of it and what can be done comes first. */}
      <Outcome view={view} decision={decision} onHide={hideIt} />
      {decision.problem !== undefined && <Notice tone="warn" role="alert" {...decision.problem} />}
      <Asker view={view} addon={addon} />
      <Effects view={view} addon={addon} />
      <Technical view={view} />
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
