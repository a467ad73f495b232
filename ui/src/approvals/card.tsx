/** An approval card: one stored proposal, what it would do in plain words, and the person's Confirm and Cancel. */
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { pending } from '../api/lists.ts';
import { announce } from '../app/announce.tsx';
import { CodeDialog } from '../parts/code-dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { Notice } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { Asker } from './asker.tsx';
import { useLeft } from './clock.ts';
import { Countdown } from './countdown.tsx';
import { type Decision, useDecision } from './decide.ts';
import { Effects } from './effects.tsx';
import { type Guard, useGuard } from './guard.ts';
import { Outcome } from './outcome.tsx';
import { Technical } from './technical.tsx';
import { useAddonTitle, useResourceName } from './titles.ts';
import { useUnready } from './unready.ts';
import { deedOf } from './words.ts';

interface Props {
  readonly view: ProposalView;
  readonly asking: boolean;
  readonly settle: (view: ProposalView) => void;
  readonly hide: (id: string) => void;
}

export function ApprovalCard({ view, asking, settle, hide }: Props) {
  const card = useRef<HTMLElement>(null);
  const heading = useId();
  const addon = useAddonTitle(view.addonId);
  const resource = useResourceName(view);
  const deed = deedOf(view, resource);
  const unready = useUnready(view.addonId, addon);
  // Everything on the card that a person judges: when any of it is another, Confirm waits again.
  const guard = useGuard(
    card,
    `${view.digest} ${view.state} ${view.blocked === true} ${unready} ${addon} ${deed.object}`,
  );
  const decision = useDecision(view, settle);
  const open = view.state === 'pending';
  useOutcomeFocus(card, view.state);
  const hideIt = () => {
    const near = card.current?.nextElementSibling ?? card.current?.previousElementSibling;
    hide(view.id);
    (near?.querySelector('h2') ?? document.querySelector<HTMLElement>('main h1'))?.focus();
  };
  return (
    <article
      ref={card}
      className={open ? 'approval' : 'approval approval-done'}
      aria-labelledby={heading}
      data-proposal={view.id}
    >
      <header className="approval-head">
        <h2 id={heading} tabIndex={-1}>
          {deed.verb}{' '}
          <em>
            <Foreign text={deed.object} max={80} />
          </em>
        </h2>
        {open && <Countdown until={view.expiresAt} title={`${deed.verb} ${deed.object}`} />}
      </header>
      <Asker view={view} addon={addon} />
      {/* The buttons stick to the window's edge within this part only, so they never cover what the card is about. */}
      <div className="approval-body">
        <Effects view={view} addon={addon} />
        <Technical view={view} />
        {open && view.blocked === true && <Blocked view={view} />}
        {decision.problem !== undefined && <Notice tone="warn" role="alert" {...decision.problem} />}
        {open ? (
          <Buttons
            view={view}
            asking={asking}
            decision={decision}
            guard={guard}
            unready={unready}
            name={`${deed.verb} ${deed.object}`}
          />
        ) : (
          <Outcome view={view} decision={decision} onHide={hideIt} />
        )}
      </div>
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

interface ButtonProps {
  readonly view: ProposalView;
  readonly asking: boolean;
  readonly decision: Decision;
  readonly guard: Guard;
  /** Why the add-on could not carry it out now. */
  readonly unready: string | undefined;
  readonly name: string;
}

function Buttons({ view, asking, decision, guard, unready, name }: ButtonProps) {
  const hint = useId();
  const left = useLeft(view.expiresAt);
  const over = left === 0;
  useEffect(() => {
    if (over) void pending.refresh();
  }, [over]);
  const held = over || asking || view.blocked === true || unready !== undefined || decision.busy !== undefined;
  const confirm = () => {
    if (held) return unready === undefined ? undefined : announce(unready);
    if (guard.allows()) void decision.act('confirm');
    else announce('Look once more. Confirm is ready in a moment.');
  };
  // A key that is held down repeats; only a fresh press may decide.
  const fresh = (event: KeyboardEvent) => {
    if (event.repeat) event.preventDefault();
  };
  return (
    <footer className="approval-foot">
      <button
        type="button"
        className="btn btn-primary btn-confirm"
        aria-disabled={held || !guard.ready}
        aria-describedby={hint}
        data-guard={guard.ready ? 'ready' : 'waiting'}
        onClick={confirm}
        onKeyDown={fresh}
      >
        <Icon name="check" size={18} />
        {decision.busy === 'confirm' ? 'Applying…' : 'Confirm'}
        <span className="visually-hidden">: {name}</span>
      </button>
      <button
        type="button"
        className="btn"
        aria-disabled={asking || decision.busy !== undefined}
        onClick={() => void decision.act('cancel')}
        onKeyDown={fresh}
      >
        {decision.busy === 'cancel' ? 'Cancelling…' : 'Cancel'}
        <span className="visually-hidden">: {name}</span>
      </button>
      <p id={hint} className="approval-hint">
        {unready === undefined ? 'Nothing happens until you confirm.' : <Foreign text={unready} max={160} />}
      </p>
    </footer>
  );
}

function Blocked({ view }: { readonly view: ProposalView }) {
  return (
    <Notice
      tone="warn"
      title="Held back by an earlier change"
      text="It is not known whether an earlier change to the same data was made. Settle that one first; it stands at the top, under Unsettled."
    >
      {view.blockedBy !== undefined && <a href={`#unsettled-${view.blockedBy}`}>Go to the earlier change</a>}
    </Notice>
  );
}

/** A decision from this card takes the focus to what became of it, instead of losing it with the button. */
function useOutcomeFocus(card: RefObject<HTMLElement | null>, state: string): void {
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    const wasOpen = before.current === 'pending';
    before.current = state;
    const active = document.activeElement;
    if (wasOpen && (active === document.body || active === null || card.current?.contains(active) === true)) {
      card.current?.querySelector('h2')?.focus({ preventScroll: true });
    }
  }, [card, state]);
}
