import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { builderLimits } from '../../../../contract/limits/builders.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { renameApp } from '../../queries/apps.ts';
import styles from './settings.module.css';

/** Shows the name of an app, with a field that changes it. */
export function NameRow({ appRef, name }: { appRef: string; name: string }) {
  const [typed, setTyped] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation(renameApp(appRef));
  const isChanged = typed !== null && typed.trim() !== '' && typed.trim() !== name;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChanged) mutate({ name: typed }, { onSuccess: () => setTyped(null) });
  };
  return (
    <form className={styles.row} onSubmit={submit}>
      <div>
        <b>Name</b>
        <p>Members read it in mails and on their pages.</p>
        {error && <FailureNote facts={failureFacts(error)} />}
      </div>
      <div>
        <TextInput
          aria-label="Name of the app"
          maxLength={builderLimits.builderNameCharacters.default}
          value={typed ?? name}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {isChanged && (
          <Button type="submit" small busy={isPending && 'Renaming'}>
            Rename
          </Button>
        )}
      </div>
    </form>
  );
}
