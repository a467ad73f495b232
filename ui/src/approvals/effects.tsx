/** What a proposal would change, as the add-on's preview says it: as before and after, as rows, or as it came. */
import { useMemo, useRef, useState } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { Grid } from '../parts/grid.tsx';
import { Foreign } from '../text/foreign.tsx';
import { count, plural } from '../text/format.ts';
import { Change } from './change.tsx';
import { columnsOf, type Entry, isChangeEntry, type Reading, readSample } from './sample.ts';

const FIRST = 5;

interface Props {
  readonly view: ProposalView;
  /** The add-on's name: the count and the sample are its word, not the host's. */
  readonly addon: string;
}

export function Effects({ view, addon }: Props) {
  const { sample, count: total } = view.effects;
  const [all, setAll] = useState(false);
  const grown = useRef<HTMLDivElement>(null);
  const reading = useMemo(() => readSample(sample), [sample]);
  const listed = reading.form === 'rows' ? reading.rows.length : reading.entries.length;
  const shown = all ? listed : Math.min(FIRST, listed);
  const showAll = () => {
    setAll(true);
    // The button goes; the focus stays at what it opened.
    grown.current?.focus({ preventScroll: true });
  };
  if (view.action === 'create') {
    return (
      <section className="effects">
        <p className="effects-count">A new resource is created; only you can use it at first.</p>
      </section>
    );
  }
  return (
    <section className="effects">
      <p className="effects-count">
        <strong>{plural(total, 'change')}</strong>, says <Foreign text={addon} max={60} />
      </p>
      {sample.length > 0 && (
        <div ref={grown} tabIndex={-1} className="effects-sample">
          <Entries reading={reading} shown={shown} />
        </div>
      )}
      <p className="effects-cut">
        {shown === total ? `All ${count(total)} shown.` : `${count(shown)} of ${count(total)} shown.`}
        {shown < listed && (
          <button type="button" className="btn-link" onClick={showAll}>
            Show all {count(listed)} of the sample
          </button>
        )}
        {shown === listed && listed < total && ' The add-on listed no more than these.'}
      </p>
    </section>
  );
}

const LABELS = { added: 'Sample of what would be added', removed: 'Sample of what would go' } as const;

function Entries({ reading, shown }: { readonly reading: Reading; readonly shown: number }) {
  if (reading.form === 'rows') {
    const { lead, sign, columns } = reading;
    const label = sign === undefined ? 'Sample of the changes' : LABELS[sign];
    return (
      <>
        {lead !== undefined && <Loose entry={lead} />}
        <Grid rows={reading.rows.slice(0, shown)} label={label} sign={sign} columns={columns} />
      </>
    );
  }
  return (
    <ol className="changes">
      {reading.entries.slice(0, shown).map((entry, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: entries of a sample have no identity besides their place
        <li key={index}>{isChangeEntry(entry) ? <Change entry={entry} /> : <Loose entry={entry} />}</li>
      ))}
    </ol>
  );
}

/** An entry of no known form: its members one under the other, short ones first, or the plain value. */
function Loose({ entry }: { readonly entry: Entry }) {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return <Value value={entry} />;
  const long = (value: unknown) => (typeof value === 'object' ? 1 : 0);
  return (
    <dl className="loose">
      {Object.entries(entry)
        .sort(([, one], [, other]) => long(one) - long(other))
        .map(([name, value]) => (
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

const MOST_COLUMNS = 30;

function Value({ value }: { readonly value: unknown }) {
  const columns = columnsOf(value);
  if (columns === undefined)
    return <Foreign text={typeof value === 'string' ? value : JSON.stringify(value)} max={300} />;
  return (
    <>
      <ul className="fields">
        {columns.slice(0, MOST_COLUMNS).map(({ name, type }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an add-on may name two columns alike
          <li key={at}>
            <Foreign text={name} max={60} />{' '}
            <span className="field-type">
              <Foreign text={type} max={30} />
            </span>
          </li>
        ))}
      </ul>
      {columns.length > MOST_COLUMNS && (
        <p className="cut">
          {MOST_COLUMNS} of {count(columns.length)} columns shown
        </p>
      )}
    </>
  );
}
