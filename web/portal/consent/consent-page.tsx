import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from '../../ui/button.tsx';
import { AuthLayout, softClass, stackClass, Wrong } from '../auth/auth-layout.tsx';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { authorization, decide, signInAgain } from '../data/consent.ts';
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
  if (!data || 'redirect_url' in data) return <AuthLayout title="Signing in">{null}</AuthLayout>;
  const name = data.client.name || 'An application without a name';
  const account = user.email || user.phone || 'a member';
  if (data.needs_sign_in) {
    return (
      <AuthLayout
        title="Sign in again"
        lead={`${name} asks for a new sign-in to ${portal.app.name}. You are signed in as ${account}.`}
      >
        <Wrong>{leaving.error && authWords(leaving.error)}</Wrong>
        <Button kind="first" wide busy={leaving.isPending && 'Signing out'} onClick={leave}>
          Sign in again
        </Button>
      </AuthLayout>
    );
  }
  const failed = deciding.error ?? leaving.error;
  const isDone = deciding.isPending || deciding.isSuccess;
  return (
    <AuthLayout
      title={`Sign in to ${name}?`}
      lead={`It asks for your account of ${portal.app.name}. You are signed in as ${account}.`}
    >
      <div>
        <p>The application can:</p>
        <ul className={styles.rights}>
          {scopeWords(data.scope, portal.app.name).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </div>
      <p className={softClass}>
        You go on to <b>{placeOf(data.redirect_uri)}</b>. Allow this only if you trust it: an application chooses its
        own name.
      </p>
      <Wrong>{failed && authWords(failed)}</Wrong>
      <div className={stackClass}>
        <Button kind="first" wide busy={isDone && 'Going on'} onClick={() => deciding.mutate(true)}>
          Allow
        </Button>
        <Button wide offBecause={isDone ? 'Your answer is on its way.' : null} onClick={() => deciding.mutate(false)}>
          Deny
        </Button>
        <Button kind="quiet" wide busy={leaving.isPending && 'Signing out'} onClick={leave}>
          Use another account
        </Button>
      </div>
    </AuthLayout>
  );
}

/** Shows that a request cannot be continued. */
export function RequestOver({ error }: { error: Error }) {
  return (
    <AuthLayout title="This request no longer works" lead="Go back to the application, and begin again there.">
      <Wrong>{authWords(error)}</Wrong>
    </AuthLayout>
  );
}
