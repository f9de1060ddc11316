import { NativeSelect, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { type Application, registerApplication } from '../../queries/applications.ts';
import { AddressesField, addressesIn } from './addresses-field.tsx';
import { ScopesField, scopesOf } from './scopes-field.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** Registers an application, then shows its secret once. */
export function RegisterDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const [addresses, setAddresses] = useState('');
  const [scopes, setScopes] = useState(scopesOf(undefined));
  const [type, setType] = useState<Application['client_type']>('confidential');
  const { mutate, data: registered, isPending, error } = useMutation(registerApplication(appRef));
  if (registered) return <SecretDialog title="Register application" application={registered} onClose={onClose} />;
  return (
    <FormDialog
      title="Register application"
      verb={['Register', 'Registering']}
      pending={isPending}
      error={error}
      onSubmit={() =>
        mutate({
          client_name: name.trim(),
          redirect_uris: addressesIn(addresses),
          scope: scopes.join(' '),
          client_type: type,
        })
      }
      onClose={onClose}
    >
      <TextInput
        label="Name that members see"
        placeholder="Photos"
        autoComplete="off"
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <AddressesField value={addresses} onChange={setAddresses} />
      <ScopesField value={scopes} onChange={setScopes} />
      <NativeSelect
        label="Type"
        data={[
          { value: 'confidential', label: 'Confidential: a server stores its secret' },
          { value: 'public', label: 'Public: on a device or in a browser, without a secret' },
        ]}
        value={type}
        onChange={(event) => setType(event.currentTarget.value === 'public' ? 'public' : 'confidential')}
      />
    </FormDialog>
  );
}
