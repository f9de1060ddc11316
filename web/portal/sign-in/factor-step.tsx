import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { AuthLayout, TextButton, Wrong } from '../auth/auth-layout.tsx';
import { CodeField } from '../auth/code-field.tsx';
import { factors, verifyFactor, verifyRecoveryCode, verifySecurityKey } from '../data/account.ts';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { signOut } from '../data/session.ts';

/** Asks a member who has signed in for the second factor. */
export function FactorStep() {
  const portal = usePortal();
  const list = useQuery(factors(portal));
  const [isLost, setIsLost] = useState(false);
  const verifying = useMutation(verifyFactor(portal));
  const key = useMutation(verifySecurityKey(portal));
  const leaving = useMutation(signOut(portal));
  const totp = list.data?.totp[0];
  const securityKey = list.data?.webauthn[0];
  if (isLost || (list.data && !totp && !securityKey)) return <RecoveryStep onBack={() => setIsLost(false)} />;
  return (
    <AuthLayout
      title="One more step"
      lead={
        totp
          ? `Type the 6 digits that your authenticator app shows for ${portal.app.name}.`
          : 'Use the security key of your account.'
      }
    >
      {totp && (
        <CodeField
          digits={6}
          label="Code from your authenticator app, 6 digits"
          isWrong={verifying.error !== null}
          onComplete={(code) => verifying.mutate({ factorId: totp.id, code })}
        />
      )}
      {securityKey && (
        <Button wide busy={key.isPending && 'Waiting for the device'} onClick={() => key.mutate(securityKey.id)}>
          Use a security key
        </Button>
      )}
      <p role="status">{verifying.isPending ? 'Checking the code.' : ''}</p>
      <Wrong>{verifying.error && authWords(verifying.error)}</Wrong>
      <Wrong>{(key.error ?? list.error) && authWords(key.error ?? list.error)}</Wrong>
      <p>
        <TextButton onClick={() => setIsLost(true)}>Use a recovery code</TextButton>
      </p>
      <p>
        <TextButton onClick={() => leaving.mutate()}>Sign in as somebody else</TextButton>
      </p>
    </AuthLayout>
  );
}

/** Asks for a recovery code in place of the factor. */
function RecoveryStep({ onBack }: { onBack: () => void }) {
  const portal = usePortal();
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation(verifyRecoveryCode(portal));
  return (
    <AuthLayout title="One more step" lead="Type one of your recovery codes. Each works once.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim() !== '' && !isPending) mutate(code.trim());
        }}
        noValidate
      >
        <TextInput
          label="Recovery code"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          error={error !== null}
          value={code}
          onChange={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <Wrong>{error && authWords(error)}</Wrong>
        <Button
          kind="first"
          type="submit"
          busy={isPending && 'Checking'}
          offBecause={code.trim() === '' ? 'Type a recovery code.' : null}
        >
          Continue
        </Button>
      </form>
      <p>
        <TextButton onClick={onBack}>Back</TextButton>
      </p>
    </AuthLayout>
  );
}
