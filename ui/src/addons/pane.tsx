/** The details of one add-on beside the list (12:311-315). */
import type { AppEntry, InstalledEntry } from '../../../src/contract/api.ts';
import { installed } from '../api/lists.ts';
import { startOperation, useOperation } from '../api/operations.ts';
import { useQuery } from '../api/query.ts';
import { Icon } from '../parts/icons.tsx';
import { Notice } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { humanise, plural } from '../text/format.ts';
import { closePane } from './address.ts';
import { Limits } from './limits.tsx';
import { MoreDetails } from './more-details.tsx';
import { descriptionOf, iconOf, titleOf } from './names.ts';
import { OperationNote } from './operation-note.tsx';
import { RecentOutput } from './recent-output.tsx';
import { Replaces } from './replaces.tsx';
import { Resources } from './resources.tsx';
import { StateChip } from './state-chip.tsx';
import { Tile } from './tile.tsx';

interface Props {
  readonly app: AppEntry;
  readonly manage: boolean;
  readonly onRemove: () => void;
}

export function Pane({ app, manage, onRemove }: Props) {
  const operation = useOperation(app.id);
  const title = titleOf(app);
  return (
    <aside
      className="pane"
      aria-labelledby="pane-title"
      onKeyDown={(event) => {
        // A dialog that was opened from here closes by itself, and alone.
        const inDialog = event.target instanceof Element && event.target.closest('dialog') !== null;
        if (event.key === 'Escape' && !event.defaultPrevented && !inDialog) closePane();
      }}
    >
      <div className="pane-head">
        <button
          type="button"
          className="btn-icon pane-close"
          aria-label="Close the details"
          onClick={() => closePane()}
        >
          <Icon name="close" />
        </button>
        <Tile title={title} src={iconOf(app)} size={56} />
        <div>
          <h2 id="pane-title" tabIndex={-1}>
            <Foreign text={title} max={120} />
          </h2>
          <StateChip app={app} operation={operation} />
        </div>
      </div>
      {descriptionOf(app) !== '' && (
        <p>
          <Foreign text={descriptionOf(app)} max={1000} lines />
        </p>
      )}
      {app.admin !== undefined && <Actions app={app} title={title} onRemove={onRemove} />}
      {operation !== undefined && <OperationNote operation={operation} />}
      {app.admin !== undefined && app.state === 'failed' && <Failed app={app} />}
      {/* What a person comes for stands before what an administrator looks up now and then. */}
      <Resources key={`holds-${app.id}`} app={app} />
      <Adds app={app} />
      {app.admin === undefined ? <Facts app={app} /> : <AdminFacts app={app} manage={manage} />}
    </aside>
  );
}

/** Drawn only on entries that carry `admin` (12:333-334); nothing else is sent while an operation is not final. */
function Actions({
  app,
  title,
  onRemove,
}: {
  readonly app: AppEntry;
  readonly title: string;
  readonly onRemove: () => void;
}) {
  const operation = useOperation(app.id);
  const held = operation !== undefined && operation.phase !== 'failed';
  const { id: addonId, generation } = app;
  const action = app.enabled ? 'disable' : 'enable';
  return (
    <div className="pane-actions">
      <button
        type="button"
        className={app.enabled ? 'btn' : 'btn btn-primary'}
        aria-disabled={held}
        onClick={() => startOperation({ addonId, title, action, generation })}
      >
        <Icon name={app.enabled ? 'pause' : 'play'} size={16} />
        {app.enabled ? 'Turn off' : 'Turn on'}
      </button>
      <button type="button" className="btn btn-quiet" aria-disabled={held} onClick={() => !held && onRemove()}>
        <Icon name="trash" size={16} />
        Remove…
      </button>
    </div>
  );
}

function Adds({ app }: { readonly app: AppEntry }) {
  const page = app.mainPage !== undefined;
  if (!page && app.toolCount === 0) return null;
  return (
    <section>
      <h3>What it adds</h3>
      <ul className="adds">
        {page && (
          <li>
            <Icon name="grid" size={16} /> A page
          </li>
        )}
        {app.toolCount > 0 && (
          <li>
            <details>
              <summary>
                <Icon name="down" size={16} /> {plural(app.toolCount, 'chat tool')}
              </summary>
              <ul className="tools">
                {app.tools.map((tool) => (
                  <li key={tool}>
                    <span>{humanise(tool)}</span>
                    <code>
                      <Foreign text={tool} max={80} />
                    </code>
                  </li>
                ))}
              </ul>
              {app.tools.length < app.toolCount && (
                <p className="cut">
                  {app.tools.length} of {app.toolCount} shown
                </p>
              )}
            </details>
          </li>
        )}
      </ul>
    </section>
  );
}

function Facts({ app, entry }: { readonly app: AppEntry; readonly entry?: InstalledEntry | undefined }) {
  return (
    <dl className="facts">
      <div>
        <dt>Version</dt>
        <dd>
          <Foreign text={app.version} max={60} />
        </dd>
      </div>
      {entry !== undefined && (
        <div>
          <dt>Source</dt>
          <dd>
            <Foreign text={entry.sourceId} max={80} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function useInstalled({ id }: AppEntry): InstalledEntry | undefined {
  const { data } = useQuery(installed);
  return Array.isArray(data) ? data.find((entry) => entry.id === id) : undefined;
}

function Failed({ app }: { readonly app: AppEntry }) {
  const reason = useInstalled(app)?.reason;
  return (
    <Notice
      tone="bad"
      title="It is not running"
      text={reason ?? 'The host did not record a reason. Turn it off and on again to start it afresh.'}
    />
  );
}

function AdminFacts({ app, manage }: { readonly app: AppEntry; readonly manage: boolean }) {
  const entry = useInstalled(app);
  return (
    <>
      <Facts app={app} entry={entry} />
      <MoreDetails entry={entry} open={manage} />
      <Replaces key={`replaces-${app.id}`} addonId={app.id} />
      <RecentOutput key={`output-${app.id}`} addonId={app.id} title={titleOf(app)} />
      <Limits key={`limits-${app.id}`} addonId={app.id} />
    </>
  );
}
