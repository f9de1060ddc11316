import type { User } from '@supabase/supabase-js';
import { useMutation } from '@tanstack/react-query';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import { deleteUser } from '../../queries/users.ts';
import { nameOf } from './user-words.ts';

/** Deletes a user after the builder has typed the address. */
export function DeleteUserDialog({
  appRef,
  user,
  onDeleted,
  onClose,
}: {
  appRef: string;
  user: User;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(deleteUser(appRef, user.id));
  return (
    <ConfirmByTyping
      title="Delete user"
      name={nameOf(user)}
      verb={['Delete user', 'Deleting user']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      This deletes the account, its identities and sessions, and every row that references it with{' '}
      <code>on delete cascade</code>. You cannot undo this. A ban keeps the account and its rows.
    </ConfirmByTyping>
  );
}
