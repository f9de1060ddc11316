import { Outlet } from '@tanstack/react-router';
import { ProofOfIdentity } from '../proof/proof-of-identity.tsx';

/** Root of every page. The dialog for a proof of identity opens above the page. */
export function Root() {
  return (
    <>
      <Outlet />
      <ProofOfIdentity />
    </>
  );
}
