import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { createApiKey } from '../../data/api-keys.ts';
import styles from '../sessions/revoke-dialogs.module.css';
import { KeyOnce } from './key-once.tsx';

/** Creates a secret key, and shows it once. */
export function NewKeyDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const { mutate, data, isPending, error } = useMutation(createApiKey(appRef));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate({ name });
  };
  if (data) return <KeyOnce created={data} onClose={onClose} />;
  return (
    <Dialog title="Create secret key" onClose={onClose}>
      <form className={styles.body} onSubmit={submit}>
        <p>A secret key reads and changes every row and bypasses the policies. Use it on servers only.</p>
        <TextInput
          label="Name"
          description="Says where the key is used."
          placeholder="Nightly reports"
          maxLength={limits.apiKeyNameCharacters.default}
          value={name}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {error && <FailureNote facts={failureFacts(error)} />}
        <div className={styles.buttons}>
          <Button
            type="submit"
            kind="first"
            busy={isPending && 'Creating'}
            offBecause={name.trim() === '' ? 'Enter a name first.' : null}
          >
            Create
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
