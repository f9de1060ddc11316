import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import styles from './form.module.css';

/** Dialog with a form: text, fields, error, and one button that submits. */
export function UserForm({
  title,
  verb,
  danger = false,
  pending,
  error,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** The text of the button, and its text while the request runs. */
  verb: readonly [word: string, ing: string];
  danger?: boolean;
  pending: boolean;
  error: Error | null;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!pending) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className={styles.form} onSubmit={submit} noValidate>
        {children}
        {error && <FailureNote facts={failureFacts(error)} />}
        <div className={styles.buttons}>
          <Button kind={danger ? 'danger' : 'first'} type="submit" busy={pending && verb[1]}>
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
