/** What an add-on uses and what it may use, side by side; an empty field is no limit. */
import { type SubmitEvent, useId, useState } from 'react';
import { type AddonLimitsView, type AddonUse, LIMIT_BOUNDS } from '../../../src/contract/addon-limits.ts';
import { asApiError, call } from '../api/client.ts';
import { type Query, useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { Icon } from '../parts/icons.tsx';
import { count } from '../text/format.ts';

const EVERY_MS = 3_000;

interface Field {
  readonly name: keyof AddonUse;
  readonly label: string;
  /** What is shown is the value divided by this. */
  readonly unit: number;
  readonly use: (value: number) => string;
}

const FIELDS: readonly Field[] = [
  {
    name: 'memoryBytes',
    label: 'Memory (MiB)',
    unit: 1_048_576,
    use: (value) => `${count(Math.ceil(value / 1_048_576))} MiB`,
  },
  {
    name: 'cpuMillis',
    label: 'Processor (% of a core)',
    unit: 10,
    use: (value) => `${count(Math.round(value / 10))} %`,
  },
  { name: 'openFiles', label: 'Open files of a process', unit: 1, use: count },
  { name: 'processes', label: 'Processes', unit: 1, use: count },
];

const pathOf = (addonId: string) => `/api/admin/addons/${encodeURIComponent(addonId)}/limits`;

/** Nothing is asked for until someone opens it. */
export function Limits({ addonId }: { readonly addonId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="down" size={16} /> Limits and use
      </summary>
      {open && <Loaded addonId={addonId} />}
    </details>
  );
}

function Loaded({ addonId }: { readonly addonId: string }) {
  const query = useOwnQuery(addonId, (signal) => call<AddonLimitsView>(pathOf(addonId), { signal }), EVERY_MS);
  const { data, error } = useQuery(query);
  if (data === undefined) return <p>{error === undefined ? 'Loading…' : wordsFor(error).text}</p>;
  return <Form addonId={addonId} view={data} query={query} />;
}

type Texts = Readonly<Record<keyof AddonUse, string>>;

const textsOf = (view: AddonLimitsView): Texts =>
  Object.fromEntries(
    FIELDS.map(({ name, unit }) => [name, view[name] === null ? '' : String(Math.round(view[name] / unit))]),
  ) as unknown as Texts;

/** What is wrong with a field; undefined when nothing is. */
function problemOf({ name, unit }: Field, text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const [least, most] = LIMIT_BOUNDS[name].map((bound) => Math.ceil(bound / unit)) as [number, number];
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= least && value <= most
    ? undefined
    : `A whole number from ${count(least)} to ${count(most)}, or nothing for no limit.`;
}

interface FormProps {
  readonly addonId: string;
  readonly view: AddonLimitsView;
  readonly query: Query<AddonLimitsView>;
}

function Form({ addonId, view, query }: FormProps) {
  const [texts, setTexts] = useState<Texts>(() => textsOf(view));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [checked, setChecked] = useState(false);
  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChecked(true);
    if (busy || FIELDS.some((field) => problemOf(field, texts[field.name]) !== undefined)) return;
    const wanted = FIELDS.map(({ name, unit }) => [
      name,
      texts[name].trim() === '' ? null : Number(texts[name]) * unit,
    ]);
    setBusy(true);
    setProblem(undefined);
    try {
      await call(pathOf(addonId), { method: 'PUT', body: Object.fromEntries(wanted) });
      announce('The limits were saved.');
      await query.refresh();
    } catch (thrown) {
      const { title, text } = wordsFor(asApiError(thrown));
      setProblem(`${title}. ${text}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="limits" onSubmit={(event) => void send(event)} noValidate>
      {FIELDS.map((field) => (
        <Limit
          key={field.name}
          field={field}
          text={texts[field.name]}
          used={view.use?.[field.name]}
          problem={checked ? problemOf(field, texts[field.name]) : undefined}
          onChange={(text) => setTexts({ ...texts, [field.name]: text })}
        />
      ))}
      <p className="field-hint">
        {view.heldBy === 'cgroup'
          ? 'The kernel holds the add-on and what it starts to these limits.'
          : 'The server looks every second; over its memory or processes the add-on is started anew. Processor time cannot be limited here: the server has no control group of its own.'}
      </p>
      <p className="field-problem" role="alert">
        {problem}
      </p>
      <button type="submit" className="btn" aria-disabled={busy}>
        {busy ? 'Saving…' : 'Save limits'}
      </button>
    </form>
  );
}

interface LimitProps {
  readonly field: Field;
  readonly text: string;
  readonly used: number | undefined;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function Limit({ field, text, used, problem, onChange }: LimitProps) {
  const hint = useId();
  return (
    <div className="limit">
      <label>
        {field.label}
        <input
          type="text"
          inputMode="numeric"
          placeholder="no limit"
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby={hint}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <p id={hint} className={problem === undefined ? 'field-hint' : 'field-problem'}>
        {problem ?? (used === undefined ? 'not running' : `${field.use(used)} now`)}
      </p>
    </div>
  );
}
