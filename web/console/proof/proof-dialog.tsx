import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import form from '../forms/form.module.css';
import { FormDialog } from '../forms/form-dialog.tsx';
import { ApiFailure } from '../queries/api-failure.ts';
import {
  canUsePasskeys,
  factorName,
  isCancelled,
  ownFactors,
  proveByPasskey,
  proveByPassword,
  showFactor,
  showSecurityKey,
} from '../queries/session.ts';
import type { WaitingCall } from '../queries/waiting-call.ts';

/** Asks the builder for the password, a code, a passkey or a security key. After that, the sensitive request is repeated. */
export function ProofDialog({ call: { does, settle } }: { call: WaitingCall }) {
  const [given, setGiven] = useState('');
  const [isCode, setIsCode] = useState(false);
  const factors = (useQuery(ownFactors()).data ?? []).filter(({ status }) => status === 'verified');
  const byPassword = useMutation(proveByPassword());
  const byCode = useMutation(showFactor());
  const byPasskey = useMutation(proveByPasskey());
  const byKey = useMutation(showSecurityKey());
  const typed = isCode ? byCode : byPassword;
  const wrong =
    typed.error instanceof ApiFailure && ['invalid_credentials', 'mfa_verification_failed'].includes(typed.error.code);
  const failed = [wrong ? null : typed.error, byPasskey.error, byKey.error].find(
    (error) => error && !isCancelled(error),
  );
  const onSuccess = () => settle(true);
  const field = {
    'data-autofocus': true,
    value: given,
    error: wrong && (isCode ? 'This code is wrong or used.' : 'This is not your password.'),
    onChange: (event: { currentTarget: HTMLInputElement }) => setGiven(event.currentTarget.value),
  };
  const swap = () => {
    setGiven('');
    setIsCode(!isCode);
  };
  return (
    <FormDialog
      title="Confirm that it is you"
      verb={['Confirm', 'Checking']}
      pending={typed.isPending}
      error={failed ?? null}
      onSubmit={() => typed.mutate(given, { onSuccess })}
      onClose={() => settle(false)}
    >
      <p className={form.words}>You are about to {does}. Your last sign-in was some time ago.</p>
      {isCode ? (
        <TextInput
          key="code"
          label="Code"
          description="Enter the code of your authenticator app, or a recovery code"
          autoComplete="one-time-code"
          {...field}
        />
      ) : (
        <PasswordInput key="password" label="Password" autoComplete="current-password" {...field} />
      )}
      <div className="buttons">
        {factors.some(({ factor_type: type }) => type === 'totp' || type === 'recovery_code') && (
          <Button small onClick={swap}>
            {isCode ? 'Use the password' : 'Use a code'}
          </Button>
        )}
        {canUsePasskeys() && (
          <Button
            small
            busy={byPasskey.isPending && 'Waiting for the device'}
            onClick={() => byPasskey.mutate(undefined, { onSuccess })}
          >
            Use a passkey
          </Button>
        )}
        {canUsePasskeys() &&
          factors
            .filter(({ factor_type: type }) => type === 'webauthn')
            .map((factor) => (
              <Button
                key={factor.id}
                small
                busy={byKey.isPending && byKey.variables === factor.id && 'Waiting for the key'}
                onClick={() => byKey.mutate(factor.id, { onSuccess })}
              >
                Use {factorName(factor)}
              </Button>
            ))}
      </div>
    </FormDialog>
  );
}
