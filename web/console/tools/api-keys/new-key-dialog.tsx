import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import form from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { createApiKey } from '../../queries/api-keys.ts';
import { KeyOnce } from './key-once.tsx';

/** Creates a secret key, and shows it once. */
export function NewKeyDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const { mutate, data, isPending, error } = useMutation(createApiKey(appRef));
  if (data) return <KeyOnce created={data} onClose={onClose} />;
  return (
    <FormDialog
      title="Create secret key"
      verb={['Create', 'Creating']}
      pending={isPending}
      offBecause={name.trim() === '' ? 'Enter a name first.' : null}
      error={error}
      onSubmit={() => mutate({ name })}
      onClose={onClose}
    >
      <p className={form.words}>
        A secret key reads and changes every row and bypasses the policies. Use it on servers only.
      </p>
      <TextInput
        label="Name"
        description="Says where the key is used."
        placeholder="Nightly reports"
        maxLength={limits.apiKeyNameCharacters.default}
        value={name}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
