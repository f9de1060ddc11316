import { PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { limits } from '../../../contract/limits.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { failureFacts } from '../data/api-failure.ts';
import { recover } from '../data/team.ts';
import { AuthLayout, coverForm, coverTitle } from './auth-layout.tsx';
import { Questions } from './questions.tsx';
import { secretOfLink } from './secret-of-link.ts';
import styles from './setup.module.css';

/** Sets a new password with the link that `ninefold builders recover` prints. */
export function Recovery() {
  const [secret] = useState(secretOfLink);
  const [password, setPassword] = useState('');
  const { mutate, isPending, isSuccess, error } = useMutation(recover());
  useEffect(() => {
    document.title = 'New password · Ninefold';
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate({ secret, password });
  };
  if (isSuccess) {
    return (
      <AuthLayout right={<Questions />}>
        <div className={coverForm}>
          <div>
            <h1 className={coverTitle}>New password set</h1>
            <p className={styles.words}>All your earlier sessions have ended.</p>
          </div>
          <Link to="/sign-in" className={buttonClass({ kind: 'first', wide: true })}>
            Sign in
          </Link>
        </div>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout right={<Questions />}>
      <form className={coverForm} onSubmit={submit}>
        <h1 className={coverTitle}>New password</h1>
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="new-password"
          required
          autoFocus
          minLength={limits.builderPasswordMinCharacters.default}
          description={`At least ${limits.builderPasswordMinCharacters.default} characters`}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {error && <FailureNote facts={failureFacts(error)} />}
        <Button kind="first" wide type="submit" busy={isPending && 'Setting password'}>
          Set password
        </Button>
      </form>
    </AuthLayout>
  );
}
