/** What became of a proposal, and for an unknown outcome the ways on: look again, or stop waiting with a reason. */
import { useState } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { Chip } from '../parts/chip.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Foreign } from '../text/foreign.tsx';
import { when } from '../text/format.ts';
import type { Decision } from './decide.ts';
import { meaningOf, personOf, STATES } from './words.ts';

interface Props {
  readonly view: ProposalView;
  readonly decision?: Decision;
  readonly onHide?: () => void;
}

export function Outcome({ view, decision, onHide }: Props) {
  const { word, tone, icon } = STATES[view.state];
  const unsettled = view.state === 'outcome-unknown' || view.state === 'abandoned-unknown';
  return (
    <div className="outcome">
      <div className="outcome-words">
        <Chip tone={tone} icon={icon}>
          {word}
        </Chip>
        <p>{meaningOf(view)}</p>
      </div>
      {view.rejection !== undefined && (
        <p className="outcome-reason">
          Reason given: “<Foreign text={view.rejection.message} max={400} />” <code>{view.rejection.code}</code>
        </p>
      )}
      {view.receipt !== undefined && view.state === 'applied' && (
        <p className="outcome-reason">
          Receipt: the data is now at version {view.receipt.revision.schema}.{view.receipt.revision.data}.
        </p>
      )}
      {view.resolution !== undefined && (
        <p className="outcome-reason">
          <Foreign text={personOf(view.resolution.actorId)} max={80} /> stopped waiting on {when(view.resolution.at)}: “
          <Foreign text={view.resolution.reason} max={512} />”
        </p>
      )}
      <div className="outcome-actions">
        {unsettled && decision !== undefined && <Ways view={view} decision={decision} />}
        {onHide !== undefined && !unsettled && view.state !== 'executing' && (
          <button type="button" className="btn btn-small btn-quiet" onClick={onHide}>
            Hide
          </button>
        )}
      </div>
    </div>
  );
}

function Ways({ view, decision }: { readonly view: ProposalView; readonly decision: Decision }) {
  const [resolving, setResolving] = useState(false);
  const busy = decision.busy !== undefined;
  return (
    <>
      <button
        type="button"
        className="btn btn-small"
        aria-disabled={busy}
        onClick={() => void decision.act('reconcile')}
      >
        {decision.busy === 'reconcile' ? 'Looking…' : 'Look for its receipt'}
      </button>
      {view.state === 'outcome-unknown' && (
        <button
          type="button"
          className="btn btn-small btn-quiet"
          aria-disabled={busy}
          onClick={() => !busy && setResolving(true)}
        >
          Stop waiting…
        </button>
      )}
      {resolving && (
        <ResolveDialog
          onClose={() => setResolving(false)}
          onResolve={(reason) => {
            setResolving(false);
            void decision.act('resolve', reason);
          }}
        />
      )}
    </>
  );
}

const LONGEST_REASON = 512;

function ResolveDialog(props: { readonly onResolve: (reason: string) => void; readonly onClose: () => void }) {
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string>();
  const send = () => {
    if (reason.trim() === '') setProblem('Write a reason; it is kept in the record.');
    else props.onResolve(reason.trim());
  };
  return (
    <Dialog title="Stop waiting for this answer?" submit="Stop waiting" danger onSubmit={send} onClose={props.onClose}>
      <p>
        New changes to this data are accepted again. This does not prove that the change was not made: look at the data
        first when it matters.
      </p>
      <label>
        Reason
        <textarea
          rows={3}
          value={reason}
          maxLength={LONGEST_REASON}
          aria-invalid={problem !== undefined}
          onChange={(event) => setReason(event.target.value)}
        />
        <span className="field-hint">{LONGEST_REASON} characters at most. It is kept with your name.</span>
      </label>
      <p className="field-problem" role="alert">
        {problem}
      </p>
    </Dialog>
  );
}
