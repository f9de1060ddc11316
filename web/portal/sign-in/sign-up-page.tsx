import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { resendSignUp, signUp } from '../queries/sign-in.ts';
import { AuthLayout, Wrong } from './auth-layout.tsx';
import { MailedCode } from './mailed-code.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { OtherMethods } from './other-methods.tsx';
import { passwordRules } from './password-rules.ts';
import { EmailField } from './sign-in-page.tsx';

/** Creates an account. If the address must be confirmed, the server sends a mail. */
export function SignUpPage() {
  const portal = usePortal();
  const { app } = portal;
  const { next = '/' } = useSearch({ from: '/account/sign-up' });
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isMailed, setIsMailed] = useState(false);
  const { mutate, isPending, error } = useMutation(signUp(portal));
  const resending = useMutation(resendSignUp(portal));
  const done = () => void navigate({ to: next, replace: true });
  if (isMailed) {
    return (
      <MailedCode
        email={email}
        kind="signup"
        title={t('checkMail')}
        lead="mailSent"
        onSignedIn={done}
        onAgain={() => resending.mutateAsync({ email, next })}
        onOtherAddress={() => setIsMailed(false)}
      />
    );
  }
  const broken = passwordRules(password, email, app.password_min_length).some(({ isMet }) => !isMet);
  const offBecause = email === '' ? t('typeAddress') : broken ? t('passwordBreaksRule') : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending || offBecause !== null) return;
    mutate(
      { email, password, name: name.trim(), next },
      { onSuccess: ({ isSignedIn }) => (isSignedIn ? done() : setIsMailed(true)) },
    );
  };
  return (
    <AuthLayout title={t('makeAnAccount')}>
      {app.email && app.sign_up ? (
        <form onSubmit={submit} noValidate>
          <TextInput
            label={t('yourName')}
            autoComplete="name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <EmailField value={email} onChange={setEmail} />
          <NewPasswordField label={t('password')} email={email} value={password} onChange={setPassword} />
          <Wrong>{error && authWords(error)}</Wrong>
          <Button kind="first" type="submit" busy={isPending && t('makingAccount')} offBecause={offBecause}>
            {t('makeAccount')}
          </Button>
        </form>
      ) : (
        !app.sign_up && <p>{t('askForInvitation')}</p>
      )}
      {app.sign_up && <OtherMethods next={next} />}
      <p>
        {t('haveAccount')}{' '}
        <Link to="/account/sign-in" search={{ next }}>
          {t('signIn')}
        </Link>
      </p>
    </AuthLayout>
  );
}
