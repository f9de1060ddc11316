import { Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { addKeys } from '../../queries/signing-keys.ts';

/** Imports a private JWK, or a JWKS of private keys, as standby keys. */
export function ImportDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation(addKeys(appRef));
  const submit = () => {
    const jwk = readObject(text);
    setFault(jwk === null ? 'This is not a JSON object.' : null);
    if (jwk !== null) mutate({ jwk }, { onSuccess: onClose });
  };
  return (
    <FormDialog
      title="Import keys"
      verb={['Import', 'Importing']}
      pending={isPending}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Textarea
        label="Private JWK or JWKS"
        description="HS256, ES256, RS256 or EdDSA. The private halves are stored sealed and never shown."
        rows={8}
        value={text}
        error={fault}
        spellCheck={false}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
