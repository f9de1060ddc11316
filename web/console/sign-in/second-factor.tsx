import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ApiFailure } from '../queries/api-failure.ts';
import {
  canUsePasskeys,
  factorName,
  isCancelled,
  ownFactors,
  showFactor,
  showSecurityKey,
  signOut,
} from '../queries/session.ts';
import { CoverForm, coverTitle } from './auth-layout.tsx';

/** Asks a builder for the second factor, after the password or the passkey. */
export function SecondFactor({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const [code, setCode] = useState('');
  const factors = (useQuery(ownFactors()).data ?? []).filter(({ status }) => status === 'verified');
  const { mutate, isPending, error } = useMutation(showFactor());
  const byKey = useMutation(showSecurityKey());
  const leaving = useMutation({ mutationFn: signOut, onSuccess: onBack });
  const wrong = error instanceof ApiFailure && error.code === 'mfa_verification_failed';
  const failed = leaving.error ?? (isCancelled(byKey.error) ? null : byKey.error) ?? (wrong ? null : error);
  const keys = canUsePasskeys() ? factors.filter(({ factor_type: type }) => type === 'webauthn') : [];
  return (
    <CoverForm
      verb={['Continue', 'Checking']}
      pending={isPending}
      error={failed}
      aside={
        <>
          <Button kind="quiet" wide busy={leaving.isPending && 'Signing out'} onClick={() => leaving.mutate()}>
            Sign in as another builder
          </Button>
          <LockedOut />
        </>
      }
      onSubmit={() => mutate(code, { onSuccess: onDone })}
    >
      <h1 className={coverTitle}>Second factor</h1>
      {keys.map((factor) => (
        <Button
          key={factor.id}
          wide
          busy={byKey.isPending && byKey.variables === factor.id && 'Waiting for the key'}
          onClick={() => byKey.mutate(factor.id, { onSuccess: onDone })}
        >
          Use {factorName(factor)}
        </Button>
      ))}
      <TextInput
        label="Code"
        description="Enter the code of your authenticator app, or a recovery code"
        name="code"
        autoComplete="one-time-code"
        required
        autoFocus
        value={code}
        error={wrong ? 'This code is wrong or used.' : null}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </CoverForm>
  );
}

/** Describes how a builder can recover an account without its password or its second factors. The node sends no mail for this. */
export function LockedOut() {
  return (
    <p className="soft">
      Locked out? The operator of this node creates a link with <code>ninefold builders recover</code>.
    </p>
  );
}
