import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { t, tNodes } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { authorization, decide, signInAgain } from '../queries/consent.ts';
import { AuthLayout, softClass, stackClass, Wrong } from '../sign-in/auth-layout.tsx';
import { useSession } from '../sign-in/signed-in.tsx';
import styles from './consent.module.css';
import { placeOf, scopeWords } from './scope-words.ts';

/** Asks a member whether an application may sign them in. */
export function ConsentPage() {
  const portal = usePortal();
  const { user } = useSession();
  const id = new URLSearchParams(location.search).get('authorization_id') ?? '';
  const { data, error } = useQuery(authorization(portal, id));
  const deciding = useMutation(decide(portal, id));
  const leaving = useMutation(signInAgain(portal, id));
  const navigate = useNavigate();
  const leave = () =>
    leaving.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/account/sign-in', search: { next: location.pathname + location.search } }),
    });
  const allowedBefore = data && 'redirect_url' in data ? data.redirect_url : null;
  useEffect(() => {
    if (allowedBefore) location.replace(allowedBefore);
  }, [allowedBefore]);
  if (error) return <RequestOver error={error} />;
  if (!data || 'redirect_url' in data) return <AuthLayout title={t('signingIn')}>{null}</AuthLayout>;
  const name = data.client.name || t('applicationNameless');
  const account = user.email || user.phone || t('unnamedMember');
  if (data.needs_sign_in) {
    return (
      <AuthLayout title={t('signInAgain')} lead={t('signInAgainLead', { name, app: portal.app.name, account })}>
        <Wrong>{leaving.error && authWords(leaving.error)}</Wrong>
        <Button kind="first" wide busy={leaving.isPending && t('signingOut')} onClick={leave}>
          {t('signInAgain')}
        </Button>
      </AuthLayout>
    );
  }
  const failed = deciding.error ?? leaving.error;
  const isDone = deciding.isPending || deciding.isSuccess;
  return (
    <AuthLayout title={t('consentTitle', { name })} lead={t('consentLead', { app: portal.app.name, account })}>
      <div>
        <p>{t('applicationCan')}</p>
        <ul className={styles.rights}>
          {scopeWords(data.scope, portal.app.name).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </div>
      <p className={softClass}>{tNodes('consentGoTo', { place: <b dir="ltr">{placeOf(data.redirect_uri)}</b> })}</p>
      <Wrong>{failed && authWords(failed)}</Wrong>
      <div className={stackClass}>
        <Button kind="first" wide busy={isDone && t('goingOn')} onClick={() => deciding.mutate(true)}>
          {t('allow')}
        </Button>
        <Button wide offBecause={isDone ? t('answerOnItsWay') : null} onClick={() => deciding.mutate(false)}>
          {t('deny')}
        </Button>
        <Button kind="quiet" wide busy={leaving.isPending && t('signingOut')} onClick={leave}>
          {t('useAnotherAccount')}
        </Button>
      </div>
    </AuthLayout>
  );
}

/** Shows that the request of an application cannot be continued. */
export function RequestOver({ error }: { error: Error }) {
  return (
    <AuthLayout title={t('requestOver')} lead={t('requestOverLead')}>
      <Wrong>{authWords(error)}</Wrong>
    </AuthLayout>
  );
}
