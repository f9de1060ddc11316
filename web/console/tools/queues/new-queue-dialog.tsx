import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { queueLimits } from '../../../../contract/limits/queues.ts';
import form from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { createQueue } from '../../queries/queues.ts';

/** Creates a queue. */
export function NewQueueDialog({
  appRef,
  onDone,
  onClose,
}: {
  appRef: string;
  onDone: (name: string) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [unlogged, setUnlogged] = useState(false);
  const { mutate, isPending, error } = useMutation(createQueue(appRef));
  const given = name.trim();
  return (
    <FormDialog
      title="New queue"
      verb={['Create', 'Creating']}
      pending={isPending}
      offBecause={given === '' ? 'Enter a name first.' : null}
      error={error}
      onSubmit={() => mutate({ name: given, unlogged }, { onSuccess: () => onDone(given) })}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="SQL uses it in each call. You cannot change it later."
        placeholder="mails"
        maxLength={queueLimits.queueNameCharacters.default}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <fieldset className={form.options}>
        <legend className={form.label}>After a crash of PostgreSQL</legend>
        <label className={form.check}>
          <input type="radio" name="queue-kind" checked={!unlogged} onChange={() => setUnlogged(false)} />
          Logged: the queue keeps its messages
        </label>
        <label className={form.check}>
          <input type="radio" name="queue-kind" checked={unlogged} onChange={() => setUnlogged(true)} />
          Unlogged: faster, and the queue is empty
        </label>
      </fieldset>
    </FormDialog>
  );
}
