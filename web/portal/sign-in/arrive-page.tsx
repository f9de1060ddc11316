import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { keepSession, orThrow } from '../queries/session.ts';
import { type Arrival, readArrival } from './arrival.ts';
import { AuthLayout, Wrong } from './auth-layout.tsx';

/** Page to which the links in mails and the providers lead. Reads what the address contains once, and then removes it from the address. */
export function ArrivePage() {
  const { next = '/' } = useSearch({ from: '/account/arrive' });
  const [arrival] = useState<Arrival>(() => readArrival(location.hash, location.search));
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname);
  }, []);
  switch (arrival.kind) {
    case 'code':
      return <ExchangeCode code={arrival.code} next={next} />;
    case 'session':
      return <TakeSession arrival={arrival} next={next} />;
    case 'error':
      return <Spent words={arrival.words} />;
  }
}

/** Exchanges the code of a provider for a session. Only the browser that started the sign-in can do this. */
function ExchangeCode({ code, next }: { code: string; next: string }) {
  const { auth } = usePortal();
  const navigate = useNavigate();
  const hasBegun = useRef(false);
  const { mutate, error } = useMutation({
    mutationFn: async () => orThrow(await auth.exchangeCodeForSession(code)),
    onSuccess: () => void navigate({ to: next, replace: true }),
  });
  useEffect(() => {
    if (hasBegun.current) return;
    hasBegun.current = true;
    mutate();
  }, [mutate]);
  return error ? <Spent words={authWords(error)} /> : <AuthLayout title={t('signingIn')}>{null}</AuthLayout>;
}

/** Asks the member before the page uses the session of a link in a mail, because the link may come from an attacker. */
function TakeSession({ arrival, next }: { arrival: Extract<Arrival, { kind: 'session' }>; next: string }) {
  const { app, auth } = usePortal();
  const navigate = useNavigate();
  const needsPassword = arrival.type === 'recovery' || arrival.type === 'invite';
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => keepSession(auth, arrival),
    onSuccess: () => void navigate({ to: needsPassword ? '/account/new-password' : next, replace: true }),
  });
  return (
    <AuthLayout title={t('goOnAs', { who: arrival.email ?? t('thisMember') })} lead={t('goOnLead', { app: app.name })}>
      <Wrong>{error && authWords(error)}</Wrong>
      <Button kind="first" busy={isPending && t('signingIn')} onClick={() => mutate()}>
        {t('goOn')}
      </Button>
      <p>
        <Link to="/account/sign-in">{t('notMe')}</Link>
      </p>
    </AuthLayout>
  );
}

function Spent({ words }: { words: string }) {
  return (
    <AuthLayout title={t('linkSpent')} lead={words}>
      <p>
        <Link to="/account/sign-in">{t('backToSignIn')}</Link>
      </p>
    </AuthLayout>
  );
}
