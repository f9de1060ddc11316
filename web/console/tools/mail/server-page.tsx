import { NumberInput, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { MailTest } from '../../../../contract/mails.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure, FailureNote } from '../../../ui/failure.tsx';
import { KeyValues, VerdictLine } from '../../../ui/panel.tsx';
import { Sheet, SheetFoot } from '../../../ui/sheet.tsx';
import { Form } from '../../forms/form.tsx';
import { Page } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { testMailServer } from '../../queries/mails.ts';
import { type AppSettings, appSettings, changeSettings } from '../../queries/settings.ts';
import styles from './mail.module.css';

/** Form of the mail server and its sender. */
export function ServerPage({ appRef, tabs }: { appRef: string; tabs: ReactNode }) {
  const { data, error, refetch, isFetching, isLoading } = useQuery(appSettings(appRef));
  return (
    <Page bare appRef={appRef} crumbs={[{ text: 'Mail' }, { text: 'Mail server' }]} fetching={isLoading}>
      <Sheet
        title="Mail"
        filters={tabs}
        notice={error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />}
        foot={<SheetFoot shown="Mail server" remark="A change takes effect at once" />}
      >
        {data && (
          <div className={styles.work}>
            <ServerForm key={appRef} appRef={appRef} settings={data} />
            <ServerTest appRef={appRef} />
          </div>
        )}
      </Sheet>
    </Page>
  );
}

const texts = ['smtp_host', 'smtp_user', 'smtp_admin_email', 'smtp_sender_name'] as const;
type Text = (typeof texts)[number];

function ServerForm({ appRef, settings: stored }: { appRef: string; settings: AppSettings }) {
  const storedText = (key: string) => String(stored.get(key)?.value ?? '');
  const [values, setValues] = useState<Record<Text, string>>(
    () => Object.fromEntries(texts.map((key) => [key, storedText(key)])) as Record<Text, string>,
  );
  const [numbers, setNumbers] = useState({
    smtp_port: Number(stored.get('smtp_port')?.value),
    rate_limit_email_sent: Number(stored.get('rate_limit_email_sent')?.value),
  });
  const [password, setPassword] = useState('');
  const { mutate, isPending, error, isSuccess } = useMutation(changeSettings(appRef));

  const changes: Record<string, unknown> = {};
  for (const key of texts) if (values[key].trim() !== storedText(key)) changes[key] = values[key].trim() || undefined;
  for (const key of ['smtp_port', 'rate_limit_email_sent'] as const) {
    if (numbers[key] !== stored.get(key)?.value) changes[key] = numbers[key];
  }
  if (password !== '') changes.smtp_pass = password;
  const isChanged = Object.keys(changes).length > 0;

  const text = (key: Text, label: string, description?: string) => (
    <TextInput
      label={label}
      description={description}
      autoComplete="off"
      spellCheck={false}
      value={values[key]}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        setValues((before) => ({ ...before, [key]: value }));
      }}
    />
  );
  const number = (key: keyof typeof numbers, label: string, description?: string) => (
    <NumberInput
      label={label}
      description={description}
      allowDecimal={false}
      allowNegative={false}
      hideControls
      value={numbers[key]}
      onChange={(value) => setNumbers((before) => ({ ...before, [key]: Number(value) }))}
    />
  );
  return (
    <Form
      className={styles.form}
      verb={['Save', 'Saving']}
      pending={isPending}
      offBecause={isChanged ? null : 'Nothing is changed.'}
      error={error}
      aside={<span role="status">{isSuccess && !isChanged ? 'Saved' : ''}</span>}
      onSubmit={() => mutate(changes, { onSuccess: () => setPassword('') })}
    >
      <div className={styles.row}>
        {text('smtp_host', 'Server')}
        {number('smtp_port', 'Port')}
      </div>
      <p className={styles.variables}>
        Public servers must encrypt the connection: port 465 begins with TLS, other ports upgrade to it. Without a
        server, mails are stored and not sent.
      </p>
      {text('smtp_user', 'User name')}
      <PasswordInput
        label="Password"
        description={
          stored.get('smtp_pass')?.is_set
            ? 'A password is set. It is stored encrypted and never shown. Type another one to replace it.'
            : 'It is stored encrypted and never shown.'
        }
        autoComplete="new-password"
        value={password}
        onChange={({ currentTarget }) => setPassword(currentTarget.value)}
      />
      {text('smtp_admin_email', 'Sender address', 'The domain must allow this server, else mails land in spam.')}
      {text('smtp_sender_name', 'Sender name')}
      {number('rate_limit_email_sent', 'Mails in an hour', 'More mails wait. Mails with a link or a code go first.')}
    </Form>
  );
}

/** Form that sends a test mail. */
function ServerTest({ appRef }: { appRef: string }) {
  const [to, setTo] = useState('');
  const { mutate, isPending, data, error } = useMutation(testMailServer(appRef));
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (to.trim() !== '' && !isPending) mutate(to.trim());
  };
  return (
    <form className={styles.form} onSubmit={send} noValidate>
      <h2 className={styles.heading}>Test</h2>
      <TextInput
        label="Send a test mail to"
        type="email"
        autoComplete="email"
        value={to}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <div className="buttons">
        <Button type="submit" busy={isPending && 'Sending'} offBecause={to.trim() === '' ? 'Type an address.' : null}>
          Send test mail
        </Button>
      </div>
      <div role="status">{data && <TestResult result={data} />}</div>
      {error && <FailureNote facts={failureFacts(error)} />}
    </form>
  );
}

function TestResult({ result }: { result: MailTest }) {
  return (
    <>
      <VerdictLine>{result.ok ? 'The server took the mail.' : 'The mail was not sent.'}</VerdictLine>
      <KeyValues
        pairs={[
          [result.ok ? 'Response' : 'Error', <code key="response">{result.response ?? result.error}</code>],
          ['Connection', result.tls ? 'encrypted' : 'not encrypted'],
          ['Duration', `${result.milliseconds} ms`],
        ]}
      />
    </>
  );
}
