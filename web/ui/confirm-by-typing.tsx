import { TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './confirm-by-typing.module.css';
import { Dialog } from './dialog.tsx';
import { type FailureFacts, FailureNote } from './failure.tsx';

/** A dialog for what cannot be undone: the name must be typed again before the button works. */
export function ConfirmByTyping({
  title,
  name,
  verb,
  busy,
  failure,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** What must be typed, and what it is deleted by. */
  name: string;
  /** The word on the button, and its form while at work. */
  verb: readonly [word: string, ing: string];
  busy: boolean;
  failure?: FailureFacts | null;
  onConfirm: (typed: string) => void;
  onClose: () => void;
  /** What will be lost. */
  children: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === name && !busy) onConfirm(typed);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={submit}>
        <div className={styles.words}>{children}</div>
        <TextInput
          label={
            <span>
              Type <code>{name}</code> to confirm
            </span>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        {failure && <FailureNote facts={failure} />}
        <div className={styles.buttons}>
          <Button
            kind="danger"
            type="submit"
            busy={busy && verb[1]}
            offBecause={typed === name ? null : `Type ${name} first.`}
          >
            {verb[0]}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
