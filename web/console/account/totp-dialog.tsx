import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../forms/form-dialog.tsx';
import { ApiFailure } from '../queries/api-failure.ts';
import { type NewTotp, showTotp } from '../queries/session.ts';
import styles from './account-page.module.css';

/** Shows the QR code of a new authenticator app and asks for its first code. */
export function TotpDialog({ factor: { id, totp }, onClose }: { factor: NewTotp; onClose: () => void }) {
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation(showTotp());
  const wrong = error instanceof ApiFailure && error.code === 'mfa_verification_failed';
  return (
    <FormDialog
      title="Add authenticator app"
      verb={['Turn on', 'Checking']}
      pending={isPending}
      error={wrong ? null : error}
      onSubmit={() => mutate({ id, code: code.replace(/\s/g, '') }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <img
        className={styles.qr}
        alt="QR code for the authenticator app"
        src={`data:image/svg+xml;utf-8,${encodeURIComponent(totp.qr_code)}`}
      />
      <p className={styles.secret}>
        Scan the code with the app, or enter the key <code>{totp.secret}</code>. Your other sessions end.
      </p>
      <TextInput
        label="Code"
        description="The six digits that the app shows"
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
        error={wrong && 'This code is wrong.'}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
