import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { failureFacts } from '../data/api-failure.ts';
import styles from './form.module.css';

/** Dialog with a form: text, fields, error, a button that submits and one that closes. */
export function FormDialog({
  title,
  width,
  verb,
  danger = false,
  pending,
  offBecause = null,
  error,
  focusesVerb = false,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  /** Width in px. */
  width?: number;
  /** The text of the button, and its text while the request runs. */
  verb: readonly [word: string, ing: string];
  danger?: boolean;
  pending: boolean;
  /** Why the form cannot be submitted. */
  offBecause?: string | null;
  error: Error | null;
  /** True if the button has the focus at first, in a dialog without fields. */
  focusesVerb?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!pending && offBecause === null) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose} {...(width !== undefined && { width })}>
      <form className={styles.form} onSubmit={submit} noValidate>
        {children}
        {error && <FailureNote facts={failureFacts(error)} />}
        <div className="buttons">
          <Button
            kind={danger ? 'danger' : 'first'}
            type="submit"
            busy={pending && verb[1]}
            offBecause={offBecause}
            data-autofocus={focusesVerb || undefined}
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
