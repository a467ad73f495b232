/** The built-in tools an add-on can serve, who serves them, and what it says of the commands it runs. */
import { useState } from 'react';
import type {
  ExecutionView,
  Replaceable,
  ToolProviderRow,
  ToolProvidersView,
} from '../../../src/contract/tool-providers.ts';
import { type ApiError, asApiError, call, newOperationId } from '../api/client.ts';
import { type Query, useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { Icon } from '../parts/icons.tsx';
import { Notice } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { ExecutionStatus } from './execution-status.tsx';

const PATH = '/api/admin/tool-providers';
const STATUS = '/api/admin/execution-status';

/** Nothing is drawn for an add-on that replaces no tool. */
export function Replaces({ addonId }: { readonly addonId: string }) {
  const query = useOwnQuery(`replaces-${addonId}`, (signal) => call<ToolProvidersView>(PATH, { signal }));
  const { data } = useQuery(query);
  const [open, setOpen] = useState(false);
  const rows = data?.tools.filter(({ candidates }) => candidates.some((other) => other.addonId === addonId)) ?? [];
  if (data === undefined || rows.length === 0) return null;
  const runs = rows.some(({ tool, serving }) => tool === 'bash' && serving === addonId);
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="down" size={16} /> Built-in tools it can replace
      </summary>
      {open && (
        <>
          {runs && <Status addonId={addonId} />}
          <Choice rows={rows} revision={data.revision} query={query} />
        </>
      )}
    </details>
  );
}

function Status({ addonId }: { readonly addonId: string }) {
  const query = useOwnQuery(`status-${addonId}`, (signal) => call<ExecutionView>(STATUS, { signal }));
  const { data, error, outdated } = useQuery(query);
  // What was true before the last read failed is no claim about now.
  const view = outdated || error !== undefined ? undefined : data;
  if (view === undefined && error === undefined) return <p>Loading…</p>;
  return <ExecutionStatus addonId={addonId} view={view} />;
}

type Edits = { readonly [K in Replaceable]?: string };

/** A change that was sent and of which no answer came: it is sent again as it was, and nothing else meanwhile. */
interface Uncertain {
  readonly operationId: string;
  readonly revision: number;
  readonly choices: { readonly [K in Replaceable]?: string | null };
}

interface ChoiceProps {
  readonly rows: readonly ToolProviderRow[];
  readonly revision: number;
  readonly query: Query<ToolProvidersView>;
}

function Choice({ rows, revision, query }: ChoiceProps) {
  const [edits, setEdits] = useState<Edits>({});
  /** What the edits were made on; a newer revision is taken over only when the person says so. */
  const [base, setBase] = useState(revision);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<ApiError>();
  const [uncertain, setUncertain] = useState<Uncertain>();
  const edited = Object.keys(edits).length > 0;
  const send = async (change: Uncertain) => {
    setBusy(true);
    setFailed(undefined);
    try {
      await call(PATH, { method: 'PUT', body: change });
      setUncertain(undefined);
      setEdits({});
      setBase(change.revision + 1);
      announce('The choice was saved.');
      await query.refresh();
    } catch (thrown) {
      const error = asApiError(thrown);
      setFailed(error);
      const open = error.outcomeUnknown || (uncertain !== undefined && error.status >= 500);
      setUncertain(open ? change : undefined);
    } finally {
      setBusy(false);
    }
  };
  const save = () => {
    const choices = Object.fromEntries(Object.entries(edits).map(([tool, by]) => [tool, by === '' ? null : by]));
    void send({ operationId: newOperationId('choice'), revision: base, choices });
  };
  const rebase = async () => {
    await query.refresh();
    setBase(query.snapshot().data?.revision ?? revision);
    setFailed(undefined);
  };
  const edit = (tool: Replaceable, by: string) => {
    if (!edited) setBase(revision);
    setEdits({ ...edits, [tool]: by });
  };
  return (
    <div className="limits">
      {rows.map((row) => (
        <Row
          key={row.tool}
          row={row}
          value={edits[row.tool] ?? row.chosen ?? ''}
          disabled={busy || uncertain !== undefined}
          onChange={(by) => edit(row.tool, by)}
        />
      ))}
      {failed !== undefined && (
        <Notice tone="warn" {...wordsFor(failed)} role="alert">
          {failed.type === 'stale' && (
            <button type="button" className="btn" onClick={() => void rebase()}>
              Read again and keep my change
            </button>
          )}
          {uncertain !== undefined && (
            <button type="button" className="btn" aria-disabled={busy} onClick={() => !busy && void send(uncertain)}>
              Send the same change again
            </button>
          )}
        </Notice>
      )}
      <button
        type="button"
        className="btn"
        disabled={!edited || busy || uncertain !== undefined || failed?.type === 'stale'}
        onClick={save}
      >
        {busy ? 'Saving…' : 'Save choice'}
      </button>
    </div>
  );
}

interface RowProps {
  readonly row: ToolProviderRow;
  readonly value: string;
  readonly disabled: boolean;
  readonly onChange: (addonId: string) => void;
}

function Row({ row, value, disabled, onChange }: RowProps) {
  const { tool, candidates, serving, note } = row;
  const gone = value !== '' && candidates.every(({ addonId }) => addonId !== value);
  return (
    <div className="limit">
      <label>
        Who serves {tool}
        <select value={value} disabled={disabled} onChange={(event) => onChange(event.target.value)}>
          <option value="">Default: installed first</option>
          {candidates.map(({ addonId, stopped }) => (
            <option key={addonId} value={addonId}>
              {addonId}
              {stopped ? ' (stopped)' : ''}
            </option>
          ))}
          {gone && <option value={value}>{value} (not installed)</option>}
        </select>
      </label>
      <p className="field-hint">
        {serving === undefined ? (
          (note ?? 'The built-in tool serves.')
        ) : (
          <>
            Served now by <Foreign text={serving} max={80} />.
          </>
        )}
      </p>
    </div>
  );
}
