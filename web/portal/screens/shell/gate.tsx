import type { Session } from '@supabase/auth-js';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { createContext, Fragment, lazy, type ReactNode, Suspense, use, useEffect, useState } from 'react';
import { FilesContext } from '../../../files/files-access.ts';
import { code } from '../../../ui/recovery/code.ts';
import { authWords } from '../../queries/auth-words.ts';
import { usePortal } from '../../queries/client.ts';
import { useMemberFiles } from '../../queries/files.ts';
import { followRows } from '../../queries/live.ts';
import { ScreensContext, screens } from '../../queries/screens.ts';
import { hasExpired, hasSignedOut, leaveExpired, signedIn } from '../../queries/session.ts';
import { AuthLayout, Wrong } from '../../sign-in/auth-layout.tsx';
import { FactorStep } from '../../sign-in/signed-in.tsx';
import { Toasts } from '../shared/toast.tsx';

const EndedDialog = lazy(
  code(() => import('./ended-dialog.tsx').then(({ EndedDialog: dialog }) => ({ default: dialog }))),
);

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
  const [member, setMember] = useState<Session | null>(null);
  const current = session.data?.session ?? null;
  if (current && current !== member) setMember(current);
  // While a member whose session has ended signs in again, the page of the member stays.
  const isEnded = session.data === null && member !== null && (hasExpired() || session.isFetching);
  const caller = isEnded ? member : current;
  const userId = caller?.user.id ?? null;
  const isKnown = session.data !== undefined && !(session.data === null && session.isFetching && !isEnded);
  const files = useMemberFiles(userId);
  const found = useQuery({
    ...screens(portal, userId),
    enabled: isKnown && !isEnded && session.data?.needsFactor !== true,
  });
  useEffect(() => {
    const stop = followRows(portal);
    return () => stop();
  }, [portal]);
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
  const wasMember = (member !== null || hasExpired()) && !hasSignedOut();
  if (caller === null && (wasMember || found.data.screens.length + found.data.pages.length === 0)) {
    return <ToSignIn />;
  }
  return (
    <CallerContext value={caller}>
      <ScreensContext value={found.data}>
        <FilesContext value={files}>
          <Fragment key={userId}>
            <Toasts>{children}</Toasts>
          </Fragment>
        </FilesContext>
      </ScreensContext>
      {isEnded && (
        <Suspense>
          <EndedDialog user={member.user} onLeave={leaveExpired} />
        </Suspense>
      )}
    </CallerContext>
  );
}
