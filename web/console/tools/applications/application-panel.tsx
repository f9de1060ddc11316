import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CopiedCode } from '../../../ui/copy-button.tsx';
import { KeyValues, Panel, PanelSection } from '../../../ui/panel.tsx';
import { counted, dateTime } from '../../format/format.ts';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import { Form } from '../../forms/form.tsx';
import { type Application, changeApplication, deleteApplication, renewSecret } from '../../queries/applications.ts';
import panel from '../sessions/session-panel.module.css';
import { AddressesField, addressesIn } from './addresses-field.tsx';
import { ScopesField, scopesOf } from './scopes-field.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** One application: its name, addresses and scopes, a new secret, and its deletion. */
export function ApplicationPanel({
  appRef,
  application,
  issuer,
  readOnly,
  onClose,
}: {
  appRef: string;
  application: Application;
  /** The address of the app in its role as identity provider. */
  issuer: string;
  /** The reason why the builder cannot change the application; null if the builder can. */
  readOnly: string | null;
  onClose: () => void;
}) {
  const { client_id: id, client_name: named = '', redirect_uris: uris } = application;
  const [name, setName] = useState(named);
  const [addresses, setAddresses] = useState(uris.join('\n'));
  const [scopes, setScopes] = useState(scopesOf(application.scope));
  const [isDeleting, setIsDeleting] = useState(false);
  const changing = useMutation(changeApplication(appRef, id));
  const renewing = useMutation(renewSecret(appRef, id));
  const isChanged =
    name.trim() !== named ||
    addressesIn(addresses).join('\n') !== uris.join('\n') ||
    scopes.join(' ') !== scopesOf(application.scope).join(' ');
  const offBecause = readOnly ?? (scopes.length === 0 ? 'Choose a scope.' : isChanged ? null : 'Nothing is changed.');
  return (
    <Panel label="Selected application" title={named || id} onClose={onClose}>
      <Facts {...{ application, issuer }} />
      <Form
        verb={['Save', 'Saving']}
        pending={changing.isPending}
        offBecause={offBecause}
        error={changing.error ?? renewing.error}
        onSubmit={() =>
          changing.mutate({
            client_name: name.trim(),
            redirect_uris: addressesIn(addresses),
            scope: scopes.join(' '),
          })
        }
      >
        <TextInput
          label="Name that members see"
          autoComplete="off"
          readOnly={readOnly !== null}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <AddressesField readOnly={readOnly !== null} value={addresses} onChange={setAddresses} />
        <ScopesField readOnly={readOnly !== null} value={scopes} onChange={setScopes} />
      </Form>
      <PanelSection title="Secret and deletion">
        <div className={panel.actions}>
          {application.client_type === 'confidential' && (
            <Button
              small
              offBecause={readOnly}
              busy={renewing.isPending && 'Renewing'}
              onClick={() => renewing.mutate()}
            >
              Renew secret
            </Button>
          )}
          <Button small kind="danger" offBecause={readOnly} onClick={() => setIsDeleting(true)}>
            Delete
          </Button>
        </div>
      </PanelSection>
      {renewing.data && <SecretDialog title="New secret" application={renewing.data} onClose={renewing.reset} />}
      {isDeleting && (
        <DeleteDialog {...{ appRef, id, name: named || id }} onDeleted={onClose} onClose={() => setIsDeleting(false)} />
      )}
    </Panel>
  );
}

/** The details of an application that cannot change. */
function Facts({ application, issuer }: { application: Application; issuer: string }) {
  const { client_id: id, client_type: type, grants } = application;
  return (
    <KeyValues
      pairs={[
        ['Client id', <CopiedCode key="id" text={id} what="the client id" />],
        ['Provider', <CopiedCode key="issuer" text={issuer} what="the address of the provider" />],
        ['Type', type],
        [
          'Registered',
          `${dateTime(application.created_at)}${application.registration_type === 'dynamic' ? ', by itself' : ''}`,
        ],
        ['Allowed by', counted(grants, 'member')],
      ]}
    />
  );
}

function DeleteDialog({
  appRef,
  id,
  name,
  onDeleted,
  onClose,
}: {
  appRef: string;
  id: string;
  name: string;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(deleteApplication(appRef, id));
  return (
    <ConfirmByTyping
      title="Delete application"
      name={name}
      verb={['Delete', 'Deleting']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      Members can no longer sign in to the application. Its sessions end within a second.
    </ConfirmByTyping>
  );
}
