import { useMutation } from '@tanstack/react-query';
import type { QueueEntry } from '../../../../contract/queues.ts';
import { counted } from '../../format/format.ts';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import { dropQueue, purgeQueue } from '../../queries/queues.ts';

interface Props {
  appRef: string;
  queue: QueueEntry;
  onDone: () => void;
  onClose: () => void;
}

/** Asks for the name before all messages of a queue are deleted. */
export function PurgeDialog({ appRef, queue: { name, length, archived }, onDone, onClose }: Props) {
  const { mutate, isPending, error } = useMutation(purgeQueue(appRef));
  return (
    <ConfirmByTyping
      title={`Purge ${name}?`}
      name={name}
      verb={['Purge', 'Purging']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(name, { onSuccess: onDone })}
      onClose={onClose}
    >
      This deletes {counted(length, 'message')}, including messages that a reader works on. You cannot restore them. The
      archive with {counted(archived, 'message')} stays.
    </ConfirmByTyping>
  );
}

/** Asks for the name before a queue is dropped. */
export function DropDialog({ appRef, queue: { name, length, archived }, onDone, onClose }: Props) {
  const { mutate, isPending, error } = useMutation(dropQueue(appRef));
  return (
    <ConfirmByTyping
      title={`Drop ${name}?`}
      name={name}
      verb={['Drop', 'Dropping']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(name, { onSuccess: onDone })}
      onClose={onClose}
    >
      The queue is dropped with {counted(length, 'message')} and {counted(archived, 'archived message')}. Calls that
      send to it or read from it fail.
    </ConfirmByTyping>
  );
}
