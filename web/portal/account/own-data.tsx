import { PasswordInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { authWords, codeOf } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { deleteAccount, downloadOwnData } from '../queries/own-data.ts';
import { screens } from '../queries/screens.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
import { useSession } from '../sign-in/signed-in.tsx';
import { aboutClass, buttonsClass, Section } from './account-layout.tsx';

/** Section in which the member downloads all data that the app stores about them. */
export function OwnData() {
  const portal = usePortal();
  const { user } = useSession();
  const all = useQuery(screens(portal, user.id));
  const none = { roles: [], navigation: [], home: null, screens: [], pages: [], entities: [] };
  const downloading = useMutation(downloadOwnData(portal, all.data ?? none));
  const failed = all.error ?? downloading.error;
  return (
    <Section title={t('downloadData')} about={t('downloadDataAbout')}>
      <div className={buttonsClass}>
        <Button
          busy={(downloading.isPending || all.isPending) && t('downloading')}
          onClick={() => downloading.mutate()}
        >
          {t('downloadDo')}
        </Button>
      </div>
      <Wrong>{failed && authWords(failed)}</Wrong>
    </Section>
  );
}

/** Deletes the account of the member. Before that, the member enters the password, or must have signed in recently. */
export function DeleteAccount() {
  const portal = usePortal();
  const navigate = useNavigate();
  const { user } = useSession();
  const email = user.email ?? '';
  const [isAsking, setIsAsking] = useState(false);
  const [password, setPassword] = useState('');
  const { mutate, isPending, error, reset } = useMutation(deleteAccount(portal));
  const form = useRef<HTMLFormElement>(null);
  const begin = useRef<HTMLButtonElement>(null);
  const wasAsking = useRef(false);
  useEffect(() => {
    // The form replaces the button that had the focus, and the button replaces the form.
    if (isAsking) form.current?.querySelector<HTMLElement>('input:not([type="hidden"]), button')?.focus();
    else if (wasAsking.current) begin.current?.focus();
    wasAsking.current = isAsking;
  }, [isAsking]);
  const close = () => {
    reset();
    setPassword('');
    setIsAsking(false);
  };
  return (
    <Section title={t('deleteAccount')} about={t('deleteAccountAbout')}>
      {isAsking ? (
        <form
          ref={form}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (isPending) return;
            mutate({ email, password }, { onSuccess: () => void navigate({ to: '/account/sign-in' }) });
          }}
        >
          <input type="hidden" autoComplete="username" value={email} readOnly />
          {email !== '' && (
            <PasswordInput
              label={t('deleteAccountPassword')}
              autoComplete="current-password"
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          )}
          <p className={aboutClass}>{t('deleteAccountWithout', { minutes: 15 })}</p>
          <Wrong>{error && failureWords(error)}</Wrong>
          <div className={buttonsClass}>
            <Button onClick={close}>{t('deleteAccountKeep')}</Button>
            <Button type="submit" kind="danger" busy={isPending && t('deleting')}>
              {t('deleteAccountDo')}
            </Button>
          </div>
        </form>
      ) : (
        <div className={buttonsClass}>
          <Button ref={begin} kind="danger" onClick={() => setIsAsking(true)}>
            {t('deleteAccountBegin')}
          </Button>
        </div>
      )}
    </Section>
  );
}

function failureWords(error: Error): string {
  const code = codeOf(error);
  if (code === 'account_proof_needed') return t('deleteAccountProve', { minutes: 15 });
  return code === 'database_refused' ? t('deleteAccountRows') : authWords(error);
}
