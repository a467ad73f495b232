/** Sources: the libraries that add-ons come from, what was last learned from each, and turning them on and off. */
import { useState } from 'react';
import type { SourceView } from '../../../src/contract/api.ts';
import { asApiError, dispatch, newOperationId } from '../api/client.ts';
import { sources } from '../api/lists.ts';
import { useQuery } from '../api/query.ts';
import { type Words, wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { Chip } from '../parts/chip.tsx';
import { Icon } from '../parts/icons.tsx';
import { Empty, Notice, Skeletons } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { ago, plural, when } from '../text/format.ts';

export function Sources() {
  const { data, error, outdated } = useQuery(sources);
  if (data === 'denied') return <Empty icon="shield" title="For administrators" />;
  if (data === undefined) {
    return error === undefined ? (
      <Skeletons count={2} kind="row" />
    ) : (
      <Notice tone="bad" role="alert" {...wordsFor(error)} />
    );
  }
  return (
    <>
      {outdated && <Notice tone="warn" role="status" title="This list may be out of date" />}
      <p className="lead">
        A source lists add-ons with the digest of each package. A package is used only when its bytes match that digest.
      </p>
      {data.length === 0 ? (
        <Empty icon="source" title="No sources">
          <p>
            Add one in a terminal: <code>castellan library add --id ID --url URL</code>
          </p>
        </Empty>
      ) : (
        <ul className="rows">
          {data.map((source) => (
            <SourceRow key={`${source.kind}/${source.id}`} source={source} />
          ))}
        </ul>
      )}
    </>
  );
}

function SourceRow({ source }: { readonly source: SourceView }) {
  const [busy, setBusy] = useState<'refresh' | 'switch'>();
  const [problem, setProblem] = useState<Words>();
  const act = async (kind: 'refresh' | 'switch', run: () => Promise<string>) => {
    if (busy !== undefined) return;
    setBusy(kind);
    setProblem(undefined);
    try {
      announce(await run());
    } catch (thrown) {
      const words = wordsFor(asApiError(thrown));
      setProblem(words);
    } finally {
      await sources.refresh();
      setBusy(undefined);
    }
  };
  const refresh = () =>
    act('refresh', async () => {
      const answer = await dispatch<{ count: number }>({
        action: 'catalog-source-refresh',
        operationId: newOperationId('refresh'),
        arguments: { sourceId: source.id },
      });
      return `${source.name} was read: ${plural(answer.count, 'release')}.`;
    });
  const toggle = () =>
    act('switch', async () => {
      const { id, name, url, enabled, policy, authReference } = source;
      await dispatch({
        action: 'catalog-source-save',
        operationId: newOperationId('source'),
        arguments: {
          id,
          name,
          url,
          enabled: !enabled,
          policy,
          ...(authReference === undefined ? {} : { authReference }),
        },
      });
      return `${name} was turned ${enabled ? 'off' : 'on'}.`;
    });
  return (
    <li className="row" data-source={source.id}>
      <div className="row-main">
        <h2>
          <Foreign text={source.name || source.id} max={80} />
          {source.default && <span className="tag">Built in</span>}
          {source.kind !== 'addon' && <span className="tag">{source.kind}</span>}
        </h2>
        <p className="row-url">
          <Foreign text={source.url} max={200} />
        </p>
        <RefreshState source={source} />
        <p className="row-policy">{policyWords(source)}</p>
      </div>
      <div className="row-actions">
        <button
          type="button"
          className="btn btn-small"
          aria-disabled={busy !== undefined || !source.enabled}
          onClick={() => source.enabled && void refresh()}
        >
          <Icon name="refresh" size={16} />
          {busy === 'refresh' ? 'Reading…' : 'Read again'}
          <span className="visually-hidden"> {source.name}</span>
        </button>
        <button
          type="button"
          role="switch"
          aria-checked={source.enabled}
          className="switch"
          aria-disabled={busy !== undefined}
          onClick={() => void toggle()}
        >
          <span className="switch-track" aria-hidden="true" />
          <span className="visually-hidden">{source.name} is in use</span>
          <span aria-hidden="true">{source.enabled ? 'On' : 'Off'}</span>
        </button>
      </div>
      {problem !== undefined && <Notice tone="bad" role="alert" {...problem} />}
    </li>
  );
}

function RefreshState({ source: { enabled, refresh } }: { readonly source: SourceView }) {
  if (!enabled) {
    return (
      <Chip tone="quiet" icon="pause">
        Off
      </Chip>
    );
  }
  if (refresh === undefined) {
    return (
      <Chip tone="quiet" icon="clock">
        Not read yet
      </Chip>
    );
  }
  return (
    <p className="row-state">
      <Chip tone={refresh.failed ? 'bad' : 'good'} icon={refresh.failed ? 'warn' : 'check'}>
        {refresh.failed ? 'Last read failed' : plural(refresh.count, 'release')}
      </Chip>
      <span title={when(refresh.checkedAt)}>checked {ago(refresh.checkedAt)}</span>
      {refresh.failed && (
        <span>{refresh.lastSuccess === undefined ? 'never read' : `last read ${ago(refresh.lastSuccess)}`}</span>
      )}
    </p>
  );
}

function policyWords({ policy }: SourceView): string {
  const loopback = policy.allowLoopbackHTTP === true ? ' Read over plain HTTP on this machine.' : '';
  return `${policy.requireSignature ? 'Every package must be signed.' : 'No signature is required; packages are pinned by digest.'}${loopback}`;
}
