/** Adds a source by its address, and says in plain words what that means. */
import { useState } from 'react';
import type { SourceView } from '../../../src/contract/api.ts';
import { asApiError } from '../api/client.ts';
import { sources } from '../api/lists.ts';
import { addSource } from '../api/sources.ts';
import { wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { Dialog } from '../parts/dialog.tsx';

export function AddSource({ onClose }: { readonly onClose: () => void }) {
  const [kind, setKind] = useState<SourceView['kind']>('addon');
  const [format, setFormat] = useState<SourceView['format']>('library');
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const send = async () => {
    setBusy(true);
    setProblem(undefined);
    const named = name.trim() === '' ? {} : { name: name.trim() };
    try {
      const added = await addSource({ kind, format: kind === 'addon' ? 'library' : format, url: url.trim(), ...named });
      announce(`${added.name} was added and is being read.`);
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
      title="Add a source"
      submit={busy ? 'Adding…' : 'Add'}
      busy={busy}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <p>
        Whoever runs a source decides what it offers here. Its packages are checked against the digests it lists; that
        does not tell you what they do. Add it only if you trust whoever runs it.
      </p>
      <label>
        Address of its index
        <input
          type="url"
          required
          maxLength={2048}
          placeholder="https://"
          value={url}
          aria-invalid={problem !== undefined}
          aria-describedby="source-problem"
          onChange={(event) => setUrl(event.target.value)}
        />
        <span className="field-hint">It begins with https and holds no password.</span>
      </label>
      <label>
        It lists
        <select value={kind} onChange={(event) => setKind(event.target.value as SourceView['kind'])}>
          <option value="addon">Add-ons</option>
          <option value="backend">Backends</option>
          <option value="model">Models</option>
        </select>
      </label>
      {kind !== 'addon' && (
        <label>
          Format
          <select value={format} onChange={(event) => setFormat(event.target.value as SourceView['format'])}>
            <option value="library">Library index</option>
            <option value="gallery">Gallery index</option>
          </select>
        </label>
      )}
      <label>
        Name, if you like
        <input type="text" maxLength={128} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <p className="field-problem" id="source-problem" role="alert">
        {problem}
      </p>
    </Dialog>
  );
}
