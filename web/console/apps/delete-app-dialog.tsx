import { useMutation } from '@tanstack/react-query';
import { ConfirmByTyping } from '../../ui/confirm-by-typing.tsx';
import { failureFacts } from '../data/api-failure.ts';
import { deleteApp } from '../data/apps/delete-app.ts';

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
      All of it goes: its tables and rows, its members and their sessions, its keys. This cannot be undone; Ninefold
      keeps no copy.
    </ConfirmByTyping>
  );
}
