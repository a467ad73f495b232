/** One source: what it is, what was last learned from it, and what an administrator can do with it. */
import { useState } from 'react';
import type { SourceView } from '../../../src/contract/api.ts';
import { asApiError } from '../api/client.ts';
import { sources } from '../api/lists.ts';
import { readAgain, removeSource, switchSource } from '../api/sources.ts';
import { type Words, wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { Chip } from '../parts/chip.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { Notice } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';
import { ago, plural, when } from '../text/format.ts';
import { EditSource } from './edit-source.tsx';
import { Signer } from './signer.tsx';

const KIND_WORDS = { addon: 'Add-ons', backend: 'Backends', model: 'Models' } as const;

/** This server reads add-ons and backends from library indexes; everything else is kept for others that share the list. */
const isRead = ({ kind, format }: SourceView) => kind !== 'model' && format === 'library';

export function SourceRow({ source }: { readonly source: SourceView }) {
  const [busy, setBusy] = useState<'refresh' | 'switch'>();
  const [problem, setProblem] = useState<Words>();
  const [open, setOpen] = useState<'edit' | 'remove'>();
  const act = async (kind: 'refresh' | 'switch', run: () => Promise<string>) => {
    if (busy !== undefined) return;
    setBusy(kind);
    setProblem(undefined);
    try {
      announce(await run());
    } catch (thrown) {
      setProblem(wordsFor(asApiError(thrown)));
    } finally {
      await sources.refresh();
      setBusy(undefined);
    }
  };
  const { id, name, enabled } = source;
  const refresh = () =>
    act('refresh', async () => `${name} was read: ${plural((await readAgain(id)).count, 'release')}.`);
  const turn = (on: boolean, word: string) =>
    act('switch', async () => {
      await switchSource(id, on);
      return `${name} was ${word}.`;
    });
  const remove = () =>
    act('switch', async () => {
      setOpen(undefined);
      await removeSource(id);
      return `${name} was removed.`;
    });
  const editable = source.kind === 'addon' && source.format === 'library' && !servedHere(source);
  return (
    <li className={source.removed ? 'row row-removed' : 'row'} data-source={id}>
      <div className="row-main">
        <h2>
          <Foreign text={name || id} max={80} /> <span className="tag">{KIND_WORDS[source.kind]}</span>
          {source.format === 'gallery' && <span className="tag">Gallery</span>}
          {source.default && <span className="tag">Default</span>}
        </h2>
        <p className="row-url">
          <Foreign text={source.url} max={200} />
        </p>
        <State source={source} />
        {isRead(source) && <p className="row-policy">{policyWords(source)}</p>}
        {isRead(source) && <RequiredSigner policy={source.policy} />}
      </div>
      <div className="row-actions">
        {source.removed ? (
          <button type="button" className="btn btn-small" onClick={() => void turn(true, 'restored')}>
            Restore<span className="visually-hidden"> {name}</span>
          </button>
        ) : (
          <>
            {isRead(source) && (
              <button
                type="button"
                className="btn btn-small"
                aria-disabled={busy !== undefined || !enabled}
                onClick={() => enabled && void refresh()}
              >
                <Icon name="refresh" size={16} />
                {busy === 'refresh' ? 'Reading…' : 'Read again'}
                <span className="visually-hidden"> {name}</span>
              </button>
            )}
            <button
              type="button"
              role="switch"
              aria-checked={enabled}
              className="switch"
              aria-disabled={busy !== undefined || source.suspended}
              onClick={() => !source.suspended && void turn(!enabled, enabled ? 'turned off' : 'turned on')}
            >
              <span className="switch-track" aria-hidden="true" />
              <span className="visually-hidden">{name} is in use</span>
              <span aria-hidden="true">{enabled ? 'On' : 'Off'}</span>
            </button>
            <Menu
              label={`More for ${name}`}
              items={[
                ...(editable ? [{ label: 'Edit…', act: () => setOpen('edit') }] : []),
                { label: 'Remove…', danger: true, act: () => setOpen('remove') },
              ]}
            />
          </>
        )}
      </div>
      {source.conflict !== undefined && (
        <Notice tone="warn" title="Another source lists the same" text={source.conflict} />
      )}
      {enabled && source.refresh?.failed === true && source.refresh.message !== undefined && (
        <Notice tone="warn" title="It could not be read" text={source.refresh.message} />
      )}
      {problem !== undefined && <Notice tone="bad" role="alert" {...problem} />}
      {open === 'edit' && <EditSource source={source} onClose={() => setOpen(undefined)} />}
      {open === 'remove' && (
        <RemoveSource source={source} onRemove={() => void remove()} onClose={() => setOpen(undefined)} />
      )}
    </li>
  );
}

/** The library that the server serves itself has no address of its own to edit. */
const servedHere = ({ default: shipped, policy }: SourceView) => shipped && policy.allowLoopbackHTTP === true;

interface RemoveProps {
  readonly source: SourceView;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

function RemoveSource({ source, onRemove, onClose }: RemoveProps) {
  return (
    <Dialog title="Remove this source?" submit="Remove" danger onSubmit={onRemove} onClose={onClose}>
      <p>
        Nothing is found or installed from{' '}
        <strong>
          <Foreign text={source.name || source.id} max={80} />
        </strong>{' '}
        any more.
      </p>
      <p>What was installed from it stays installed, keeps its data and keeps running.</p>
      {source.default && <p>It stays in this list as removed, and you can restore it.</p>}
    </Dialog>
  );
}

function State({ source }: { readonly source: SourceView }) {
  const { enabled, removed, suspended, refresh } = source;
  const off = removed
    ? 'Removed'
    : suspended
      ? 'Off with the official libraries'
      : !enabled
        ? 'Off'
        : !isRead(source)
          ? 'On; this server does not read it'
          : undefined;
  if (off !== undefined || refresh === undefined) {
    return (
      <p className="row-state">
        <Chip tone="quiet" icon={removed ? 'trash' : off === undefined ? 'clock' : 'pause'}>
          {off ?? 'Not read yet'}
        </Chip>
      </p>
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
      {refresh.skipped !== undefined && (
        <span>
          {refresh.skipped === 1 ? '1 entry' : `${refresh.skipped} entries`} left out:{' '}
          <Foreign text={(refresh.skippedKinds ?? []).join(', ')} max={80} />
        </span>
      )}
    </p>
  );
}

function RequiredSigner({ policy: { requireSignature, issuer, identity, identityRegex } }: Pick<SourceView, 'policy'>) {
  const name = identity ?? identityRegex;
  if (!requireSignature || issuer === undefined || name === undefined) return null;
  return (
    <p className="row-policy">
      {identity === undefined ? 'Signer by the pattern ' : 'Signer: '}
      <Signer identity={name} issuer={issuer} />
    </p>
  );
}

function policyWords({ policy }: SourceView): string {
  const loopback = policy.allowLoopbackHTTP === true ? ' Read over plain HTTP on this machine.' : '';
  return `${policy.requireSignature ? 'Every package must be signed.' : 'No signature is required; packages are pinned by digest.'}${loopback}`;
}
