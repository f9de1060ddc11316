import { Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { addKeys } from '../../data/signing-keys.ts';
import styles from '../sessions/revoke-dialogs.module.css';

/** Imports a private JWK, or a JWKS of private keys, as standby keys. */
export function ImportDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation(addKeys(appRef));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const jwk = readObject(text);
    setFault(jwk === null ? 'This is not a JSON object.' : null);
    if (jwk !== null) mutate({ jwk }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Import keys" onClose={onClose}>
      <form className={styles.body} onSubmit={submit}>
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
        {error && <FailureNote facts={failureFacts(error)} />}
        <div className={styles.buttons}>
          <Button type="submit" kind="first" busy={isPending && 'Importing'}>
            Import
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
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
