/** What became of an action: running with its bytes, failed in plain words, or not known yet with the person's two choices. */
import { checkOperation, dismissOperation, doing, type Operation, retryOperation } from '../api/operations.ts';
import { Notice } from '../parts/notice.tsx';
import { size } from '../text/format.ts';

export function OperationNote({ operation }: { readonly operation: Operation }) {
  const { addonId, action, phase, problem } = operation;
  if (phase === 'working') return <Working operation={operation} />;
  if (phase === 'unknown') {
    return (
      <Notice
        tone="warn"
        title="We do not know yet whether this happened"
        text={`${doing(action)} was asked for, and no final answer came. Nothing else is sent for this add-on until you choose.`}
      >
        <button type="button" className="btn btn-small" onClick={() => void checkOperation(operation)}>
          Check status
        </button>
        <button type="button" className="btn btn-small btn-quiet" onClick={() => dismissOperation(addonId)}>
          Dismiss
        </button>
      </Notice>
    );
  }
  return (
    <Notice tone="bad" title={problem?.title ?? 'That did not work'} text={problem?.text}>
      <button type="button" className="btn btn-small" onClick={() => retryOperation(operation)}>
        Try again
      </button>
      <button type="button" className="btn btn-small btn-quiet" onClick={() => dismissOperation(addonId)}>
        Dismiss
      </button>
    </Notice>
  );
}

const PHASES: Readonly<Record<string, string>> = {
  downloading: 'Downloading',
  verifying: 'Verifying the package',
  publishing: 'Storing the package',
  starting: 'Starting',
};

function Working({ operation }: { readonly operation: Operation }) {
  const { phase, bytes, totalBytes } = operation.progress ?? {};
  const words = (phase === undefined ? undefined : PHASES[phase]) ?? doing(operation.action);
  const known = bytes !== undefined && totalBytes !== undefined && totalBytes > 0;
  return (
    <div className="working">
      <progress
        max={known ? totalBytes : undefined}
        value={known ? Math.min(bytes, totalBytes) : undefined}
        aria-label={words}
      />
      <p className="working-text">
        <span>{words}…</span>
        {bytes !== undefined && (
          <span>
            {size(bytes)}
            {known ? ` of ${size(totalBytes)}` : ''}
          </span>
        )}
      </p>
    </div>
  );
}
