import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { t, tNodes } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { signOut } from '../queries/session.ts';
import { continueElsewhere } from '../queries/sign-in.ts';
import { AuthLayout, stackClass, Wrong } from './auth-layout.tsx';
import { hasJustSignedIn, readDestination } from './destination.ts';
import { useSession } from './signed-in.tsx';

/**
 * Redirects a member to a front end at another address and opens a session for it. Asks the member first, unless the
 * member has just signed in.
 */
export function ContinuePage() {
  const portal = usePortal();
  const { user } = useSession();
  const navigate = useNavigate();
  const destination = readDestination(location.search);
  const isAtOnce = hasJustSignedIn(user.last_sign_in_at);
  const { mutate, isPending, isSuccess, error } = useMutation(continueElsewhere(portal));
  const leaving = useMutation(signOut(portal));
  const hasBegun = useRef(false);
  useEffect(() => {
    if (!isAtOnce || hasBegun.current) return;
    hasBegun.current = true;
    mutate(destination);
  }, [isAtOnce, destination, mutate]);
  const leave = () =>
    leaving.mutate(undefined, {
      onSuccess: () => void navigate({ to: '/account/sign-in', search: { next: location.pathname + location.search } }),
    });
  const failed = error ?? leaving.error;
  if (isAtOnce && !failed) return <AuthLayout title={t('goingOn')}>{null}</AuthLayout>;
  return (
    <AuthLayout
      title={t('goOnAs', { who: user.email || user.phone || t('thisMember') })}
      lead={tNodes('goOnElsewhere', { place: <b dir="ltr">{destination.place}</b> })}
    >
      <Wrong>{failed && authWords(failed)}</Wrong>
      <div className={stackClass}>
        <Button kind="first" wide busy={(isPending || isSuccess) && t('goingOn')} onClick={() => mutate(destination)}>
          {t('goOn')}
        </Button>
        <Button kind="quiet" wide busy={leaving.isPending && t('signingOut')} onClick={leave}>
          {t('useAnotherAccount')}
        </Button>
      </div>
    </AuthLayout>
  );
}
