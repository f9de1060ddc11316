import { useMutation } from '@tanstack/react-query';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx';
import { failureFacts } from '../data/api-failure.ts';
import { deleteApp } from '../data/apps.ts';

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
      busy={isPending}
      failure={error ? failureFacts(error) : null}
      onConfirm={(confirm) => mutate({ confirm }, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      This deletes the tables and rows of the app, its members with their sessions, and its keys. You cannot undo this.
      Ninefold keeps no copy.
    </ConfirmByTyping>
  );
}
