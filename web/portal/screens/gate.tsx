import type { Session } from '@supabase/auth-js';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { AuthLayout, Wrong } from '../auth/auth-layout.tsx';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { followRows } from '../data/live.ts';
import { ScreensContext, screens } from '../data/screens.ts';
import { hasSignedOut, signedIn } from '../data/session.ts';
import { FactorStep } from '../sign-in/signed-in.tsx';
import { Toasts } from './toast.tsx';

const CallerContext = createContext<Session | null>(null);

/** Returns the session of the member; null without a session. */
export const useCaller = (): Session | null => use(CallerContext);

/** Redirects to the sign-in page. The sign-in later returns to the address that was open when this component was added. */
export function ToSignIn() {
  const [asked] = useState(() => `${location.pathname}${location.search}`);
  return <Navigate to="/account/sign-in" search={asked === '/' ? {} : { next: asked }} replace />;
}

/** Loads the screens that the caller may open, and shows the pages with them. A visitor who may open no screen must sign in first. */
export function Gate({ children }: { children: ReactNode }) {
  const portal = usePortal();
  const session = useQuery(signedIn(portal));
  const userId = session.data?.session.user.id ?? null;
  const [wasMember, setWasMember] = useState(false);
  if (userId !== null && !wasMember) setWasMember(true);
  const isKnown = session.data !== undefined && !(session.data === null && session.isFetching);
  const found = useQuery({ ...screens(portal, userId), enabled: isKnown && session.data?.needsFactor !== true });
  useEffect(() => {
    const stop = followRows();
    return () => stop();
  }, []);
  const error = session.error ?? (found.data ? null : found.error);
  if (error) {
    return (
      <AuthLayout title={portal.app.name}>
        <Wrong>{authWords(error)}</Wrong>
      </AuthLayout>
    );
  }
  if (session.data?.needsFactor) return <FactorStep />;
  if (!isKnown || !found.data) return null;
  // If the session of a member has ended, the member must sign in again, and not continue as a visitor without noticing it.
  const hasEnded = session.data === null && wasMember && !hasSignedOut();
  if (hasEnded || (session.data === null && found.data.screens.length === 0)) {
    return <ToSignIn />;
  }
  return (
    <CallerContext value={session.data?.session ?? null}>
      <ScreensContext value={found.data}>
        <Toasts>{children}</Toasts>
      </ScreensContext>
    </CallerContext>
  );
}
