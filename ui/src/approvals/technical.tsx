/** What is behind the words of a card: its arguments as they are stored, and the numbers a careful person may compare. */
import { useState } from 'react';
import type { ProposalView } from '../../../src/contract/api.ts';
import { Icon } from '../parts/icons.tsx';
import { Foreign } from '../text/foreign.tsx';
import { when } from '../text/format.ts';

const FIRST = 2_000;
const MOST = 200_000;

export function Technical({ view }: { readonly view: ProposalView }) {
  const [open, setOpen] = useState(false);
  const [max, setMax] = useState(FIRST);
  return (
    <details className="technical" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="down" size={16} /> Arguments and identity
      </summary>
      {open && (
        <>
          <dl className="facts">
            <div>
              <dt>Proposal</dt>
              <dd>
                <code>{view.id}</code>
              </dd>
            </div>
            <div>
              <dt>Resource</dt>
              <dd>
                <code>{view.resourceId}</code>
              </dd>
            </div>
            <div>
              <dt>Prepared</dt>
              <dd>
                {when(view.createdAt)}, for version {view.revision.schema}.{view.revision.data} of the data
              </dd>
            </div>
            <div>
              <dt>Digest</dt>
              <dd>
                <code className="digest">{view.digest}</code>
              </dd>
            </div>
          </dl>
          <Arguments view={view} max={max} />
          {max === FIRST && JSON.stringify(view.arguments).length > FIRST && (
            <button type="button" className="btn btn-small" onClick={() => setMax(MOST)}>
              Show more of the arguments
            </button>
          )}
        </>
      )}
    </details>
  );
}

function Arguments({ view, max }: { readonly view: ProposalView; readonly max: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="arguments" aria-label="Arguments" tabIndex={0}>
      <pre>
        <Foreign text={JSON.stringify(view.arguments, null, 2)} max={max} lines />
      </pre>
    </section>
  );
}
