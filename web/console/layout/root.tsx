import { Outlet } from '@tanstack/react-router';
import { ProofOfIdentity } from '../proof/proof-of-identity.tsx';

/** Every page, with the question for a proof of identity above it. */
export function Root() {
  return (
    <>
      <Outlet />
      <ProofOfIdentity />
    </>
  );
}
