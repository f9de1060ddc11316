import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AppConnection } from '../../../contract/admin.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Bar } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { failureFacts } from '../data/api-failure.ts';
import { connection } from '../data/apps/connection.ts';
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

/** The addresses and keys of an app. Secrets are covered until somebody asks for them; a builder who may not see them gets none. */
export function AppKeys({ app }: { app: AppConnection }) {
  return (
    <>
      <CopyRow name="URL" value={app.url} />
      {app.origin !== null && app.origin !== app.url && <CopyRow name="Origin" value={app.origin} />}
      <CopyRow name="Publishable key" value={app.publishable_key} />
      {app.secret_key !== '' && <SecretRow name="Secret key" value={app.secret_key} shown="sb_secret_" />}
      <details className={styles.more}>
        <summary>Keys of the older kind, JWT secret</summary>
        <CopyRow name="anon" value={app.anon_key} />
        {app.service_role_key !== '' && <SecretRow name="service_role" value={app.service_role_key} shown="" />}
        {app.jwt_secret !== '' && <SecretRow name="JWT secret" value={app.jwt_secret} shown="" />}
      </details>
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

/** A value that opens doors: dots until it is asked for. */
function SecretRow({ name, value, shown }: { name: string; value: string; shown: string }) {
  const [revealed, setRevealed] = useState(false);
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
          onClick={() => setRevealed(!revealed)}
        />
        <CopyButton text={value} what={name} />
      </span>
    </div>
  );
}
