import { lazy, Suspense, useSyncExternalStore } from 'react';
import { code } from '../../ui/recovery/code.ts';
import { onWaitingCall, waitingCall } from '../queries/waiting-call.ts';

const load = code(() => import('./proof-dialog.tsx'));
const ProofDialog = lazy(async () => ({ default: (await load()).ProofDialog }));

/** Shows the dialog for a proof of identity as long as a request waits for one. */
export function ProofOfIdentity() {
  const call = useSyncExternalStore(onWaitingCall, waitingCall);
  return (
    call && (
      <Suspense>
        <ProofDialog call={call} />
      </Suspense>
    )
  );
}
