/** Edits an add-on source: whose signature its packages need, and which configured credential reads it (04:147-150; 12:367-371). */
import { useState } from 'react';
import type { SourcePolicy, SourceView } from '../../../src/contract/api.ts';
import { asApiError } from '../api/client.ts';
import { sources } from '../api/lists.ts';
import { saveSource } from '../api/sources.ts';
import { wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { Dialog } from '../parts/dialog.tsx';

interface Props {
  readonly source: SourceView;
  readonly onClose: () => void;
}

export function EditSource({ source, onClose }: Props) {
  const { policy } = source;
  const [name, setName] = useState(source.name);
  const [url, setUrl] = useState(source.url);
  const [signed, setSigned] = useState(policy.requireSignature);
  const [issuer, setIssuer] = useState(policy.issuer ?? '');
  const [identity, setIdentity] = useState(policy.identity ?? '');
  const [reference, setReference] = useState(source.authReference ?? '');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = async () => {
    setBusy(true);
    setProblem(undefined);
    const loopback = policy.allowLoopbackHTTP === true ? { allowLoopbackHTTP: true } : {};
    const signer: SourcePolicy = signed
      ? { requireSignature: true, issuer: issuer.trim(), identity: identity.trim(), ...loopback }
      : { requireSignature: false, ...loopback };
    const named = reference.trim() === '' ? {} : { authReference: reference.trim() };
    const { id, enabled } = source;
    try {
      await saveSource({ id, enabled, name: name.trim(), url: url.trim(), policy: signer, ...named });
      announce(`${name.trim()} was saved.`);
      await sources.refresh();
      onClose();
    } catch (thrown) {
      const words = wordsFor(asApiError(thrown));
      setProblem(`${words.title}. ${words.text}`);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Edit this source"
      submit={busy ? 'Saving…' : 'Save'}
      busy={busy}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <Field label="Name" value={name} onChange={setName} max={128} required />
      <Field label="Address of its index" value={url} onChange={setUrl} required />
      <label className="check">
        <input type="checkbox" checked={signed} onChange={(event) => setSigned(event.target.checked)} />
        <span>Every package must be signed</span>
      </label>
      {signed && (
        <>
          <Field
            label="Who vouches for the signer (issuer)"
            hint="For example https://token.actions.githubusercontent.com"
            value={issuer}
            onChange={setIssuer}
            required
          />
          <Field
            label="Who must have signed (identity)"
            hint="Exactly as it stands in the signing certificate. A package that anyone else signed is refused."
            value={identity}
            onChange={setIdentity}
            required
          />
        </>
      )}
      <Field
        label="Credential, if it needs one"
        hint="The name of a credential in the server's credentials file, never a password."
        value={reference}
        onChange={setReference}
        max={128}
      />
      <p className="field-problem" role="alert">
        {problem}
      </p>
    </Dialog>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly max?: number;
  readonly required?: boolean;
  readonly onChange: (value: string) => void;
}

function Field({ label, hint, value, max = 2048, required = false, onChange }: FieldProps) {
  return (
    <label>
      {label}
      <input
        type="text"
        value={value}
        maxLength={max}
        required={required}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint !== undefined && <span className="field-hint">{hint}</span>}
    </label>
  );
}
