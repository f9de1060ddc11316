import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { KeyValues, Panel, VerdictLine } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { Form } from '../../forms/form.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { addCustomProvider, type CustomProvider, deleteCustomProvider } from '../../queries/settings.ts';
import { CallbackAddress, CredentialsCheck, SecretField } from './provider-panel.tsx';
import styles from './sign-in-methods-page.module.css';

/** Panel of a provider that a builder added by entering its addresses. */
export function CustomProviderPanel({
  appRef,
  provider,
  callback,
  onClose,
}: {
  appRef: string;
  provider: CustomProvider;
  callback: string;
  onClose: () => void;
}) {
  const [isSure, setIsSure] = useState(false);
  const { mutate, isPending, error } = useMutation(deleteCustomProvider(appRef));
  return (
    <Panel
      label={provider.name}
      title={provider.name}
      tools={<Tag kind={provider.enabled ? 'ok' : undefined}>{provider.enabled ? 'on' : 'off'}</Tag>}
      onClose={onClose}
    >
      <KeyValues
        pairs={[
          ['Name in calls', <code key="name">{provider.identifier}</code>],
          ['Issuer', <code key="issuer">{provider.issuer ?? provider.authorization_url}</code>],
          ['Client id', <code key="id">{provider.client_id}</code>],
          ['Client secret', 'stored, not shown'],
        ]}
      />
      {provider.enabled && <CredentialsCheck appRef={appRef} name={provider.identifier} />}
      <div className={styles.form}>
        <CallbackAddress address={callback} />
        {error && <FailureNote facts={failureFacts(error)} />}
        <div className="buttons">
          {isSure ? (
            <Button
              kind="danger"
              busy={isPending && 'Deleting'}
              onClick={() => mutate(provider.identifier, { onSuccess: onClose })}
            >
              Delete the provider: members can no longer sign in with it
            </Button>
          ) : (
            <Button kind="quiet" onClick={() => setIsSure(true)}>
              Delete provider
            </Button>
          )}
        </div>
      </div>
    </Panel>
  );
}

/** Panel that adds an OpenID Connect provider. The builder enters one address; the discovery document contains the others. */
export function NewProviderPanel({
  appRef,
  callback,
  onAdded,
  onClose,
}: {
  appRef: string;
  callback: string;
  onAdded: (identifier: string) => void;
  onClose: () => void;
}) {
  const [values, setValues] = useState({ name: '', issuer: '', client_id: '', client_secret: '' });
  const { mutate, isPending, error } = useMutation(addCustomProvider(appRef));
  const field = (key: 'name' | 'issuer' | 'client_id', label: string, placeholder: string) => (
    <TextInput
      label={label}
      placeholder={placeholder}
      autoComplete="off"
      value={values[key]}
      onChange={(event) => setValues({ ...values, [key]: event.currentTarget.value })}
    />
  );
  const isFilled = Object.values(values).every((value) => value.trim() !== '');
  return (
    <Panel label="New provider" title="New provider" onClose={onClose}>
      <VerdictLine>Any provider of OpenID Connect, by the address of its issuer.</VerdictLine>
      <Form
        className={styles.form}
        verb={['Add provider', 'Adding']}
        pending={isPending}
        offBecause={isFilled ? null : 'All four fields are needed.'}
        error={error}
        onSubmit={() => mutate(values, { onSuccess: ({ identifier }) => onAdded(identifier) })}
      >
        {field('name', 'Name', 'Northwind SSO')}
        {field('issuer', 'Discovery address', 'https://login.northwind.example')}
        {field('client_id', 'Client id', 'helpdesk')}
        <SecretField
          isSet={false}
          value={values.client_secret}
          onChange={(client_secret) => setValues({ ...values, client_secret })}
        />
        <CallbackAddress address={callback} />
      </Form>
    </Panel>
  );
}
