import { TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { addPasskey, passkeys, removePasskey, renamePasskey } from '../queries/account.ts';
import { addingWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
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
    <Section title={t('passkeys')} about={t('passkeysAbout')}>
      {list.data && list.data.length > 0 && (
        <ul className={rowsClass}>
          {list.data.map(({ id, friendly_name: name = t('passkey'), created_at, last_used_at }) =>
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
                      aria-label={t('passkeyName')}
                      value={renamed.name}
                      onChange={({ currentTarget }) => setRenamed({ id, name: currentTarget.value })}
                    />
                    <div className={buttonsClass}>
                      <Button small type="submit" busy={renaming.isPending && t('saving')}>
                        {t('save')}
                      </Button>
                      <Button small kind="quiet" onClick={() => setRenamed(null)}>
                        {t('cancel')}
                      </Button>
                    </div>
                  </form>
                }
              />
            ) : (
              <Row
                key={id}
                name={name}
                about={t(last_used_at ? 'addedAndUsed' : 'added', {
                  time: since(created_at),
                  used: last_used_at ? since(last_used_at) : '',
                })}
              >
                <Button
                  small
                  kind="quiet"
                  aria-label={t('renameOne', { name })}
                  onClick={() => setRenamed({ id, name })}
                >
                  {t('rename')}
                </Button>
                <Button
                  small
                  kind="quiet"
                  aria-label={t('removeOne', { name })}
                  busy={removing.isPending && removing.variables === id && t('removing')}
                  onClick={() => removing.mutate(id)}
                >
                  {t('remove')}
                </Button>
              </Row>
            ),
          )}
        </ul>
      )}
      <div className={buttonsClass}>
        <Button icon={IconPlus} busy={adding.isPending && t('waitingForDevice')} onClick={() => adding.mutate()}>
          {t('addPasskey')}
        </Button>
      </div>
      <Wrong>{failed && addingWords(failed)}</Wrong>
    </Section>
  );
}
