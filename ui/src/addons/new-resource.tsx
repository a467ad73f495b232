/** Creates a resource by the person's own hand; one operation id, kept until the answer is final, so it is made once. */
import { useRef, useState } from 'react';
import type { AppEntry } from '../../../src/contract/api.ts';
import { asApiError, call, newOperationId } from '../api/client.ts';
import { resourcesOf } from '../api/lists.ts';
import { wordsFor } from '../api/words.ts';
import { announce } from '../app/announce.tsx';
import { CodeDialog } from '../parts/code-dialog.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Foreign } from '../text/foreign.tsx';
import { nounOf, titleOf } from './names.ts';

const LONGEST_NAME = 120;

export function NewResource({ app, onClose }: { readonly app: AppEntry; readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [busy, setBusy] = useState(false);
  const [asksCode, setAsksCode] = useState(false);
  const [problem, setProblem] = useState<string>();
  const asked = useRef<{ name: string; operationId: string }>(undefined);

  const send = async () => {
    const wanted = name.trim();
    if (wanted === '') {
      setProblem('Give it a name.');
      return;
    }
    if (asked.current?.name !== wanted) asked.current = { name: wanted, operationId: newOperationId('create') };
    const { operationId } = asked.current;
    setBusy(true);
    setProblem(undefined);
    try {
      await call('/api/addons/resources', {
        method: 'POST',
        headers: { 'x-localai-confirm': operationId },
        body: { addonId: app.id, operationId, generation: app.generation, arguments: { name: wanted } },
      });
      announce(`${wanted} was created.`);
      await resourcesOf(app.id).refresh();
      onClose();
    } catch (thrown) {
      const error = asApiError(thrown);
      setBusy(false);
      if (error.code === 'confirm_code_required') {
        setAsksCode(true);
        return;
      }
      const words = wordsFor(error);
      setProblem(
        error.outcomeUnknown
          ? `${words.title}. Press Create again: it is made at most once.`
          : `${words.title}. ${words.text}`,
      );
      if (!error.outcomeUnknown && error.status !== 503 && error.status !== 429) asked.current = undefined;
    }
  };

  if (asksCode) {
    return (
      <CodeDialog
        onClose={onClose}
        onDone={() => {
          setAsksCode(false);
          void send();
        }}
      />
    );
  }
  return (
    <Dialog
      title={
        <>
          New <Foreign text={nounOf(app)} max={40} /> in <Foreign text={titleOf(app)} max={60} />
        </>
      }
      submit={busy ? 'Creating…' : 'Create'}
      busy={busy}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <label>
        Name
        <input
          type="text"
          value={name}
          maxLength={LONGEST_NAME}
          aria-invalid={problem !== undefined}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <p className="field-problem" role="alert">
        {problem}
      </p>
    </Dialog>
  );
}
