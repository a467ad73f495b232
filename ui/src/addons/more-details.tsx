/** What an administrator may want to know about an installed add-on: health, trust, compatibility and storage. */
import type { ReactNode } from 'react';
import type { HostOpsView, InstalledEntry } from '../../../src/contract/api.ts';
import { Icon } from '../parts/icons.tsx';
import { Foreign } from '../text/foreign.tsx';
import { plural, size, when } from '../text/format.ts';
import { Signer } from './signer.tsx';

export function MoreDetails({ entry, open }: { readonly entry: InstalledEntry | undefined; readonly open: boolean }) {
  return (
    <details className="more" open={open}>
      <summary>
        <Icon name="down" size={16} /> More details
      </summary>
      {entry === undefined ? <p>These details are not known just now.</p> : <Groups entry={entry} />}
    </details>
  );
}

function Groups({ entry }: { readonly entry: InstalledEntry }) {
  const { storage, platform, compatibility } = entry;
  return (
    <dl className="facts">
      <Fact name="Installed">{entry.installedAt === undefined ? 'unknown' : when(entry.installedAt)}</Fact>
      <Fact name="Restarts">
        {plural(entry.restarts, 'restart')} by the supervisor
        {entry.restartReason !== undefined && (
          <>
            , the last because <Foreign text={entry.restartReason} max={300} />
          </>
        )}
      </Fact>
      <Fact name="Verified by">
        {entry.verification === 'sha256' ? 'its digest (no signature)' : 'its digest and its signature'}
      </Fact>
      {entry.signer !== undefined && (
        <Fact name="Signed by">
          <Signer {...entry.signer} />
        </Fact>
      )}
      <Fact name="Digest">
        <code className="digest">
          <Foreign text={entry.digest} max={80} />
        </code>
      </Fact>
      <Fact name="Chosen as">
        <Foreign text={entry.selection || entry.channel || 'version'} max={60} />
      </Fact>
      <Fact name="Runs on">
        {platform.os}/{platform.arch}
      </Fact>
      {Object.entries(compatibility).map(([name, range]) => (
        <Fact key={name} name={`Fits ${name}`}>
          <Foreign text={rangeWords(range)} max={60} />
        </Fact>
      ))}
      <Fact name="Data">
        {storage.truncated ? 'at least ' : ''}
        {size(storage.bytes)}
      </Fact>
      {entry.hostOperations === undefined ? null : <HostOperations asked={entry.hostOperations} />}
      <Fact name="Kept versions">{plural(entry.generations, 'generation')}</Fact>
    </dl>
  );
}

/** What it may ask the server to do for it: by name, and whether the server's settings allow it. */
function HostOperations({ asked }: { readonly asked: HostOpsView }) {
  const group = (name: string, operations: readonly string[]) =>
    operations.length === 0 ? null : (
      <Fact name={name}>
        {operations.map((operation) => (
          <div key={operation}>
            <code>{operation}</code> {asked.granted.includes(operation) ? 'allowed' : 'not allowed by this server'}
          </div>
        ))}
      </Fact>
    );
  return (
    <>
      {group('Needs from the server', asked.required)}
      {group('Can use from the server', asked.optional)}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function rangeWords(range: unknown): string {
  if (typeof range !== 'object' || range === null) return JSON.stringify(range);
  const { min, max } = range as { min?: unknown; max?: unknown };
  return min === max ? String(min) : `${String(min)} to ${String(max)}`;
}
