import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { t } from '../../language/messages.ts';
import { usePortal } from '../queries/client.ts';
import { declined } from '../queries/consent.ts';
import { signedIn } from '../queries/session.ts';
import { AuthLayout } from '../sign-in/auth-layout.tsx';
import { SignedIn } from '../sign-in/signed-in.tsx';
import { ConsentPage, RequestOver } from './consent-page.tsx';

/**
 * Lets the member sign in before the consent page is shown. If the application asked for no dialog and no member is
 * signed in, returns to the application at once.
 */
export function ConsentRoute() {
  const portal = usePortal();
  const search = new URLSearchParams(location.search);
  const { data, error } = useQuery(signedIn(portal));
  // If the session could not be read, the request is not declined: the page shows this error instead.
  const isSilent = search.get('prompt') === 'none' && !error;
  const isSignedIn = data !== undefined && data !== null && !data.needsFactor;
  if (isSilent && data === undefined) return <AuthLayout title={t('signingIn')}>{null}</AuthLayout>;
  if (isSilent && !isSignedIn) return <Declined id={search.get('authorization_id') ?? ''} />;
  return (
    <SignedIn>
      <ConsentPage />
    </SignedIn>
  );
}

/** Returns to the application with the error which says that no member is signed in. */
function Declined({ id }: { id: string }) {
  const { data: address, error } = useQuery(declined(usePortal(), id));
  useEffect(() => {
    if (address) location.replace(address);
  }, [address]);
  return error ? <RequestOver error={error} /> : <AuthLayout title={t('signingIn')}>{null}</AuthLayout>;
}
