import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { AppConnection } from '../../../contract/admin.ts';
import { curl, type Example, environment, supabaseJs, terminal } from '../../../contract/connect-snippets.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { failureFacts, needsProof } from '../queries/api-failure.ts';
import { revealApiKey } from '../queries/api-keys.ts';
import { connection } from '../queries/apps.ts';
import styles from './overview.module.css';
import { SideSection } from './side-section.tsx';

/** Shows how to connect a program to the app: its URL, its keys, and code that runs without changes. */
export function Connect({ appRef, example }: { appRef: string; example: Example | null }) {
  const { data, error } = useQuery(connection(appRef));
  return (
    <SideSection title="Connect" least={data ? undefined : 414}>
      {data ? (
        <Connection connection={data} example={example} />
      ) : error ? (
        <FailureNote facts={failureFacts(error)} />
      ) : (
        ['URL', 'Publishable key', 'Secret key'].map((name) => (
          <div key={name} className={styles.row}>
            <span>{name}</span>
            <Skeleton width={180} />
          </div>
        ))
      )}
    </SideSection>
  );
}

function Connection({ connection: app, example }: { connection: AppConnection; example: Example | null }) {
  return (
    <>
      <AppKeys app={app} />
      <div className={styles.tabs}>
        <Tabs
          label="Connect with"
          tabs={[
            {
              name: 'supabase-js',
              content: (
                <Code code={supabaseJs(app, example)} language="javascript" label="the connection in supabase-js" />
              ),
            },
            { name: 'curl', content: <Code code={curl(app, example)} language="shell" label="the call in curl" /> },
            { name: '.env', content: <Code code={environment(app)} language="env" label="the environment" /> },
            { name: 'SQL', content: <Code code={terminal(app.ref)} language="shell" label="the commands for SQL" /> },
          ]}
        />
      </div>
    </>
  );
}

/** Shows the addresses and keys of an app. A secret is loaded only when the builder asks for it, and the audit log records that. */
function AppKeys({ app }: { app: AppConnection }) {
  const may = new Set(app.reveals);
  return (
    <>
      <CopyRow name="URL" value={app.url} />
      {app.origin !== null && app.origin !== app.url && <CopyRow name="Origin" value={app.origin} />}
      <CopyRow name="Publishable key" value={app.publishable_key} />
      {may.has('secret') && <SecretRow appRef={app.ref} id="secret" name="Secret key" shown="sb_secret_" />}
      <details className={styles.more}>
        <summary>Legacy keys and JWT secret</summary>
        {app.anon_key !== '' && <CopyRow name="anon" value={app.anon_key} />}
        {may.has('service_role') && <SecretRow appRef={app.ref} id="service_role" name="service_role" shown="" />}
        {may.has('jwt-secret') && <SecretRow appRef={app.ref} id="jwt-secret" name="JWT secret" shown="" />}
      </details>
    </>
  );
}

/** Row with the name of a value, the value, and a button that copies it. */
function CopyRow({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.row}>
      <span>{name}</span>
      <code className="cut">{value}</code>
      <CopyButton text={value} what={name} />
    </div>
  );
}

/** Row of a secret, which shows dots until the builder reveals it. */
function SecretRow({
  appRef,
  id,
  name,
  shown,
}: {
  appRef: string;
  id: AppConnection['reveals'][number];
  name: string;
  /** The beginning that all keys of this kind have in common. It is shown while the secret is hidden. */
  shown: string;
}) {
  const { mutate, data, error, isPending, reset } = useMutation(revealApiKey(appRef, id));
  return (
    <div className={styles.row}>
      <span>{name}</span>
      <code className={data ? 'cut' : 'cut soft'}>{data ? data.key : `${shown}••••••••••••`}</code>
      <span className={styles.buttons}>
        <Button
          kind="quiet"
          small
          square
          icon={data ? IconEyeOff : IconEye}
          label={data ? `Hide ${name}` : `Show ${name}`}
          aria-pressed={data !== undefined}
          busy={isPending && 'Revealing'}
          onClick={() => (data ? reset() : mutate())}
        />
        {data && <CopyButton text={data.key} what={name} />}
      </span>
      {error && !needsProof(error) && <FailureNote facts={failureFacts(error)} />}
    </div>
  );
}
