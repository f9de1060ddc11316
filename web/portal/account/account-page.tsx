import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Note, Wrong } from '../auth/auth-layout.tsx';
import { account, changeAccount } from '../data/account.ts';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { signOut } from '../data/session.ts';
import { ThemeChoice } from '../screens/shell.tsx';
import { useSession } from '../sign-in/signed-in.tsx';
import { AccountLayout, buttonsClass, Row, rowsClass, Section } from './account-layout.tsx';
import { Applications } from './applications.tsx';
import { Devices } from './devices.tsx';
import { Factors } from './factors.tsx';
import { LinkedAccounts } from './linked-accounts.tsx';
import { Passkeys } from './passkeys.tsx';
import { Password } from './password.tsx';

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

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
      title="Your account"
      sentence={`You have been with ${portal.app.name} since ${day.format(new Date(user.created_at))}.`}
    >
      <Profile name={String(user.user_metadata.name ?? '')} />
      {hasEmail && <Address email={user.email ?? ''} newEmail={user.new_email ?? null} />}
      {hasEmail && <Password />}
      {portal.app.passkey && <Passkeys />}
      <Factors />
      <Devices />
      {portal.app.providers.length > 0 && <LinkedAccounts />}
      {portal.app.applications && <Applications />}
      <Section title="Theme" about="Light or dark, on this device.">
        <ThemeChoice />
      </Section>
      <Section title="Sign out" about="Ends the session of this browser.">
        <div className={buttonsClass}>
          <Button
            busy={leaving.isPending && 'Signing out'}
            onClick={() => leaving.mutate(undefined, { onSuccess: () => void navigate({ to: '/account/sign-in' }) })}
          >
            Sign out
          </Button>
        </div>
        <Wrong>{leaving.error && authWords(leaving.error)}</Wrong>
      </Section>
    </AccountLayout>
  );
}

function Profile({ name }: { name: string }) {
  const portal = usePortal();
  const [typed, setTyped] = useState(name);
  const { mutate, isPending, isSuccess, error } = useMutation(changeAccount(portal));
  const isChanged = typed.trim() !== name;
  return (
    <Section title="Profile" about="How others see you.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isChanged && !isPending) mutate({ data: { name: typed.trim() } });
        }}
        noValidate
      >
        <TextInput
          label="Name"
          autoComplete="name"
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Wrong>{error && authWords(error)}</Wrong>
        <div className={buttonsClass}>
          <Button type="submit" busy={isPending && 'Saving'} offBecause={isChanged ? null : 'Nothing is changed.'}>
            Save profile
          </Button>
          <span role="status">{isSuccess && !isChanged ? 'Saved' : ''}</span>
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
    <Section title="E-mail" about="Where we write to you, and the address that you sign in with.">
      {newEmail !== null && newEmail !== '' && (
        <Note>
          <b>Your new address waits for its confirmation.</b> Open the links in the mails to {newEmail} and {email}.
          Until then you sign in with {email}.
        </Note>
      )}
      <ul className={rowsClass}>
        <Row name={email} about="Your address now">
          {typed === null && <Button onClick={() => setTyped('')}>Change</Button>}
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
            label="New address"
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
              busy={isPending && 'Sending'}
              offBecause={typed.trim() === '' ? 'Type an address.' : null}
            >
              Mail the links
            </Button>
            <Button kind="quiet" onClick={() => setTyped(null)}>
              Cancel
            </Button>
          </div>
        </form>
      )}
    </Section>
  );
}
