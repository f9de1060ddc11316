import { PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { passwordLimits } from '../../../contract/limits/passwords.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import { ApiFailure } from '../queries/api-failure.ts';
import { changePassword } from '../queries/session.ts';

/** Asks for the builder's current password and sets a new one. */
export function OwnPasswordDialog({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const { mutate, isPending, error } = useMutation(changePassword());
  const wrong = error instanceof ApiFailure && error.code === 'invalid_credentials';
  return (
    <FormDialog
      title="Change password"
      verb={['Set password', 'Setting password']}
      pending={isPending}
      error={wrong ? null : error}
      onSubmit={() => mutate({ current, password }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        data-autofocus
        error={wrong && 'This is not the current password.'}
        value={current}
        onChange={(event) => setCurrent(event.currentTarget.value)}
      />
      <PasswordInput
        label="New password"
        autoComplete="new-password"
        description={`At least ${passwordLimits.builderPasswordMinCharacters.default} characters`}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
