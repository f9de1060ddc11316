import { useMutation } from '@tanstack/react-query';
import { ConfirmByTyping } from '../forms/confirm-by-typing.tsx';
import { deleteApp } from '../queries/apps.ts';

/** Deletes an app after the builder has typed its ref. */
export function DeleteAppDialog({
  appRef,
  onClose,
  onDeleted = onClose,
}: {
  appRef: string;
  onClose: () => void;
  onDeleted?: () => void;
}) {
  const { mutate, isPending, error } = useMutation(deleteApp(appRef));
  return (
    <ConfirmByTyping
      title={`Delete ${appRef}`}
      name={appRef}
      verb={['Delete app', 'Deleting app']}
      pending={isPending}
      error={error}
      onConfirm={(confirm) => mutate({ confirm }, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      This deletes the tables and rows of the app, its members with their sessions, and its keys. You cannot undo this.
      Ninefold keeps no copy.
    </ConfirmByTyping>
  );
}
