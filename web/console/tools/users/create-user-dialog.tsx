import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import styles from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { ApiFailure } from '../../queries/api-failure.ts';
import { createUser } from '../../queries/users.ts';
import { makePassword } from './make-password.ts';
import { PasswordField, passwordFault } from './password-field.tsx';

/** Creates an account and opens the panel of its user. */
export function CreateUserDialog({
  appRef,
  onMade,
  onClose,
}: {
  appRef: string;
  onMade: (id: string) => void;
  onClose: () => void;
}) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState(makePassword);
  const [confirmed, setConfirmed] = useState(true);
  const [tried, setTried] = useState(false);
  const { mutate, isPending, error } = useMutation(createUser(appRef));
  const emailFault = /^\S+@\S+$/.test(email.trim()) ? null : 'An address looks like ada@example.com.';
  const taken = error instanceof ApiFailure && error.code === 'email_exists';

  const submit = () => {
    setTried(true);
    if (emailFault || passwordFault(password)) return;
    mutate({ email: email.trim(), password, email_confirm: confirmed }, { onSuccess: (made) => onMade(made.id) });
  };
  return (
    <FormDialog
      title="Create user"
      verb={['Create user', 'Creating user']}
      pending={isPending}
      error={taken ? null : error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label="E-mail"
        type="email"
        placeholder="ada@example.com"
        error={(tried && emailFault) || (taken && error.message)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordField
        label="Password"
        value={password}
        fault={tried ? passwordFault(password) : null}
        onChange={setPassword}
      />
      <label className={styles.check}>
        <input type="checkbox" checked={confirmed} onChange={(event) => setConfirmed(event.currentTarget.checked)} />
        The address counts as confirmed
      </label>
      <p className={styles.words}>Ninefold sends no mail. Give the password to the user: it is not shown again.</p>
    </FormDialog>
  );
}
