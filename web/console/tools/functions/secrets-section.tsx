import { IconAlertTriangle, IconKey, IconPlus } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { FunctionSecret, FunctionsState } from '../../../../contract/functions.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { count, dayOf, listed } from '../../format/format.ts';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { setSecret } from '../../queries/functions.ts';
import { SecretDialog } from './dialogs/secret-dialog.tsx';
import styles from './functions.module.css';

type Opened = { is: 'add' } | { is: 'replace' | 'remove'; secret: FunctionSecret };

/** The secrets of the functions: their names, and which functions read them. Values are never shown. */
export function SecretsSection({ appRef, state: { secrets } }: { appRef: string; state: FunctionsState }) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const close = () => setOpened(null);
  return (
    <section className={styles.section} id="secrets">
      <div className={styles.bar}>
        <h2>
          Secrets <span>{secrets.length === 0 ? 'none' : `${count(secrets.length)}, written, never shown`}</span>
        </h2>
        <Button small icon={IconPlus} onClick={() => setOpened({ is: 'add' })}>
          Add secret
        </Button>
      </div>
      {secrets.length === 0 ? (
        <p className="soft">
          No secrets yet. Functions read a secret as an environment variable:{' '}
          <code>Deno.env.get(&apos;SMTP_TOKEN&apos;)</code>.
        </p>
      ) : (
        <ul className={styles.secrets} aria-label="Secrets">
          {secrets.map((secret) => (
            <li key={secret.name}>
              <Icon of={IconKey} small />
              <code className={styles.secret}>{secret.name}</code>
              <ReadBy of={secret} />
              <span className={styles.setBy}>
                set by {secret.set_by}, {dayOf(secret.set_at)}
              </span>
              <span className={styles.tools}>
                <Button
                  small
                  kind="quiet"
                  aria-label={`Replace ${secret.name}`}
                  onClick={() => setOpened({ is: 'replace', secret })}
                >
                  Replace
                </Button>
                <Button
                  small
                  kind="quiet"
                  aria-label={`Remove ${secret.name}`}
                  onClick={() => setOpened({ is: 'remove', secret })}
                >
                  Remove
                </Button>
              </span>
            </li>
          ))}
        </ul>
      )}
      {opened?.is === 'add' && (
        <SecretDialog appRef={appRef} name={null} known={secrets.map(({ name }) => name)} onClose={close} />
      )}
      {opened?.is === 'replace' && (
        <SecretDialog appRef={appRef} name={opened.secret.name} known={[]} onClose={close} />
      )}
      {opened?.is === 'remove' && <RemoveDialog appRef={appRef} secret={opened.secret} onClose={close} />}
    </section>
  );
}

/** Names the functions that read a secret, or warns that no function reads it. */
const ReadBy = ({ of: { read_by: readers } }: { of: FunctionSecret }) =>
  readers.length > 0 ? (
    <span className={styles.readBy}>read by {listed(readers)}</span>
  ) : (
    <span className={styles.unread}>
      <Icon of={IconAlertTriangle} small />
      read by no function
    </span>
  );

function RemoveDialog({ appRef, secret, onClose }: { appRef: string; secret: FunctionSecret; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation(setSecret(appRef));
  const { name, read_by: readers } = secret;
  return (
    <FormDialog
      title={`Remove ${name}`}
      verb={['Remove', 'Removing']}
      danger
      focusesVerb
      pending={isPending}
      error={error}
      onSubmit={() => mutate({ name, value: null }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p>
        {readers.length === 0
          ? 'No function reads the secret. Ninefold keeps no copy of its value.'
          : `${listed(readers)} ${readers.length === 1 ? 'reads' : 'read'} the secret, and will get no value from the next call on. Ninefold keeps no copy of its value.`}
      </p>
    </FormDialog>
  );
}
