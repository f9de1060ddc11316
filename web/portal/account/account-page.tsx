import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { givenName } from '../../fields/format.ts';
import { dateFormat, t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { KeyboardProvider } from '../../ui/shortcuts/keyboard.tsx';
import { account, changeAccount } from '../queries/account.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { signOut } from '../queries/session.ts';
import { LanguageChoice } from '../screens/shell/language-choice.tsx';
import { ThemeChoice } from '../screens/shell/shell.tsx';
import { SingleKeysChoice } from '../screens/shell/single-keys-choice.tsx';
import { Note, Wrong } from '../sign-in/auth-layout.tsx';
import { useSession } from '../sign-in/signed-in.tsx';
import { AccountLayout, buttonsClass, Row, rowsClass, Section } from './account-layout.tsx';
import { Applications } from './applications.tsx';
import { Devices } from './devices.tsx';
import { Factors } from './factors.tsx';
import { LinkedAccounts } from './linked-accounts.tsx';
import { DeleteAccount, OwnData } from './own-data.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';
import { Picture } from './picture.tsx';

/**
 * Page of a member's account: profile, address, password, passkeys, second factor, devices, linked accounts and
 * applications.
 */
export function AccountPage() {
  const portal = usePortal();
  const navigate = useNavigate();
  const { user: stored } = useSession();
  const { data: user = stored } = useQuery(account(portal));
  const leaving = useMutation(signOut(portal));
  const hasEmail = Boolean(user.email);
  return (
    <AccountLayout
      title={t('account')}
      sentence={t('accountSince', {
        app: portal.app.name,
        date: dateFormat({ dateStyle: 'long' }).format(new Date(user.created_at)),
      })}
    >
      {portal.app.avatars && <Picture user={user} />}
      <Profile name={givenName(user.user_metadata) ?? ''} />
      {hasEmail && <Address email={user.email ?? ''} newEmail={user.new_email ?? null} />}
      {hasEmail && <Password />}
      {portal.app.passkey && <Passkeys />}
      <Factors />
      <Devices />
      {portal.app.providers.length > 0 && <LinkedAccounts />}
      {portal.app.applications && <Applications />}
      <Section title={t('theme')} about={t('themeAbout')}>
        <ThemeChoice />
      </Section>
      <Section title={t('language')} about={t('languageAbout')}>
        <LanguageChoice isMember />
      </Section>
      <Section title={t('keyboard')} about={t('keyboardAbout')}>
        <KeyboardProvider>
          <SingleKeysChoice />
        </KeyboardProvider>
      </Section>
      <OwnData />
      <Section title={t('signOut')} about={t('signOutAbout')}>
        <div className={buttonsClass}>
          <Button
            busy={leaving.isPending && t('signingOut')}
            onClick={() => leaving.mutate(undefined, { onSuccess: () => void navigate({ to: '/account/sign-in' }) })}
          >
            {t('signOut')}
          </Button>
        </div>
        <Wrong>{leaving.error && authWords(leaving.error)}</Wrong>
      </Section>
      <DeleteAccount />
    </AccountLayout>
  );
}

function Profile({ name }: { name: string }) {
  const portal = usePortal();
  const [typed, setTyped] = useState(name);
  const { mutate, isPending, isSuccess, error } = useMutation(changeAccount(portal));
  const isChanged = typed.trim() !== name;
  return (
    <Section title={t('profile')} about={t('profileAbout')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !isPending) mutate({ data: { name: typed.trim() } });
        }}
        noValidate
      >
        <TextInput
          label={t('name')}
          autoComplete="name"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Wrong>{error && authWords(error)}</Wrong>
        <div className={buttonsClass}>
          <Button type="submit" busy={isPending && t('saving')} offBecause={isChanged ? null : t('nothingChanged')}>
            {t('saveProfile')}
          </Button>
          <span role="status">{isSuccess && !isChanged ? t('saved') : ''}</span>
        </div>
      </form>
    </Section>
  );
}

function Address({ email, newEmail }: { email: string; newEmail: string | null }) {
  const portal = usePortal();
  const [typed, setTyped] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation(changeAccount(portal));
  return (
    <Section title={t('email')} about={t('emailAbout')}>
      {newEmail !== null && newEmail !== '' && (
        <Note>
          <b>{t('addressChangeWaits')}</b> {t('addressChangeHow', { newEmail, email })}
        </Note>
      )}
      <ul className={rowsClass}>
        <Row name={email} about={t('addressNow')}>
          {typed === null && <Button onClick={() => setTyped('')}>{t('change')}</Button>}
        </Row>
      </ul>
      {typed !== null && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (typed.trim() !== '' && !isPending) mutate({ email: typed.trim() }, { onSuccess: () => setTyped(null) });
          }}
          noValidate
        >
          <TextInput
            label={t('newAddress')}
            type="email"
            autoComplete="email"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Wrong>{error && authWords(error)}</Wrong>
          <div className={buttonsClass}>
            <Button
              type="submit"
              kind="first"
              busy={isPending && t('sending')}
              offBecause={typed.trim() === '' ? t('typeAnAddress') : null}
            >
              {t('mailTheLinks')}
            </Button>
            <Button kind="quiet" onClick={() => setTyped(null)}>
              {t('cancel')}
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}
