import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import type { SignedInBuilder } from '../../../contract/admin.ts';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { ApiFailure, failureFacts } from '../data/api-failure.ts';
import { builder, canUsePasskeys, isCancelled, signIn, signInWithPasskey } from '../data/session.ts';
import { AddSecondFactor } from './add-second-factor.tsx';
import { AuthLayout, coverForm, coverTitle } from './auth-layout.tsx';
import { Questions } from './questions.tsx';
import { LockedOut, SecondFactor } from './second-factor.tsx';

/**
 * Signs in with e-mail and password or with a passkey. Then it asks for the second factor, or lets the builder add one,
 * and returns to the requested page.
 */
export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { next } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const { data: known } = useQuery(builder());
  const signingIn = useMutation(signIn());
  const byPasskey = useMutation(signInWithPasskey());
  const { mutate, isPending } = signingIn;
  const error = signingIn.error ?? (isCancelled(byPasskey.error) ? null : byPasskey.error);

  const mustAdd = known?.must_add_second_factor ?? false;
  const [isAdding, setIsAdding] = useState(mustAdd);
  useEffect(() => {
    if (mustAdd) setIsAdding(true);
  }, [mustAdd]);

  useEffect(() => {
    document.title = 'Sign in · Ninefold';
  }, []);

  const proceed = () => {
    // Follows only a path of this console, never an address of another origin.
    const to = next?.startsWith('/app/') ? next : '/';
    void router.navigate({ href: to });
  };
  const back = () => {
    setPassword('');
    setIsAdding(false);
  };
  const onSuccess = (signedIn: SignedInBuilder) => {
    if (!signedIn.needs_second_factor && !signedIn.must_add_second_factor) proceed();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) mutate({ email, password }, { onSuccess });
  };
  if (known?.needs_second_factor) {
    return (
      <AuthLayout right={<Questions />}>
        <SecondFactor onDone={proceed} onBack={back} />
      </AuthLayout>
    );
  }
  if (known && isAdding) {
    return (
      <AuthLayout right={<Questions />}>
        <AddSecondFactor isAdded={!mustAdd} onDone={proceed} onBack={back} />
      </AuthLayout>
    );
  }
  const wrong = error instanceof ApiFailure && error.code === 'invalid_credentials';
  return (
    <AuthLayout right={<Questions />}>
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
        {canUsePasskeys() && (
          <Button
            wide
            busy={byPasskey.isPending && 'Waiting for the device'}
            onClick={() => byPasskey.mutate(undefined, { onSuccess })}
          >
            Use a passkey
          </Button>
        )}
        <LockedOut />
      </form>
    </AuthLayout>
  );
}
