import { PasswordInput } from '@mantine/core';
import type { User } from '@supabase/auth-js';
import { IconFingerprint } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { authWords } from '../../queries/auth-words.ts';
import { usePortal } from '../../queries/client.ts';
import { signInWithPasskey, signInWithPassword } from '../../queries/sign-in.ts';
import { Wrong } from '../../sign-in/auth-layout.tsx';
import { AskDialog, askButtonsClass } from '../shared/ask-dialog.tsx';

/**
 * Asks a member whose session has ended to sign in again, over the page that the member had open.
 * @param onLeave Leads to the sign-in page, with every method of the app and for every member.
 */
export function EndedDialog({ user, onLeave }: { user: User; onLeave: () => void }) {
  const portal = usePortal();
  const { app } = portal;
  const [password, setPassword] = useState('');
  const signingIn = useMutation(signInWithPassword(portal));
  const byPasskey = useMutation(signInWithPasskey(portal));
  const email = user.email ?? '';
  const hasPassword = app.email && email !== '';
  const error = signingIn.error ?? byPasskey.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password !== '' && !signingIn.isPending) signingIn.mutate({ email, password });
  };
  return (
    <AskDialog title={t('endedTitle')} lead={t('endedLead')}>
      <form onSubmit={submit} noValidate>
        {hasPassword && (
          <PasswordInput
            label={t('passwordOf', { email })}
            autoComplete="current-password"
            error={signingIn.error !== null}
            value={password}
            onChange={({ currentTarget }) => {
              signingIn.reset();
              setPassword(currentTarget.value);
            }}
          />
        )}
        <Wrong>{error && authWords(error)}</Wrong>
        <div className={askButtonsClass}>
          <Button kind="quiet" onClick={onLeave}>
            {t(hasPassword ? 'signInAs' : 'signInAgain')}
          </Button>
          {app.passkey && 'PublicKeyCredential' in window && (
            <Button
              icon={IconFingerprint}
              busy={byPasskey.isPending && t('waitingForDevice')}
              onClick={() => byPasskey.mutate()}
            >
              {t('usePasskey')}
            </Button>
          )}
          {hasPassword && (
            <Button
              kind="first"
              type="submit"
              busy={signingIn.isPending && t('signingIn')}
              offBecause={password === '' ? t('typePassword') : null}
            >
              {t('signIn')}
            </Button>
          )}
        </div>
      </form>
    </AskDialog>
  );
}
