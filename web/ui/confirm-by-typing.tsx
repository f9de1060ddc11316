import { TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import styles from './confirm-by-typing.module.css';
import { Dialog } from './dialog.tsx';
import { type FailureFacts, FailureNote } from './failure.tsx';

/** Dialog for an action that cannot be undone: the button works after the name is typed. */
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
  /** The name to type. */
  name: string;
  /** The text of the button, and its text while the request runs. */
  verb: readonly [word: string, ing: string];
  busy: boolean;
  failure?: FailureFacts | null;
  onConfirm: (typed: string) => void;
  onClose: () => void;
  /** Description of the data that will be lost. */
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
