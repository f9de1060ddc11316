import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { ApiFailure, failureFacts } from '../data/api-failure.ts';
import { signIn } from '../data/session/sign-in.ts';
import { Cover, coverForm, coverTitle } from './cover.tsx';
import { Questions } from './questions.tsx';

/** Sign in with e-mail and password; then back to where one came from. */
export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { next } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const { mutate, isPending, error } = useMutation(signIn());

  useEffect(() => {
    document.title = 'Sign in · Ninefold';
  }, []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Only a path of this console: an address of elsewhere is not followed.
    const to = next?.startsWith('/app/') ? next : '/';
    const onSuccess = () => void router.navigate({ href: to });
    if (!isPending) mutate({ email, password }, { onSuccess });
  };
  const wrong = error instanceof ApiFailure && error.code === 'invalid_credentials';
  return (
    <Cover right={<Questions />}>
      <form className={coverForm} onSubmit={submit}>
        <h1 className={coverTitle}>Sign in</h1>
        <TextInput
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          error={wrong ? 'E-mail or password is wrong.' : null}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {error && !wrong && <FailureNote facts={failureFacts(error)} />}
        <Button kind="first" wide type="submit" busy={isPending && 'Signing in'}>
          Sign in
        </Button>
      </form>
    </Cover>
  );
}
