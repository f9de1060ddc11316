import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { factors, verifyFactor, verifyRecoveryCode, verifySecurityKey } from '../queries/account.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { signOut } from '../queries/session.ts';
import { AuthLayout, TextButton, Wrong } from './auth-layout.tsx';
import { CodeField } from './code-field.tsx';

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
      title={t('oneMoreStep')}
      lead={totp ? t('factorLead', { digits: 6, app: portal.app.name }) : t('factorLeadKey')}
    >
      {totp && (
        <CodeField
          digits={6}
          label={t('codeOfApp', { digits: 6 })}
          isWrong={verifying.error !== null}
          onComplete={(code) => verifying.mutate({ factorId: totp.id, code })}
        />
      )}
      {securityKey && (
        <Button wide busy={key.isPending && t('waitingForDevice')} onClick={() => key.mutate(securityKey.id)}>
          {t('useSecurityKey')}
        </Button>
      )}
      <p role="status">{verifying.isPending ? t('checkingCode') : ''}</p>
      <Wrong>{verifying.error && authWords(verifying.error)}</Wrong>
      <Wrong>{(key.error ?? list.error) && authWords(key.error ?? list.error)}</Wrong>
      <p>
        <TextButton onClick={() => setIsLost(true)}>{t('useRecoveryCode')}</TextButton>
      </p>
      <p>
        <TextButton onClick={() => leaving.mutate()}>{t('signInAs')}</TextButton>
      </p>
    </AuthLayout>
  );
}

/** Asks for a recovery code instead of the second factor. */
function RecoveryStep({ onBack }: { onBack: () => void }) {
  const portal = usePortal();
  const [code, setCode] = useState('');
  const { mutate, isPending, error } = useMutation(verifyRecoveryCode(portal));
  return (
    <AuthLayout title={t('oneMoreStep')} lead={t('recoveryLead')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim() !== '' && !isPending) mutate(code.trim());
        }}
        noValidate
      >
        <TextInput
          label={t('recoveryCode')}
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
          busy={isPending && t('checking')}
          offBecause={code.trim() === '' ? t('typeRecoveryCode') : null}
        >
          {t('continue')}
        </Button>
      </form>
      <p>
        <TextButton onClick={onBack}>{t('back')}</TextButton>
      </p>
    </AuthLayout>
  );
}
