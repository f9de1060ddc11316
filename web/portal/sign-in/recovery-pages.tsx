import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { changeAccount } from '../queries/account.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { recover } from '../queries/sign-in.ts';
import { AuthLayout, Wrong } from './auth-layout.tsx';
import { MailedCode } from './mailed-code.tsx';
import { NewPasswordField } from './new-password-field.tsx';
import { passwordRules } from './password-rules.ts';
import { EmailField } from './sign-in-page.tsx';
import { useSession } from './signed-in.tsx';

/** Requests a mail with a link that sets a new password. */
export function RecoverPage() {
  const portal = usePortal();
  const navigate = useNavigate();
  const [email, setEmail] = useState('');
  const [isMailed, setIsMailed] = useState(false);
  const { mutate, mutateAsync, isPending, error } = useMutation(recover(portal));
  if (isMailed) {
    return (
      <MailedCode
        email={email}
        kind="recovery"
        title={t('checkMail')}
        lead="mailMaybe"
        onSignedIn={() => void navigate({ to: '/account/new-password', replace: true })}
        onAgain={() => mutateAsync(email)}
        onOtherAddress={() => setIsMailed(false)}
      />
    );
  }
  return (
    <AuthLayout title={t('forgotPassword')} lead={t('forgotPasswordLead')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (email !== '' && !isPending) mutate(email, { onSuccess: () => setIsMailed(true) });
        }}
        noValidate
      >
        <EmailField value={email} onChange={setEmail} />
        <Wrong>{error && authWords(error)}</Wrong>
        <Button
          kind="first"
          type="submit"
          busy={isPending && t('sending')}
          offBecause={email === '' ? t('typeAddress') : null}
        >
          {t('mailMeALink')}
        </Button>
      </form>
      <p>
        <Link to="/account/sign-in">{t('backToSignIn')}</Link>
      </p>
    </AuthLayout>
  );
}

/** Page on which a member who has opened the link of a recovery mail sets a new password. */
export function NewPasswordPage() {
  const portal = usePortal();
  const navigate = useNavigate();
  const { user } = useSession();
  const email = user.email ?? '';
  const [password, setPassword] = useState('');
  const { mutate, isPending, error } = useMutation(changeAccount(portal));
  const isBroken = passwordRules(password, email, portal.app.password_min_length).some(({ isMet }) => !isMet);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isBroken && !isPending) mutate({ password }, { onSuccess: () => void navigate({ to: '/', replace: true }) });
  };
  return (
    <AuthLayout title={t('choosePassword')} lead={t('choosePasswordLead', { email })}>
      <form onSubmit={submit} noValidate>
        <NewPasswordField label={t('newPassword')} email={email} value={password} onChange={setPassword} />
        <Wrong>{error && authWords(error)}</Wrong>
        <Button
          kind="first"
          type="submit"
          busy={isPending && t('saving')}
          offBecause={isBroken ? t('passwordBreaksRule') : null}
        >
          {t('savePassword')}
        </Button>
      </form>
    </AuthLayout>
  );
}
