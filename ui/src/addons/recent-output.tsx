/** What an add-on wrote last, read again while it is open: its own words, shown as such. */
import { useLayoutEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { useOwnQuery, useQuery } from '../api/query.ts';
import { wordsFor } from '../api/words.ts';
import { Icon } from '../parts/icons.tsx';
import { Foreign } from '../text/foreign.tsx';
import { plural } from '../text/format.ts';

const EVERY_MS = 2_000;
const LONGEST_LINE = 4_096;

/** Nothing is asked for until someone opens it. */
export function RecentOutput({ addonId, title }: { readonly addonId: string; readonly title: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="more" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="down" size={16} /> Recent output
      </summary>
      {open && <Lines addonId={addonId} title={title} />}
    </details>
  );
}

function Lines({ addonId, title }: { readonly addonId: string; readonly title: string }) {
  const path = `/api/admin/addons/${encodeURIComponent(addonId)}/log`;
  const query = useOwnQuery(addonId, (signal) => call<{ lines: readonly string[] }>(path, { signal }), EVERY_MS);
  const { data, error } = useQuery(query);
  const box = useRef<HTMLElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box follows the lines it was given
  useLayoutEffect(() => {
    if (atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [data]);
  if (data === undefined) return <p>{error === undefined ? 'Loading…' : wordsFor(error).text}</p>;
  if (data.lines.length === 0) return <p>It has written nothing since the server started.</p>;
  return (
    <>
      <section
        ref={box}
        className="output"
        aria-label={`Recent output of ${title}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable with the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < 4;
        }}
      >
        {data.lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity besides their place
          <div key={index}>
            <Foreign text={line} max={LONGEST_LINE} />
          </div>
        ))}
      </section>
      <p className="field-hint">
        The last {plural(data.lines.length, 'line')}. The server's own log has all of them.
        {error !== undefined && ' They may be out of date.'}
      </p>
    </>
  );
}
