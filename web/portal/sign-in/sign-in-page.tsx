import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { dateFormat, t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { authWords, codeOf, TOO_MANY } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { mailLink, resendSignUp, signInWithPassword } from '../queries/sign-in.ts';
import { refusedUntil } from '../queries/waiting-time.ts';
import { AuthLayout, asideClass, Note, Wrong } from './auth-layout.tsx';
import { MailedCode } from './mailed-code.tsx';
import { OtherMethods } from './other-methods.tsx';
import { useSecondsUntil } from './use-seconds-until.ts';

/** Sign-in page with every enabled method of the app. */
export function SignInPage() {
  const portal = usePortal();
  const { app } = portal;
  const { next = '/' } = useSearch({ from: '/account/sign-in' });
  const navigate = useNavigate();
  const [email, setEmail] = useState(() => loginHint(next));
  const [step, setStep] = useState<'start' | 'mail' | 'mailed' | 'confirm'>('start');
  const mailing = useMutation(mailLink(portal));
  const resending = useMutation(resendSignUp(portal));
  const done = () => void navigate({ to: next, replace: true });
  if (step === 'mailed' || step === 'confirm') {
    const isNew = step === 'confirm';
    return (
      <MailedCode
        email={email}
        kind={isNew ? 'signup' : 'email'}
        title={t('checkMail')}
        lead={isNew ? 'mailSent' : 'mailMaybe'}
        onSignedIn={done}
        onAgain={() => (isNew ? resending.mutateAsync({ email, next }) : mailing.mutateAsync({ email, next }))}
        onOtherAddress={() => setStep('start')}
      />
    );
  }
  const signUpLine = app.sign_up && (
    <p>
      {t('newHere')}{' '}
      <Link to="/account/sign-up" search={{ next }}>
        {t('makeAnAccount')}
      </Link>
    </p>
  );
  if (step === 'mail') {
    return (
      <AuthLayout title={t('signIn')} lead={t('mailLead')}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (email !== '' && !mailing.isPending) {
              mailing.mutate({ email, next }, { onSuccess: () => setStep('mailed') });
            }
          }}
          noValidate
        >
          <EmailField value={email} onChange={setEmail} />
          <Wrong>{mailing.error && authWords(mailing.error)}</Wrong>
          <Button
            kind="first"
            type="submit"
            busy={mailing.isPending && t('sending')}
            offBecause={email === '' ? t('typeAddress') : null}
          >
            {t('mailMeALink')}
          </Button>
        </form>
        <p>
          <Link to="/account/sign-in" search={{ next }} onClick={() => setStep('start')}>
            {t('otherWays')}
          </Link>
        </p>
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={t('signIn')}>
      {app.email && (
        <PasswordForm
          email={email}
          onEmail={setEmail}
          onSignedIn={done}
          onUnconfirmed={() => resending.mutate({ email, next }, { onSettled: () => setStep('confirm') })}
        />
      )}
      <OtherMethods next={next} onSignedIn={done} {...(app.email && { onMail: () => setStep('mail') })} />
      {signUpLine}
    </AuthLayout>
  );
}

/** Returns the e-mail address that an application suggests for the sign-in; empty if it suggests none. */
const loginHint = (next: string): string => new URLSearchParams(next.split('?')[1]).get('login_hint') ?? '';

/** The field for the address of an account. */
export function EmailField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      label={t('email')}
      type="email"
      autoComplete="username"
      placeholder={t('emailExample')}
      spellCheck={false}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
    />
  );
}

function PasswordForm({
  email,
  onEmail,
  onSignedIn,
  onUnconfirmed,
}: {
  email: string;
  onEmail: (email: string) => void;
  onSignedIn: () => void;
  onUnconfirmed: () => void;
}) {
  const portal = usePortal();
  const [password, setPassword] = useState('');
  const [lockedUntil, setLockedUntil] = useState(0);
  const locked = useSecondsUntil(lockedUntil);
  const time = dateFormat({ timeStyle: 'short' }).format(lockedUntil);
  const { mutate, isPending, error, reset } = useMutation(signInWithPassword(portal));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending || locked > 0 || email === '' || password === '') return;
    mutate(
      { email, password },
      {
        onSuccess: onSignedIn,
        onError: (failed) => {
          if (codeOf(failed) === 'email_not_confirmed') onUnconfirmed();
          if (codeOf(failed) === TOO_MANY) setLockedUntil(refusedUntil());
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate>
      {locked > 0 && (
        <Note>
          <p role="alert">{t('tooManyUntil', { time })}</p>
          <p role="timer">{t('tooManyLeft', { minutes: Math.floor(locked / 60), seconds: locked % 60 })}</p>
        </Note>
      )}
      <EmailField
        value={email}
        onChange={(value) => {
          reset();
          onEmail(value);
        }}
      />
      <div className={asideClass}>
        <PasswordInput
          label={t('password')}
          autoComplete="current-password"
          error={error !== null}
          value={password}
          onChange={({ currentTarget }) => {
            reset();
            setPassword(currentTarget.value);
          }}
        />
        <Link to="/account/recover">{t('forgotten')}</Link>
      </div>
      <Wrong>{locked === 0 && error ? authWords(error) : null}</Wrong>
      <Button
        kind="first"
        type="submit"
        busy={isPending && t('signingIn')}
        offBecause={
          locked > 0
            ? t('tooManyUntil', { time })
            : email === '' || password === ''
              ? t('typeAddressAndPassword')
              : null
        }
      >
        {locked > 0 ? t('signInAt', { time }) : t('signIn')}
      </Button>
    </form>
  );
}
