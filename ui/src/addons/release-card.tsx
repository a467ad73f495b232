/** One add-on that a source offers, with Install and turn on. */
import { useRef, useState } from 'react';
import type { AppEntry, Release } from '../../../src/contract/api.ts';
import { sources } from '../api/lists.ts';
import { startOperation, useOperation } from '../api/operations.ts';
import { useQuery } from '../api/query.ts';
import { Link } from '../app/router.tsx';
import { Chip } from '../parts/chip.tsx';
import { Foreign } from '../text/foreign.tsx';
import { plural } from '../text/format.ts';
import { detailAddress } from './address.ts';
import { OperationNote } from './operation-note.tsx';
import { Signer } from './signer.tsx';
import { Tile } from './tile.tsx';

interface Props {
  /** The versions that one source offers of one add-on, as the server orders them. */
  readonly versions: readonly Release[];
  readonly installed: AppEntry | undefined;
}

export function ReleaseCard({ versions, installed }: Props) {
  const [at, setAt] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const release = versions[at] ?? versions[0];
  const operation = useOperation(release?.id ?? '');
  if (release === undefined) return null;
  const title = release.ui?.title || release.name || release.id;
  const install = () => {
    // The button goes while it installs; the focus stays at its card.
    heading.current?.focus({ preventScroll: true });
    startOperation({
      addonId: release.id,
      title,
      action: 'install',
      generation: 0,
      arguments: { sourceId: release.sourceId, version: release.version },
      thenEnable: true,
    });
  };
  return (
    <li className="card" data-release={release.id}>
      <div className="card-head">
        <Tile title={title} />
        <div className="card-name">
          <h2 ref={heading} tabIndex={-1}>
            <Foreign text={title} max={80} />
          </h2>
          <p className="card-source">
            <VersionChoice versions={versions} at={at} onChange={setAt} /> from{' '}
            <Foreign text={release.sourceId} max={60} />
          </p>
        </div>
      </div>
      <p className="card-text">
        <Foreign text={release.ui?.description || release.description || 'No description.'} max={240} />
      </p>
      <RequiredSigner sourceId={release.sourceId} />
      <div className="card-foot">
        {release.ui?.mainPage !== undefined && <span>Adds a page</span>}
        {(release.toolCount ?? 0) > 0 && <span>{plural(release.toolCount ?? 0, 'chat tool')}</span>}
        <div className="card-action">
          {installed !== undefined && operation === undefined ? (
            <>
              <Chip tone="quiet" icon="check">
                Installed
              </Chip>
              <Link href={detailAddress(release.id)}>Details</Link>
            </>
          ) : (
            operation === undefined && (
              <button type="button" className="btn btn-primary btn-small" onClick={install}>
                Install and turn on
                <span className="visually-hidden"> {title}</span>
              </button>
            )
          )}
        </div>
      </div>
      {operation !== undefined && <OperationNote operation={operation} />}
    </li>
  );
}

/** Said before anything is installed; nothing while the sources are not known, or when theirs requires no signature. */
function RequiredSigner({ sourceId }: { readonly sourceId: string }) {
  const list = useQuery(sources).data;
  const policy = Array.isArray(list) ? list.find(({ id }) => id === sourceId)?.policy : undefined;
  if (policy?.requireSignature !== true || policy.identity === undefined || policy.issuer === undefined) return null;
  return (
    <p className="card-source">
      Installs only when signed by <Signer identity={policy.identity} issuer={policy.issuer} />
    </p>
  );
}

function VersionChoice(props: { versions: readonly Release[]; at: number; onChange: (at: number) => void }) {
  const { versions, at, onChange } = props;
  if (versions.length < 2) return <Foreign text={versions[0]?.version ?? ''} max={40} />;
  return (
    <select aria-label="Version" value={at} onChange={(event) => onChange(Number(event.target.value))}>
      {versions.map((release, index) => (
        <option key={`${release.version}/${release.digest}`} value={index}>
          {release.version}
        </option>
      ))}
    </select>
  );
}
