import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ProviderName, providerPages, providerTitles } from '../../../../contract/providers.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Panel, VerdictLine } from '../../../ui/panel.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { Form } from '../../forms/form.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { type AppSettings, changeSettings, checkProvider } from '../../queries/settings.ts';
import styles from './sign-in-methods-page.module.css';

/** Panel of a provider's settings. The secret can be written but not read. */
export function ProviderPanel({
  appRef,
  name,
  settings,
  callback,
  onClose,
}: {
  appRef: string;
  name: ProviderName;
  settings: AppSettings;
  /** The callback address that is registered at the provider, unless a setting names another address. */
  callback: string;
  onClose: () => void;
}) {
  const title = providerTitles[name];
  const entry = (part: string) => settings.get(`external_${name}_${part}`);
  const textOf = (part: string) => String(entry(part)?.value ?? '');
  const [clientId, setClientId] = useState(textOf('client_id'));
  const [secret, setSecret] = useState('');
  const [url, setUrl] = useState(textOf('url'));
  const { mutate, isPending, error } = useMutation(changeSettings(appRef));
  const isEnabled = entry('enabled')?.value === true;
  const isFilled = clientId.trim() !== '' && (secret !== '' || entry('secret')?.is_set === true);
  const save = (isOn: boolean) =>
    mutate(
      {
        [`external_${name}_client_id`]: clientId.trim() || undefined,
        [`external_${name}_url`]: url.trim() || undefined,
        ...(secret !== '' && { [`external_${name}_secret`]: secret }),
        [`external_${name}_enabled`]: isOn,
      },
      { onSuccess: () => setSecret('') },
    );
  return (
    <Panel
      label={title}
      title={title}
      tools={<Tag kind={isEnabled ? 'ok' : undefined}>{isEnabled ? 'on' : 'off'}</Tag>}
      onClose={onClose}
    >
      <VerdictLine>Members sign in at {title}, then return to the app.</VerdictLine>
      <WhereToRegister name={name} />
      <Form
        className={styles.form}
        verb={[isEnabled ? 'Save' : 'Save and switch on', 'Saving']}
        pending={isPending}
        offBecause={isFilled ? null : 'The provider needs a client id and a secret.'}
        error={error}
        aside={
          isEnabled && (
            <Button kind="quiet" onClick={() => mutate({ [`external_${name}_enabled`]: false })}>
              Switch off
            </Button>
          )
        }
        onSubmit={() => save(isEnabled || isFilled)}
      >
        <TextInput
          label="Client id"
          description={entry('client_id')?.meaning}
          autoComplete="off"
          value={clientId}
          onChange={(event) => setClientId(event.currentTarget.value)}
        />
        <SecretField isSet={entry('secret')?.is_set === true} value={secret} onChange={setSecret} />
        <CallbackAddress address={textOf('redirect_uri') || callback} />
        <TextInput
          label="Address"
          description={entry('url')?.meaning}
          placeholder="the public one"
          autoComplete="off"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <Choices {...{ entry, name }} onChange={mutate} />
      </Form>
      {isEnabled && <CredentialsCheck key={`${textOf('client_id')} ${isPending}`} {...{ appRef, name }} />}
    </Panel>
  );
}

/**
 * Button that checks the stored client id and secret at the provider, and the result.
 * @param name Name of the provider in calls.
 */
export function CredentialsCheck({ appRef, name }: { appRef: string; name: string }) {
  const { mutate, isPending, data, error } = useMutation(checkProvider(appRef));
  return (
    <div className={styles.form}>
      <div className="buttons">
        <Button busy={isPending && 'Checking'} onClick={() => mutate(name)}>
          Check credentials
        </Button>
      </div>
      <div role="status">{data && <VerdictLine>{data.words}</VerdictLine>}</div>
      {error && <FailureNote facts={failureFacts(error)} />}
    </div>
  );
}

/** Links to the page of the provider where the app is registered. */
const WhereToRegister = ({ name }: { name: ProviderName }) => (
  <p className={styles.where}>
    Register the app at{' '}
    <a href={providerPages[name]} target="_blank" rel="noreferrer">
      {new URL(providerPages[name]).host}
    </a>{' '}
    with the callback address below. {providerTitles[name]} then shows the client id and the secret.
  </p>
);

/** Switches of a provider. A change of a switch is stored at once. */
function Choices({
  entry,
  name,
  onChange,
}: {
  entry: (part: string) => ReturnType<AppSettings['get']>;
  name: ProviderName;
  onChange: (changes: Record<string, boolean>) => void;
}) {
  return (['email_optional', 'skip_nonce_check'] as const).map((part) => (
    <div key={part} className={styles.choice}>
      <p>{entry(part)?.meaning.replace(/^Whether (.)/, (_, first: string) => first.toUpperCase())}</p>
      <Switch
        label={part === 'email_optional' ? 'Address optional' : 'Nonce not needed'}
        isOn={entry(part)?.value === true}
        onChange={(next) => onChange({ [`external_${name}_${part}`]: next })}
      />
    </div>
  ));
}

/** Field of a secret. A stored secret cannot be shown; a new secret replaces it. */
export function SecretField({
  isSet,
  value,
  onChange,
}: {
  isSet: boolean;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextInput
      label="Client secret"
      type="password"
      autoComplete="new-password"
      placeholder={isSet ? 'stored, not shown' : 'none'}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Shows the address to register at the provider. */
export function CallbackAddress({ address }: { address: string }) {
  return (
    <div>
      <div className={styles.fieldLabel}>Callback address, to register at the provider</div>
      <div className={styles.copy}>
        <code>{address}</code>
        <CopyButton text={address} what="the callback address" />
      </div>
    </div>
  );
}
