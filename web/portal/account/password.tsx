import { PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { changeAccount } from '../queries/account.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
import { NewPasswordField } from '../sign-in/new-password-field.tsx';
import { passwordRules } from '../sign-in/password-rules.ts';
import { useSession } from '../sign-in/signed-in.tsx';
import { buttonsClass, Section } from './account-layout.tsx';

/** Form for a new password, which requires the current password. */
export function Password() {
  const portal = usePortal();
  const { user } = useSession();
  const email = user.email ?? '';
  const [isOpen, setIsOpen] = useState(false);
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { mutate, isPending, isSuccess, error, reset } = useMutation(changeAccount(portal));
  const isBroken = passwordRules(next, email, portal.app.password_min_length).some(({ isMet }) => !isMet);
  const close = () => {
    setIsOpen(false);
    setCurrent('');
    setNext('');
  };
  return (
    <Section title={t('password')} about={t('passwordAbout')}>
      {isOpen ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isBroken || isPending) return;
            const passwords = { password: next, ...(current !== '' && { current_password: current }) };
            mutate(passwords, { onSuccess: close });
          }}
          noValidate
        >
          <input type="hidden" autoComplete="username" value={email} readOnly />
          <PasswordInput
            label={t('passwordNow')}
            autoComplete="current-password"
            value={current}
            onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
          />
          <NewPasswordField label={t('newPassword')} email={email} value={next} onChange={setNext} />
          <Wrong>{error && authWords(error)}</Wrong>
          <div className={buttonsClass}>
            <Button
              type="submit"
              kind="first"
              busy={isPending && t('saving')}
              offBecause={isBroken ? t('newPasswordBreaksRule') : null}
            >
              {t('savePassword')}
            </Button>
            <Button kind="quiet" onClick={close}>
              {t('cancel')}
            </Button>
          </div>
        </form>
      ) : (
        <div className={buttonsClass}>
          <Button
            onClick={() => {
              reset();
              setIsOpen(true);
            }}
          >
            {t('changePassword')}
          </Button>
          <span role="status">{isSuccess ? t('passwordChanged') : ''}</span>
        </div>
      )}
    </Section>
  );
}
