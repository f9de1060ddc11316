import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import styles from './form.module.css';
import { FormDialog } from './form-dialog.tsx';

/** Dialog for an action that cannot be undone. Its button works only after the builder has typed a name. */
export function ConfirmByTyping({
  title,
  name,
  verb,
  pending,
  error,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** The name that the builder must type. */
  name: string;
  /** The text of the button, and its text while the request runs. */
  verb: readonly [word: string, ing: string];
  pending: boolean;
  error: Error | null;
  onConfirm: (typed: string) => void;
  onClose: () => void;
  /** Description of the data that will be lost. */
  children: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      {...{ title, verb, pending, error, onClose }}
      danger
      offBecause={typed === name ? null : `Type ${name} first.`}
      onSubmit={() => onConfirm(typed)}
    >
      <div className={styles.confirmByTypingWords}>{children}</div>
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
    </FormDialog>
  );
}
