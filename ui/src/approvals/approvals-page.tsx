/** Approvals: what waits for this person, what is unsettled, and what was decided. */
import { pending, unresolved } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Link } from '../app/router.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { ApprovalCard } from './card.tsx';
import { useHeld } from './held.ts';
import { History } from './history.tsx';
import { UnsettledCard } from './unsettled.tsx';

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

function Waiting() {
  const { data, error, outdated } = useQuery(pending);
  const open = useQuery(unresolved).data?.proposals ?? [];
  const { held, settle, hide } = useHeld(data?.proposals);
  if (data === undefined) {
    return error === undefined ? (
      <Skeletons count={2} kind="proposal" />
    ) : (
      <Notice tone="bad" role="alert" {...wordsFor(error)} />
    );
  }
  const shown = new Set(held.map(({ view }) => view.id));
  const unsettled = open.filter(({ id }) => !shown.has(id));
  return (
    <>
      {/* Always there, so that the cards do not move when it has something to say. */}
      <p className="lead approvals-lead">
        {outdated
          ? 'This list may be out of date: the server did not answer the last time. It is asked again by itself.'
          : 'Programs and models prepare changes; only you can let them happen. Each one is applied exactly as it stands here, once.'}
      </p>
      {held.length === 0 && (
        <Empty icon="shield" title="Nothing waits for you">
          <p>When a program or a model proposes a change to your data, it appears here at once.</p>
        </Empty>
      )}
      <div className="approvals">
        {held.map(({ view, asking }) => (
          <ApprovalCard key={view.id} view={view} asking={asking} settle={settle} hide={hide} />
        ))}
      </div>
      {unsettled.length > 0 && (
        <section className="unsettled" aria-labelledby="unsettled">
          <h2 id="unsettled">Unsettled</h2>
          <p className="lead">
            These were confirmed, and their answer was lost. None of them is ever sent a second time.
          </p>
          <div className="approvals">
            {unsettled.map((view) => (
              <UnsettledCard key={view.id} view={view} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}
