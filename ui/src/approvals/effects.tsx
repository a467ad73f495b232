/** What a proposal would change, as the add-on's preview says it: as before and after, as rows, or as it came. */
import { useState } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { Grid } from '../parts/grid.tsx';
import { Foreign } from '../text/foreign.tsx';
import { count, plural } from '../text/format.ts';
import { Change } from './change.tsx';
import { type Entry, isChangeEntry, readSample } from './sample.ts';

const FIRST = 5;

interface Props {
  readonly view: ProposalView;
  /** The add-on's name: the count and the sample are its word, not the host's. */
  readonly addon: string;
}

export function Effects({ view, addon }: Props) {
  const { sample, count: total } = view.effects;
  const [all, setAll] = useState(false);
  const shown = all ? sample : sample.slice(0, FIRST);
  const byHost = view.action === 'create';
  return (
    <section className="effects">
      <p className="effects-count">
        {byHost ? (
          <>A new resource is created; only you can use it at first.</>
        ) : (
          <>
            <strong>{plural(total, 'change')}</strong>, says <Foreign text={addon} max={60} />
          </>
        )}
      </p>
      {!byHost && sample.length > 0 && <Entries entries={shown} />}
      {!byHost && (
        <p className="effects-cut">
          {shown.length === total ? `All ${count(total)} shown.` : `${count(shown.length)} of ${count(total)} shown.`}
          {shown.length < sample.length && (
            <button type="button" className="btn-link" onClick={() => setAll(true)}>
              Show {count(sample.length - shown.length)} more
            </button>
          )}
          {shown.length === sample.length && sample.length < total && ' The add-on listed no more than these.'}
        </p>
      )}
    </section>
  );
}

const LABELS = { added: 'Sample of what would be added', removed: 'Sample of what would go' } as const;

function Entries({ entries }: { readonly entries: readonly Entry[] }) {
  const reading = readSample(entries);
  if (reading.form === 'rows') {
    const label = reading.sign === undefined ? 'Sample of the changes' : LABELS[reading.sign];
    return <Grid rows={reading.rows} label={label} sign={reading.sign} />;
  }
  return (
    <ol className="changes">
      {reading.entries.map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries of a sample have no identity besides their place
        <li key={index}>{isChangeEntry(entry) ? <Change entry={entry} /> : <Loose entry={entry} />}</li>
      ))}
    </ol>
  );
}

/** An entry of no known form: its members one under the other, or the plain value. */
function Loose({ entry }: { readonly entry: Entry }) {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return <Value value={entry} />;
  return (
    <dl className="loose">
      {Object.entries(entry).map(([name, value]) => (
        <div key={name}>
          <dt>
            <Foreign text={name} max={60} />
          </dt>
          <dd>
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { readonly value: unknown }) {
  return <Foreign text={typeof value === 'string' ? value : JSON.stringify(value)} max={300} />;
}
