import { Textarea } from '@mantine/core';
import type { User } from '@supabase/supabase-js';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { accountLimits } from '../../../../contract/limits/accounts.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { isSubmitKey } from '../../../ui/key-name.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { updateUser } from '../../queries/users.ts';
import { metadataChange, readMetadata } from './metadata.ts';
import styles from './users.module.css';

const kinds = {
  user_metadata: {
    label: 'User metadata as JSON',
    help: 'The user can change this data. Do not use it in rules of the app.',
    most: accountLimits.userMetadataBytes.default,
  },
  app_metadata: {
    label: 'App metadata as JSON',
    help: 'Only the secret key and builders can change this data. Rules of the app can use it.',
    most: accountLimits.appMetadataBytes.default,
  },
} as const;

/** Editor of one of a user's two metadata objects as JSON. Ctrl/Cmd Enter saves. */
export function MetadataEditor({ appRef, user, kind }: { appRef: string; user: User; kind: keyof typeof kinds }) {
  const { label, help, most: max } = kinds[kind];
  const stored = JSON.stringify(user[kind], null, 2);
  const [text, setText] = useState(stored);
  const [basis, setBasis] = useState(stored);
  const { mutate, isPending, error, reset } = useMutation(updateUser(appRef, user.id));

  // The stored object has changed and the builder has not edited the text, so the editor shows the new object.
  if (basis !== stored) {
    setBasis(stored);
    if (text === basis) setText(stored);
  }

  const read = readMetadata(text, max);
  const changed = text !== stored;
  const fault = 'fault' in read ? read.fault : null;
  const save = () => {
    if (!('value' in read) || !changed || isPending) return;
    mutate(
      { [kind]: metadataChange(user[kind], read.value) },
      { onSuccess: (saved) => setText(JSON.stringify(saved[kind], null, 2)) },
    );
  };
  return (
    <>
      <Textarea
        className={styles.editor ?? ''}
        aria-label={label}
        description={fault ? undefined : help}
        error={fault}
        rows={Math.min(14, Math.max(3, text.split('\n').length))}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!isSubmitKey(event)) return;
          event.preventDefault();
          save();
        }}
      />
      {error && (
        <div className={styles.metadataEditorFailure}>
          <FailureNote facts={failureFacts(error)} />
        </div>
      )}
      {changed && (
        <div className={styles.metadataEditorButtons}>
          <Button small kind="first" busy={isPending && 'Saving'} offBecause={fault} onClick={save}>
            Save
          </Button>
          <Button
            small
            kind="quiet"
            onClick={() => {
              setText(stored);
              reset();
            }}
          >
            Discard
          </Button>
        </div>
      )}
    </>
  );
}
