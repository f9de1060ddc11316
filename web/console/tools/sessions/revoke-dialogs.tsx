import { useMutation } from '@tanstack/react-query';
import type { SessionRow } from '../../../../contract/admin.ts';
import { counted } from '../../format/format.ts';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import form from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { revokeSessions } from '../../queries/sessions.ts';
import { whoOf } from './session-columns.tsx';

/** Asks before all sessions of the app or of a user are revoked. */
export function SessionDialogs({
  appRef,
  dialog,
  who,
  onlyUser,
  session,
  sessions,
  onDone,
  onClose,
}: {
  appRef: string;
  dialog: 'user' | 'all' | null;
  who: string;
  onlyUser: string | null;
  session: SessionRow | undefined;
  sessions: readonly SessionRow[] | undefined;
  onDone: (revoked: number) => void;
  onClose: () => void;
}) {
  if (dialog === 'all') return <RevokeAllDialog appRef={appRef} onDone={onDone} onClose={onClose} />;
  const userId = session?.user_id ?? onlyUser;
  if (dialog !== 'user' || userId === null) return null;
  return (
    <RevokeUserDialog
      appRef={appRef}
      userId={userId}
      who={session ? whoOf(session) : who}
      count={sessions?.filter(({ user_id }) => user_id === userId).length ?? 0}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

/** Ends every session of one user. */
function RevokeUserDialog({
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
    <FormDialog
      title={`Revoke ${counted(count, 'session')}`}
      verb={['Revoke all', 'Revoking']}
      danger
      focusesVerb
      pending={isPending}
      error={error}
      onSubmit={() => mutate(undefined, { onSuccess: ({ revoked }) => onDone(revoked) })}
      onClose={onClose}
    >
      <p className={form.words}>
        <b>{who}</b> is signed out everywhere within a second, and can sign in again. To keep them out, ban them under
        Users.
      </p>
    </FormDialog>
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
      pending={isPending}
      error={error}
      onConfirm={() => mutate(undefined, { onSuccess: ({ revoked }) => onDone(revoked) })}
      onClose={onClose}
    >
      Every member of <code>{appRef}</code> is signed out within a second, on every device, and must sign in again.
      Builders stay signed in to the console.
    </ConfirmByTyping>
  );
}
