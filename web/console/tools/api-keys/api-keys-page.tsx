import { TextInput } from '@mantine/core';
import { type UseMutationResult, useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiKeyEntry, CreatedApiKey } from '../../../../contract/admin.ts';
import { sessionLimits } from '../../../../contract/limits/sessions.ts';
import { Button } from '../../../ui/button.tsx';
import { type RowColumn, RowTable } from '../../../ui/row-table.tsx';
import { Sheet, SheetFoot } from '../../../ui/sheet.tsx';
import { counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import form from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { apiKeys, createApiKey, revokeApiKey, rotateApiKey } from '../../queries/api-keys.ts';
import { SettingsFrame, settingsCrumbs } from '../settings/settings-frame.tsx';
import { ApiKeyPanel } from './api-key-panel.tsx';
import { isOlderKind, lastUseWords } from './api-key-words.ts';
import { KeyOnce } from './key-once.tsx';

const columns: readonly RowColumn<ApiKeyEntry>[] = [
  { name: 'Name', width: 200, cell: ({ name }) => name },
  { name: 'Kind', width: 100, cell: ({ kind }) => kind },
  { name: 'Begins with', width: 220, cell: ({ hint }) => <code className="cut">{hint}…</code> },
  {
    name: 'Created',
    width: 120,
    cell: ({ created_at: created }) =>
      created ? <TimeAgo iso={created} /> : <span className="soft">with the app</span>,
  },
  { name: 'Last used', width: 110, cell: (key) => lastUseWords(key) },
  {
    name: 'State',
    width: 140,
    cell: ({ revoked_at: revoked }) =>
      revoked ? (
        <span className="soft">
          revoked <TimeAgo iso={revoked} />
        </span>
      ) : (
        'valid'
      ),
  },
];

/** Page on which a builder creates, rotates and revokes the API keys of an app. */
export function ApiKeysPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/api-keys' });
  const list = useQuery(apiKeys(ref));
  const rotating = useMutation(rotateApiKey(ref));
  const [chosen, setChosen] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'create' | 'rotate' | 'revoke' | null>(null);
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const keys = list.data;
  const key = keys?.find(({ id }) => id === chosen);
  const publishable = keys?.find((each) => each.kind === 'publishable' && !isOlderKind(each) && !each.revoked_at);
  const valid = keys?.filter(({ revoked_at: revoked }) => revoked === null).length ?? 0;
  const close = () => {
    setDialog(null);
    rotating.reset();
  };
  return (
    <Page
      bare
      appRef={ref}
      crumbs={settingsCrumbs(ref, 'API keys')}
      fetching={list.isLoading}
      panel={
        key && (
          <ApiKeyPanel
            apiKey={key}
            isPublishable={key === publishable}
            rotating={rotating.isPending}
            onRotate={() => setDialog('rotate')}
            onRevoke={() => setDialog('revoke')}
            onClose={() => setChosen(null)}
          />
        )
      }
    >
      <SettingsFrame appRef={ref}>
        <Sheet
          title="API keys"
          tools={
            <Button small onClick={() => setDialog('create')}>
              Create secret key
            </Button>
          }
          notice={<QueryFailure query={list} />}
          foot={
            <SheetFoot
              shown={keys ? counted(valid, 'valid key') : 'Counting'}
              remark="Owners show the keys of a new app under Connect. A key that you create later is shown once."
            />
          }
        >
          <RowTable<ApiKeyEntry>
            label="API keys"
            columns={columns}
            rows={keys}
            total={keys?.length ?? -1}
            selected={chosen}
            stale={list.isError}
            onOpen={({ id }) => setChosen(id)}
          />
        </Sheet>
      </SettingsFrame>
      {dialog === 'create' && <NewKeyDialog appRef={ref} onClose={close} />}
      {dialog === 'rotate' && key && (
        <RotateDialog
          {...{ appRef: ref, apiKey: key, rotating }}
          onRotated={(fresh) => {
            setCreated(fresh);
            setChosen(fresh.id);
            close();
          }}
          onClose={close}
        />
      )}
      {dialog === 'revoke' && key && <RevokeDialog appRef={ref} apiKey={key} onClose={close} />}
      {created && <KeyOnce created={created} onClose={() => setCreated(null)} />}
    </Page>
  );
}

/** Asks before a key is replaced. */
function RotateDialog({
  appRef,
  apiKey,
  rotating: { mutate, isPending, error },
  onRotated,
  onClose,
}: {
  appRef: string;
  apiKey: ApiKeyEntry;
  rotating: UseMutationResult<CreatedApiKey, Error, string>;
  onRotated: (fresh: CreatedApiKey) => void;
  onClose: () => void;
}) {
  return (
    <ConfirmByTyping
      title="Rotate key"
      name={appRef}
      verb={['Rotate', 'Rotating']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(apiKey.id, { onSuccess: onRotated })}
      onClose={onClose}
    >
      <b>{apiKey.name}</b> gets a new key, and requests with the present key fail within a second. To change keys
      without a gap, create another secret key, use it, then revoke this one.
    </ConfirmByTyping>
  );
}

/** Asks before a key is revoked. */
function RevokeDialog({ appRef, apiKey, onClose }: { appRef: string; apiKey: ApiKeyEntry; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation(revokeApiKey(appRef));
  return (
    <ConfirmByTyping
      title="Revoke key"
      name={appRef}
      verb={['Revoke', 'Revoking']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(apiKey.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      Calls with <b>{apiKey.name}</b> are refused within a second. You cannot restore the key.
    </ConfirmByTyping>
  );
}

/** Creates a secret key, and shows it once. */
function NewKeyDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const { mutate, data, isPending, error } = useMutation(createApiKey(appRef));
  if (data) return <KeyOnce created={data} onClose={onClose} />;
  return (
    <FormDialog
      title="Create secret key"
      verb={['Create', 'Creating']}
      pending={isPending}
      offBecause={name.trim() === '' ? 'Enter a name first.' : null}
      error={error}
      onSubmit={() => mutate({ name })}
      onClose={onClose}
    >
      <p className={form.words}>
        A secret key reads and changes every row and bypasses the policies. Use it on servers only.
      </p>
      <TextInput
        label="Name"
        description="Says where the key is used."
        placeholder="Nightly reports"
        maxLength={sessionLimits.apiKeyNameCharacters.default}
        value={name}
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
