/** What was decided before: every settled proposal the owner still keeps, filtered by how it ended and by add-on. */
import { useState } from 'react';
import type { ProposalPage, ProposalView } from '../../../src/contract/api.ts';
import { titleOf } from '../addons/names.ts';
import { call } from '../api/client.ts';
import { apps } from '../api/lists.ts';
import { useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Chip } from '../parts/chip.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { ago, when } from '../text/format.ts';
import { Asker } from './asker.tsx';
import { Effects } from './effects.tsx';
import { Outcome } from './outcome.tsx';
import { Technical } from './technical.tsx';
import { useAddonTitle, useResourceName } from './titles.ts';
import { deedOf, STATES } from './words.ts';

const ENDS = ['all', 'applied', 'rejected', 'cancelled', 'expired'] as const;
const PAGE = 50;
const MOST_PAGES = 21;

async function readPages(pages: number, signal: AbortSignal): Promise<ProposalPage> {
  const proposals: ProposalView[] = [];
  let next: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const from = next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`;
    const answer = await call<ProposalPage>(`/api/addons/proposals?state=settled&limit=${PAGE}${from}`, { signal });
    proposals.push(...answer.proposals);
    next = answer.next;
    if (next === undefined) break;
  }
  return next === undefined ? { proposals } : { proposals, next };
}

export function History() {
  const [pages, setPages] = useState(1);
  const [end, setEnd] = useState<(typeof ENDS)[number]>('all');
  const [addonId, setAddonId] = useState('');
  const { data, error, outdated } = useQuery(
    useOwnQuery(`history/${pages}`, (signal) => readPages(pages, signal), 15_000),
  );
  const names = useQuery(apps).data ?? [];
  if (data === undefined) {
    return error === undefined ? (
      <Skeletons count={4} kind="row" />
    ) : (
      <Notice tone="bad" role="alert" {...wordsFor(error)} />
    );
  }
  const addons = [...new Set(data.proposals.map((view) => view.addonId))];
  const shown = data.proposals.filter(
    (view) => (end === 'all' || view.state === end) && (addonId === '' || view.addonId === addonId),
  );
  return (
    <>
      {outdated && <Notice tone="warn" role="status" title="This list may be out of date" />}
      <div className="filters">
        <fieldset className="segments">
          <legend className="visually-hidden">How it ended</legend>
          {ENDS.map((value) => (
            <label key={value}>
              <input type="radio" name="end" checked={end === value} onChange={() => setEnd(value)} />
              <span>{value === 'all' ? 'All' : STATES[value].word}</span>
            </label>
          ))}
        </fieldset>
        {addons.length > 1 && (
          <select aria-label="Add-on" value={addonId} onChange={(event) => setAddonId(event.target.value)}>
            <option value="">Every add-on</option>
            {addons.map((id) => {
              const app = names.find((entry) => entry.id === id);
              return (
                <option key={id} value={id}>
                  {app === undefined ? id : titleOf(app)}
                </option>
              );
            })}
          </select>
        )}
      </div>
      {shown.length === 0 ? (
        <Empty icon="clock" title={data.proposals.length === 0 ? 'Nothing was decided yet' : 'Nothing ended that way'}>
          <p>Decided proposals are kept here for a day. The journal keeps what was done for good.</p>
        </Empty>
      ) : (
        <ul className="history">
          {shown.map((view) => (
            <Row key={view.id} view={view} />
          ))}
        </ul>
      )}
      {data.next !== undefined && pages < MOST_PAGES && (
        <button type="button" className="btn" onClick={() => setPages(pages + 1)}>
          Show older
        </button>
      )}
    </>
  );
}

function Row({ view }: { readonly view: ProposalView }) {
  const [open, setOpen] = useState(false);
  const addon = useAddonTitle(view.addonId);
  const deed = deedOf(view, useResourceName(view));
  const { word, tone, icon } = STATES[view.state];
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="history-line">
          <Icon name="down" size={16} />
          <span className="history-deed">
            {deed.verb}{' '}
            <em>
              <Foreign text={deed.object} max={80} />
            </em>
          </span>
          <Chip tone={tone} icon={icon}>
            {word}
          </Chip>
          <time className="history-time" dateTime={view.createdAt} title={when(view.createdAt)}>
            {ago(view.createdAt)}
          </time>
        </summary>
        {open && (
          <div className="history-body">
            <Asker view={view} addon={addon} />
            <Effects view={view} addon={addon} />
            <Technical view={view} />
            <Outcome view={view} />
          </div>
        )}
      </details>
    </li>
  );
}
