import { useMutation } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { OwnSecondFactor } from '../account/own-second-factor.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import { signOut } from '../queries/session.ts';
import { coverForm, coverTitle } from './auth-layout.tsx';

/** Page that asks a builder to add a second factor. It is shown on a node that requires one, if the builder has none. */
export function AddSecondFactor({
  isAdded,
  onDone,
  onBack,
}: {
  /** True after the builder has added a second factor. */
  isAdded: boolean;
  onDone: () => void;
  onBack: () => void;
}) {
  const leaving = useMutation({ mutationFn: signOut, onSuccess: onBack });
  return (
    <div className={coverForm}>
      <h1 className={coverTitle}>Add a second factor</h1>
      <p>
        {isAdded
          ? 'Create recovery codes too. Each code replaces your second factor once.'
          : 'The owners of this node require one from every builder. The console opens once you have added an authenticator app or a security key.'}
      </p>
      <OwnSecondFactor />
      {leaving.error && <FailureNote facts={failureFacts(leaving.error)} />}
      {isAdded && (
        <Button kind="first" wide onClick={onDone}>
          Continue
        </Button>
      )}
      <Button kind="quiet" wide busy={leaving.isPending && 'Signing out'} onClick={() => leaving.mutate()}>
        Sign in as another builder
      </Button>
    </div>
  );
}
