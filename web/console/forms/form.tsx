import type { FormEvent, ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { FailureNote } from '../../ui/failure.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import styles from './form.module.css';

export interface FormProps {
  className?: string | undefined;
  /** The text of the button that submits, and its text while the request runs. */
  verb: readonly [word: string, ing: string];
  danger?: boolean;
  /** True if the button is as wide as the form and in a row of its own. */
  wide?: boolean;
  pending: boolean;
  /** The reason why the form cannot be submitted. */
  offBecause?: string | null;
  error: Error | null;
  /** True if the button has the focus at first, because the form has no fields. */
  focusesVerb?: boolean;
  /** Buttons and remarks that follow the button. */
  aside?: ReactNode;
  onSubmit: () => void;
  children: ReactNode;
}

/** Form with its fields, the error of its request, and a button that submits it. */
export function Form({
  className,
  verb,
  danger = false,
  wide = false,
  pending,
  offBecause = null,
  error,
  focusesVerb = false,
  aside,
  onSubmit,
  children,
}: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!pending && offBecause === null) onSubmit();
  };
  const buttons = (
    <>
      <Button
        kind={danger ? 'danger' : 'first'}
        wide={wide}
        type="submit"
        busy={pending && verb[1]}
        offBecause={offBecause}
        data-autofocus={focusesVerb || undefined}
      >
        {verb[0]}
      </Button>
      {aside}
    </>
  );
  return (
    // The browser checks fields only in a wide form, which shows no messages of its own.
    <form className={classNames(styles.form, className)} onSubmit={submit} noValidate={!wide}>
      {children}
      {error && <FailureNote facts={failureFacts(error)} />}
      {wide ? buttons : <div className="buttons">{buttons}</div>}
    </form>
  );
}
