import type { Session } from '@supabase/auth-js';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { createContext, lazy, type ReactNode, Suspense, use, useState } from 'react';
import { t } from '../../language/messages.ts';
import { code } from '../../ui/recovery/code.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { signedIn } from '../queries/session.ts';
import { AuthLayout, Wrong } from './auth-layout.tsx';

const Step = lazy(code(() => import('./factor-step.tsx').then((all) => ({ default: all.FactorStep }))));

/** Asks a member for the second factor. Few members have one, so the code of this step is loaded only when it is needed. */
export const FactorStep = (): ReactNode => (
  <Suspense>
    <Step />
  </Suspense>
);

const SessionContext = createContext<Session | null>(null);

/** Returns the session of the member. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession needs a SignedIn above it.');
  return session;
}

/**
 * Shows a page to a member whose sign-in is complete, including a required second factor. Other callers sign in first.
 */
export function SignedIn({ children }: { children: ReactNode }) {
  const portal = usePortal();
  // Stores the address of the page now, because the address changes during the redirect to the sign-in page.
  const [asked] = useState(() => `${location.pathname}${location.search}`);
  const { data, error, isFetching } = useQuery(signedIn(portal));
  if (error) {
    return (
      <AuthLayout title={t('signIn')}>
        <Wrong>{authWords(error)}</Wrong>
      </AuthLayout>
    );
  }
  // If no session is cached and a request is running, waits for its response, because the cached result may be outdated.
  if (data === undefined || (data === null && isFetching)) return null;
  if (data === null) return <Navigate to="/account/sign-in" search={asked === '/' ? {} : { next: asked }} replace />;
  if (data.needsFactor) return <FactorStep />;
  return <SessionContext value={data.session}>{children}</SessionContext>;
}
