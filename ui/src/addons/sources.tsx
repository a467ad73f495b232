/** Sources: where add-ons, backends and models come from, what was last learned from each, and managing them (04:141-176). */
import { useState } from 'react';
import type { SourceView } from '../../../src/contract/api.ts';
import { asApiError } from '../api/client.ts';
import { settings, sources } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { switchOfficial } from '../api/sources.ts';
import { type Words, wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { AddSource } from './add-source.tsx';
import { SourceRow } from './source-row.tsx';

const FILTERS = [
  ['all', 'All'],
  ['addon', 'Add-ons'],
  ['backend', 'Backends'],
  ['model', 'Models'],
] as const;
type Filter = (typeof FILTERS)[number][0];

export function Sources() {
  const { data, error, outdated } = useQuery(sources);
  const [filter, setFilter] = useState<Filter>('all');
  const [adding, setAdding] = useState(false);
  if (data === 'denied') return <Empty icon="shield" title="For administrators" />;
  if (data === undefined) {
    return error === undefined ? (
      <Skeletons count={2} kind="row" />
    ) : (
      <Notice tone="bad" role="alert" {...wordsFor(error)} />
    );
  }
  const shown = data.filter(({ kind }) => filter === 'all' || kind === filter);
  return (
    <>
      {outdated && <Notice tone="warn" role="status" title="This list may be out of date" />}
      <p className="lead">
        A source lists what can be installed, with the digest of each package. A package is used only when its bytes
        match that digest. Whoever runs a source decides what it offers, so add only those you trust.
      </p>
      <div className="sources-tools">
        <fieldset className="filters">
          <legend className="visually-hidden">Which kind of source</legend>
          {FILTERS.map(([value, label]) => (
            <label key={value} className="filter">
              <input type="radio" name="source-kind" checked={filter === value} onChange={() => setFilter(value)} />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <button type="button" className="btn btn-primary btn-small" onClick={() => setAdding(true)}>
          <Icon name="plus" size={16} />
          Add a source
        </button>
      </div>
      {adding && <AddSource onClose={() => setAdding(false)} />}
      {shown.length === 0 ? (
        <Empty icon="source" title={data.length === 0 ? 'No sources' : 'No source of this kind'}>
          <p>Without a source nothing can be installed. What is installed keeps running.</p>
        </Empty>
      ) : (
        <ul className="rows">
          {inOrder(shown).map((source) => (
            <SourceRow key={`${source.kind}/${source.id}`} source={source} />
          ))}
        </ul>
      )}
      <OfficialSwitch />
    </>
  );
}

const KINDS: readonly SourceView['kind'][] = ['addon', 'backend', 'model'];

/** Add-ons first, and removed ones behind the others of their kind. */
const inOrder = (list: readonly SourceView[]): readonly SourceView[] =>
  list.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || Number(a.removed) - Number(b.removed));

/** All sources that ship with the server at once; each keeps its own state meanwhile. */
function OfficialSwitch() {
  const { data } = useQuery(settings);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Words>();
  if (data === undefined || data === 'denied') return null;
  const on = data.official_libraries;
  const toggle = async () => {
    if (busy) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await switchOfficial(!on);
      announce(`The official libraries were turned ${on ? 'off' : 'on'}.`);
    } catch (thrown) {
      setProblem(wordsFor(asApiError(thrown)));
    }
    await Promise.all([settings.refresh(), sources.refresh()]);
    setBusy(false);
  };
  return (
    <section className="row official" aria-labelledby="official-title">
      <div className="row-main">
        <h2 id="official-title">Use official libraries</h2>
        <p className="row-policy">
          The sources marked Default, all at once. Off, they stay in the list and nothing is read, found or installed
          from them.
        </p>
      </div>
      <button
        type="button"
        role="switch"
        aria-checked={on}
        aria-labelledby="official-title"
        className="switch"
        aria-disabled={busy}
        onClick={() => void toggle()}
      >
        <span className="switch-track" aria-hidden="true" />
        <span aria-hidden="true">{on ? 'On' : 'Off'}</span>
      </button>
      {problem !== undefined && <Notice tone="bad" role="alert" {...problem} />}
    </section>
  );
}
