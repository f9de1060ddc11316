import type { Session } from '@supabase/auth-js';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useState } from 'react';
import { AuthLayout, Wrong } from '../auth/auth-layout.tsx';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { signedIn } from '../data/session.ts';
import { FactorStep } from './factor-step.tsx';

const SessionContext = createContext<Session | null>(null);

/** Returns the session of the member. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('useSession needs a SignedIn above it.');
  return session;
}

/** Shows a page to a member who is signed in with all that the account asks for. Others sign in first. */
export function SignedIn({ children }: { children: ReactNode }) {
  const portal = usePortal();
  // The address changes while the way to the sign-in is under way.
  const [asked] = useState(() => `${location.pathname}${location.search}`);
  const { data, error, isFetching } = useQuery(signedIn(portal));
  if (error) {
    return (
      <AuthLayout title="Sign in">
        <Wrong>{authWords(error)}</Wrong>
      </AuthLayout>
    );
  }
  // Nobody was signed in when it was last read: that may have changed.
  if (data === undefined || (data === null && isFetching)) return null;
  if (data === null) return <Navigate to="/sign-in" search={asked === '/' ? {} : { next: asked }} replace />;
  if (data.needsFactor) return <FactorStep />;
  return <SessionContext value={data.session}>{children}</SessionContext>;
}
