/** One entry with a before and an after, drawn like a diff: what goes, what comes, and what stays for orientation. */
import { Foreign } from '../text/foreign.tsx';
import { type ChangeEntry, fieldsOf } from './sample.ts';

const words = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export function Change({ entry }: { readonly entry: ChangeEntry }) {
  const { changed, kept } = fieldsOf(entry);
  const around = Object.entries({ ...entry.about, ...kept });
  return (
    <div className="change">
      {around.length > 0 && (
        <p className="change-kept">
          {around.map(([name, value]) => (
            <span key={name}>
              <Foreign text={name} max={40} />{' '}
              <strong>
                <Foreign text={words(value)} max={80} />
              </strong>
            </span>
          ))}
        </p>
      )}
      <dl>
        {changed.map((field) => (
          <div key={field.name} className="change-field">
            <dt>
              {field.name === '' ? (
                <span className="visually-hidden">Value</span>
              ) : (
                <Foreign text={field.name} max={60} />
              )}
            </dt>
            {field.before !== undefined && <Line sign="−" kind="removed" value={field.before} />}
            {field.after !== undefined && <Line sign="+" kind="added" value={field.after} />}
          </div>
        ))}
      </dl>
      {changed.length === 0 && <p className="cut">Nothing differs in this entry.</p>}
    </div>
  );
}

interface LineProps {
  readonly sign: string;
  readonly kind: 'removed' | 'added';
  readonly value: unknown;
}

function Line({ sign, kind, value }: LineProps) {
  return (
    <dd className={`line line-${kind}`}>
      <span className="line-sign" aria-hidden="true">
        {sign}
      </span>
      <span className="visually-hidden">{kind === 'removed' ? 'before: ' : 'after: '}</span>
      {value === null ? (
        <em>nothing</em>
      ) : value === '' ? (
        <em>empty text</em>
      ) : (
        <Foreign text={words(value)} max={300} />
      )}
    </dd>
  );
}
