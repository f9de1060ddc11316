import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { SignedInBuilder } from '../../../contract/admin.ts';
import { Button } from '../../ui/button.tsx';
import { ApiFailure } from '../queries/api-failure.ts';
import { builder, canUsePasskeys, isCancelled, signIn, signInWithPasskey } from '../queries/session.ts';
import { AddSecondFactor } from './add-second-factor.tsx';
import { AuthLayout, CoverForm, coverTitle } from './auth-layout.tsx';
import { LockedOut, SecondFactor } from './second-factor.tsx';

/**
 * Signs a builder in with e-mail and password, or with a passkey. The page then asks for the second factor if there is
 * one, or lets the builder add one if the node requires it. At the end it opens the page that was requested first.
 */
export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { known, mutate, isPending, byPasskey, error, mustAdd, isAdding, proceed, leave, onSuccess } = useSignIn();
  const back = () => {
    setPassword('');
    leave();
  };
  if (known?.needs_second_factor) {
    return (
      <AuthLayout title="Sign in">
        <SecondFactor onDone={proceed} onBack={back} />
      </AuthLayout>
    );
  }
  if (known && isAdding) {
    return (
      <AuthLayout title="Sign in">
        <AddSecondFactor isAdded={!mustAdd} onDone={proceed} onBack={back} />
      </AuthLayout>
    );
  }
  const wrong = error instanceof ApiFailure && error.code === 'invalid_credentials';
  return (
    <AuthLayout title="Sign in">
      <CoverForm
        verb={['Sign in', 'Signing in']}
        pending={isPending}
        error={wrong ? null : error}
        aside={
          <>
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
          </>
        }
        onSubmit={() => mutate({ email, password }, { onSuccess })}
      >
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
      </CoverForm>
    </AuthLayout>
  );
}

/** Signs a builder in, and then opens the page for the second factor or the page that was requested first. */
function useSignIn() {
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

  const proceed = () => {
    // Opens only a path of this console, so that a link cannot lead to an address of another origin.
    const to = next?.startsWith('/app/') ? next : '/';
    void router.navigate({ href: to });
  };
  const leave = () => setIsAdding(false);
  const onSuccess = (signedIn: SignedInBuilder) => {
    if (!signedIn.needs_second_factor && !signedIn.must_add_second_factor) proceed();
  };
  return { known, mutate, isPending, byPasskey, error, mustAdd, isAdding, proceed, leave, onSuccess };
}
