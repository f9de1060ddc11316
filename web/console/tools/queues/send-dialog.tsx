import { Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { queueLimits } from '../../../../contract/limits/queues.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { sendMessage } from '../../queries/queues.ts';
import styles from './queues.module.css';
import { readMessage } from './read-message.ts';

const maxDelay = queueLimits.queueDelaySeconds.default;

/** Sends a message to a queue. */
export function SendDialog({ appRef, queue, onClose }: { appRef: string; queue: string; onClose: () => void }) {
  const [message, setMessage] = useState('{\n  \n}');
  const [headers, setHeaders] = useState('');
  const [delay, setDelay] = useState('');
  const { mutate, isPending, error } = useMutation(sendMessage(appRef, queue));
  const read = readMessage({ message, headers, delay }, maxDelay);
  return (
    <FormDialog
      title={`Send message to ${queue}`}
      width={520}
      verb={['Send', 'Sending']}
      pending={isPending}
      offBecause={'refused' in read ? read.refused : null}
      error={error}
      onSubmit={() => {
        if ('body' in read) mutate(read.body, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <Textarea
        classNames={{ input: styles.json ?? '' }}
        label="Message"
        description="Any JSON value."
        autosize
        minRows={5}
        maxRows={16}
        spellCheck={false}
        data-autofocus
        value={message}
        onChange={({ currentTarget }) => setMessage(currentTarget.value)}
      />
      <Textarea
        classNames={{ input: styles.json ?? '' }}
        label="Headers"
        description="A JSON object, or empty."
        placeholder={'{"trace": "a1"}'}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        value={headers}
        onChange={({ currentTarget }) => setHeaders(currentTarget.value)}
      />
      <TextInput
        label="Delay in seconds"
        description="Readers get the message after it. Empty for at once."
        placeholder="60"
        inputMode="numeric"
        value={delay}
        onChange={({ currentTarget }) => setDelay(currentTarget.value)}
      />
    </FormDialog>
  );
}
