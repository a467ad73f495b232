/** What the add-on that runs commands says of their isolation: in doubt the page warns, and never calls it safe (17:163-169). */
import type { ExecutionView } from '../../../src/contract/tool-providers.ts';
import { Notice } from '../parts/notice.tsx';
import { Foreign } from '../text/foreign.tsx';

interface Props {
  readonly addonId: string;
  /** Undefined: the last question had no answer. */
  readonly view: ExecutionView | undefined;
}

/** An answer about another add-on says nothing of this one. */
export function ExecutionStatus({ addonId, view }: Props) {
  const mine = view?.provider?.addonId === addonId ? view : undefined;
  const isolation = mine?.status.isolation ?? 'unknown';
  const why = mine?.status.explanation ?? mine?.reason;
  return (
    <section aria-label="Isolation of commands">
      {isolation === 'isolated' && <p>The add-on says that its commands are isolated from this server.</p>}
      {isolation === 'host' && (
        <Notice
          tone="warn"
          title="Commands are not isolated"
          text="The add-on says that it runs commands on this server itself. They can reach what the server can reach."
        />
      )}
      {isolation === 'unknown' && (
        <Notice
          tone="warn"
          title={mine?.status.readiness === 'unavailable' ? 'It cannot run commands now' : 'Isolation is not known'}
          text="Treat its commands as if they ran on this server itself."
        />
      )}
      {why !== undefined && (
        <p className="field-hint">
          <Foreign text={why} max={512} />
        </p>
      )}
      <p className="field-hint">
        {mine?.status.networkPolicyEnforced === true
          ? 'It says that all connections of its commands follow the network policy.'
          : 'It is not verified that its commands follow the network policy.'}
      </p>
    </section>
  );
}
