import { TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Wrong } from '../auth/auth-layout.tsx';
import { addPasskey, passkeys, removePasskey, renamePasskey } from '../data/account.ts';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { buttonsClass, Row, rowsClass, Section } from './account-layout.tsx';
import { since } from './times.ts';

/** Lists the passkeys of the member. */
export function Passkeys() {
  const portal = usePortal();
  const list = useQuery(passkeys(portal));
  const adding = useMutation(addPasskey(portal));
  const removing = useMutation(removePasskey(portal));
  const renaming = useMutation(renamePasskey(portal));
  const [renamed, setRenamed] = useState<{ id: string; name: string } | null>(null);
  const failed = list.error ?? adding.error ?? removing.error ?? renaming.error;
  return (
    <Section title="Passkeys" about="Sign in with your face, finger or screen lock instead of a password.">
      {list.data && list.data.length > 0 && (
        <ul className={rowsClass}>
          {list.data.map(({ id, friendly_name: name = 'Passkey', created_at, last_used_at }) =>
            renamed?.id === id ? (
              <Row
                key={id}
                name={
                  <form
                    onSubmit={(event) => {
                      event.preventDefault();
                      if (renamed.name.trim() !== '') renaming.mutate(renamed, { onSuccess: () => setRenamed(null) });
                    }}
                  >
                    <TextInput
                      aria-label="Name of the passkey"
                      value={renamed.name}
                      onChange={({ currentTarget }) => setRenamed({ id, name: currentTarget.value })}
                    />
                    <div className={buttonsClass}>
                      <Button small type="submit" busy={renaming.isPending && 'Saving'}>
                        Save
                      </Button>
                      <Button small kind="quiet" onClick={() => setRenamed(null)}>
                        Cancel
                      </Button>
                    </div>
                  </form>
                }
              />
            ) : (
              <Row
                key={id}
                name={name}
                about={`Added ${since(created_at)}${last_used_at ? `, last used ${since(last_used_at)}` : ''}`}
              >
                <Button small kind="quiet" aria-label={`Rename ${name}`} onClick={() => setRenamed({ id, name })}>
                  Rename
                </Button>
                <Button
                  small
                  kind="quiet"
                  aria-label={`Remove ${name}`}
                  busy={removing.isPending && removing.variables === id && 'Removing'}
                  onClick={() => removing.mutate(id)}
                >
                  Remove
                </Button>
              </Row>
            ),
          )}
        </ul>
      )}
      <div className={buttonsClass}>
        <Button icon={IconPlus} busy={adding.isPending && 'Waiting for the device'} onClick={() => adding.mutate()}>
          Add a passkey
        </Button>
      </div>
      <Wrong>{failed && authWords(failed)}</Wrong>
    </Section>
  );
}
