import { useMutation } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { ConfirmByTyping } from '../../../ui/confirm-by-typing.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { revokeSessions } from '../../data/sessions.ts';
import { counted } from '../../format/format.ts';
import styles from './revoke-dialogs.module.css';

/** Ends every session of one user. */
export function RevokeUserDialog({
  appRef,
  userId,
  who,
  count,
  onDone,
  onClose,
}: {
  appRef: string;
  userId: string;
  who: string;
  count: number;
  onDone: (revoked: number) => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(revokeSessions(appRef, userId));
  return (
    <Dialog title={`Revoke ${counted(count, 'session')}`} onClose={onClose}>
      <div className={styles.body}>
        <p>
          <b>{who}</b> is signed out everywhere within a second, and can sign in again. To keep them out, ban them under
          Users.
        </p>
        {error && <FailureNote facts={failureFacts(error)} />}
        <div className={styles.buttons}>
          <Button
            kind="danger"
            busy={isPending && 'Revoking'}
            data-autofocus
            onClick={() => mutate(undefined, { onSuccess: ({ revoked }) => onDone(revoked) })}
          >
            Revoke all
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Ends every session of the app after the builder has typed its ref. */
export function RevokeAllDialog({
  appRef,
  onDone,
  onClose,
}: {
  appRef: string;
  onDone: (revoked: number) => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(revokeSessions(appRef, null));
  return (
    <ConfirmByTyping
      title="Revoke every session"
      name={appRef}
      verb={['Revoke all', 'Revoking all']}
      busy={isPending}
      failure={error ? failureFacts(error) : null}
      onConfirm={() => mutate(undefined, { onSuccess: ({ revoked }) => onDone(revoked) })}
      onClose={onClose}
    >
      Every member of <code>{appRef}</code> is signed out within a second, on every device, and must sign in again.
      Builders stay signed in to the console.
    </ConfirmByTyping>
  );
}
