/** Asks for the code that `--local-confirm-code` shows in the server's terminal, so that a program cannot confirm alone. */
import { useId, useState } from 'react';
import { asApiError, call } from '../api/client.ts';
import { wordsFor } from '../api/words.ts';
import { Dialog } from './dialog.tsx';

interface Props {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function CodeDialog({ onDone, onClose }: Props) {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const hint = useId();
  const send = async () => {
    const entered = code.trim();
    if (entered === '') {
      setProblem('Type the code first.');
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await call('/api/local-confirm', { method: 'POST', body: { code: entered } });
      onDone();
    } catch (thrown) {
      const error = asApiError(thrown);
      setProblem(
        error.status === 403 ? 'That is not the code. Look again; nothing was confirmed.' : wordsFor(error).text,
      );
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Prove that you are at the server"
      submit="Continue"
      busy={busy}
      onSubmit={() => void send()}
      onClose={onClose}
    >
      <p>
        This server confirms changes only from a browser that knows the code shown in its terminal. It is asked for
        once.
      </p>
      <label>
        Code from the terminal
        <input
          type="text"
          value={code}
          maxLength={128}
          autoComplete="one-time-code"
          spellCheck={false}
          aria-describedby={hint}
          aria-invalid={problem !== undefined}
          onChange={(event) => setCode(event.target.value)}
        />
      </label>
      <p id={hint} className="field-problem" role="alert">
        {problem}
      </p>
    </Dialog>
  );
}
