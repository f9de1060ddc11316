import { PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { setSecret } from '../../../queries/functions.ts';
import { whyNoSecretName } from '../function-words.ts';

/** Adds a secret, or replaces the value of one. */
export function SecretDialog({
  appRef,
  name: given,
  known,
  onClose,
}: {
  appRef: string;
  /** Null to add a secret. */
  name: string | null;
  /** Names of the secrets that the app has. */
  known: readonly string[];
  onClose: () => void;
}) {
  const [name, setName] = useState(given ?? '');
  const [value, setValue] = useState('');
  const { mutate, isPending, error } = useMutation(setSecret(appRef));
  const why = known.includes(name) ? `The app has a secret ${name}. Replace it in the list.` : whyNoSecretName(name);
  return (
    <FormDialog
      title={given === null ? 'Add secret' : `Replace ${given}`}
      verb={given === null ? ['Add', 'Adding'] : ['Replace', 'Replacing']}
      pending={isPending}
      offBecause={why ?? (value === '' ? 'Enter a value first.' : null)}
      error={error}
      onSubmit={() => mutate({ name, value }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {given === null && (
        <TextInput
          label="Name"
          description="Functions read it with Deno.env.get(name)."
          placeholder="SMTP_TOKEN"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={name}
          error={name === '' ? null : why}
          onChange={(event) => setName(event.currentTarget.value.trim())}
        />
      )}
      <PasswordInput
        label="Value"
        description="It is encrypted, and never shown. The next call of a function has the new value."
        autoComplete="off"
        data-autofocus={given !== null || undefined}
        value={value}
        onChange={(event) => setValue(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
