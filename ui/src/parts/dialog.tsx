/** A modal dialog on the browser's own element: focus is kept inside, Escape closes, and focus goes back after it. */
import { type ReactNode, type SubmitEvent, useEffect, useId, useRef } from 'react';

interface Props {
  /** With any name that others chose inside a `Foreign`. */
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly submit: string;
  readonly danger?: boolean;
  readonly busy?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

export function Dialog({ title, children, submit, danger, busy, onSubmit, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy !== true) onSubmit();
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <form onSubmit={send}>
        <h2 id={heading}>{title}</h2>
        {children}
        <div className="dialog-actions">
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={danger === true ? 'btn btn-danger' : 'btn btn-primary'} aria-disabled={busy}>
            {submit}
          </button>
        </div>
      </form>
    </dialog>
  );
}
