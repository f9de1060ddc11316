import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AppConnection, AppSecrets } from '../../../contract/admin.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Bar } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { failureFacts, needsProof } from '../data/api-failure.ts';
import { connection, showSecrets } from '../data/apps/connection.ts';
import styles from './connect.module.css';
import { SideSection } from './side-section.tsx';
import { curl, type Example, environment, supabaseJs, terminal } from './snippets.ts';

/** How to connect: URL, keys, and code that runs as it stands. */
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
            <Bar width={180} />
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

/** The addresses and keys of an app. Owners can ask for its secrets, which the page does not hold before. */
export function AppKeys({ app }: { app: AppConnection }) {
  const asking = useMutation(showSecrets(app.ref));
  const secret = (name: string, of: keyof AppSecrets, shown = '') =>
    app.may_show_secrets && (
      <SecretRow
        name={name}
        value={asking.data?.[of] ?? null}
        shown={shown}
        busy={asking.isPending}
        onAsk={(onSuccess) => asking.mutate(undefined, { onSuccess })}
      />
    );
  return (
    <>
      <CopyRow name="URL" value={app.url} />
      {app.origin !== null && app.origin !== app.url && <CopyRow name="Origin" value={app.origin} />}
      <CopyRow name="Publishable key" value={app.publishable_key} />
      {secret('Secret key', 'secret_key', 'sb_secret_')}
      <details className={styles.more}>
        <summary>Keys of the older kind, JWT secret</summary>
        <CopyRow name="anon" value={app.anon_key} />
        {secret('service_role', 'service_role_key')}
        {secret('JWT secret', 'jwt_secret')}
      </details>
      {asking.error && !needsProof(asking.error) && <FailureNote facts={failureFacts(asking.error)} />}
    </>
  );
}

function CopyRow({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.row}>
      <span>{name}</span>
      <code className="cut">{value}</code>
      <CopyButton text={value} what={name} />
    </div>
  );
}

/** A secret: dots until the builder asks for it. */
function SecretRow({
  name,
  value,
  shown,
  busy,
  onAsk,
}: {
  name: string;
  /** Null before somebody asked. */
  value: string | null;
  /** The beginning that every such secret has. */
  shown: string;
  busy: boolean;
  onAsk: (onSuccess: () => void) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const revealed = isOpen && value !== null;
  const press = () => (value === null ? onAsk(() => setIsOpen(true)) : setIsOpen(!isOpen));
  return (
    <div className={styles.row}>
      <span>{name}</span>
      <code className={revealed ? 'cut' : 'cut soft'}>{revealed ? value : `${shown}••••••••••••`}</code>
      <span className={styles.buttons}>
        <Button
          kind="quiet"
          small
          square
          icon={revealed ? IconEyeOff : IconEye}
          label={revealed ? `Hide ${name}` : `Show ${name}`}
          aria-pressed={revealed}
          busy={busy && 'Fetching'}
          onClick={press}
        />
        {value !== null && <CopyButton text={value} what={name} />}
      </span>
    </div>
  );
}
