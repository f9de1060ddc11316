import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../contract/limits.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import { addSecurityKey, isCancelled } from '../queries/session.ts';
import styles from './account-page.module.css';

/** Names a security key and adds it as a second factor. */
export function SecurityKeyDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('Security key');
  const { mutate, isPending, error } = useMutation(addSecurityKey());
  return (
    <FormDialog
      title="Add security key"
      verb={['Add', 'Waiting for the key']}
      pending={isPending}
      error={isCancelled(error) ? null : error}
      onSubmit={() => mutate(name.trim(), { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className={styles.words}>
        Plug the key in, then touch it when the browser asks. If it is your first second factor, your other sessions
        end.
      </p>
      <TextInput
        label="Name"
        description="The name is shown at each sign-in, so that you use the right key."
        maxLength={limits.factorNameCharacters.default}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
