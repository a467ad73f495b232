/** Approvals: what is unsettled, what waits for this person, and what was decided. */
import { useState } from 'react';
import { pending, unresolved } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { ApprovalCard } from './card.tsx';
import { type Held, useHeld } from './held.ts';
import { History } from './history.tsx';
import { Unsettled } from './unsettled.tsx';
import { needsPerson } from './words.ts';

export function ApprovalsPage({ query }: { readonly query: URLSearchParams }) {
  const history = query.get('show') === 'history';
  return (
    <>
      <div className="page-head">
        <h1 tabIndex={-1}>Approvals</h1>
        <nav className="tabs" aria-label="Approvals">
          <Link href="/app/approvals" className="tab" aria-current={history ? undefined : 'page'}>
            Waiting
          </Link>
          <Link href="/app/approvals?show=history" className="tab" aria-current={history ? 'page' : undefined}>
            History
          </Link>
        </nav>
      </div>
      {history ? <History /> : <Waiting />}
    </>
  );
}

const WAITING = ['pending'] as const;
const UNRESOLVED = ['executing', 'outcome-unknown', 'abandoned-unknown'] as const;

function Waiting() {
  const { data, error, outdated } = useQuery(pending);
  const waiting = useHeld(data?.proposals, WAITING);
  const open = useHeld(useQuery(unresolved).data?.proposals, UNRESOLVED);
  const first = useFirst(open.held);
  // A card that was decided on this visit is in both lists; hidden in one, it must not come up in the other.
  const hide = (id: string) => {
    waiting.hide(id);
    open.hide(id);
  };
  const { held, settle } = waiting;
  if (data === undefined) {
    return error === undefined ? (
      <Skeletons count={2} kind="proposal" />
    ) : (
      <Notice tone="bad" role="alert" {...wordsFor(error)} />
    );
  }
  const shown = new Set(held.map(({ view }) => view.id));
  const others = open.held.filter(({ view }) => !shown.has(view.id)).map(({ view }) => view);
  const unsettled = others.filter(({ id }) => first.has(id));
  const given = others.filter(({ id }) => !first.has(id));
  const group = { settle: open.settle, hide };
  return (
    <>
      {unsettled.length > 0 && (
        <Unsettled title="Unsettled" views={unsettled} {...group}>
          Look at these first. Other changes to the same data wait until they are settled.
        </Unsettled>
      )}
      {unsettled.length > 0 && held.length > 0 && <h2 className="approvals-part">Waiting for you</h2>}
      {/* Always there, so that the cards do not move when it has something to say. */}
      {(unsettled.length === 0 || held.length > 0 || outdated) && (
        <p className="lead approvals-lead">
          {outdated
            ? 'This list may be out of date: the server did not answer the last time. It is asked again by itself.'
            : 'Programs and models prepare changes; only you can let them happen. Each one is applied exactly as it stands here, once.'}
        </p>
      )}
      {held.length === 0 && (
        <Empty icon="shield" title={unsettled.length > 0 ? 'Nothing else waits for you' : 'Nothing waits for you'}>
          <p>When a program or a model proposes a change to your data, it appears here at once.</p>
        </Empty>
      )}
      <div className="approvals">
        {held.map(({ view, asking }) => (
          <ApprovalCard key={view.id} view={view} asking={asking} settle={settle} hide={hide} />
        ))}
      </div>
      {given.length > 0 && (
        <Unsettled title="No longer awaited" views={given} {...group}>
          You stopped waiting for these. Their answer is still recorded if it comes.
        </Unsettled>
      )}
    </>
  );
}

/**
 * The unresolved proposals that need the person most, and stand first: all but those nobody waits for any more. One that
 * stood there on this visit stays there, whatever becomes of it.
 */
function useFirst(held: readonly Held[]): ReadonlySet<string> {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const now = held.filter(({ view }) => needsPerson(view)).map(({ view }) => view.id);
  const fresh = now.filter((id) => !kept.has(id));
  if (fresh.length > 0) setKept(new Set([...kept, ...fresh]));
  return kept;
}
