import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { SigningKeyEntry } from '../../../../contract/admin.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { type RowColumn, RowTable } from '../../../ui/row-table.tsx';
import { Sheet, SheetFoot } from '../../../ui/sheet.tsx';
import { counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import { Page } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { addKeys, revokeKey, rotateKeys, signingKeys } from '../../queries/signing-keys.ts';
import { SettingsFrame, settingsCrumbs } from '../settings/settings-frame.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { KeyPanel } from './key-panel.tsx';

type Row = SigningKeyEntry & { readonly id: string };

const columns: readonly RowColumn<Row>[] = [
  { name: 'Key id', width: 320, cell: ({ kid }) => <code className="cut">{kid}</code> },
  { name: 'Algorithm', width: 96, cell: ({ alg }) => alg },
  { name: 'State', width: 96, cell: ({ state }) => state },
  {
    name: 'Since',
    width: 140,
    cell: ({ changed_at: changed }) =>
      changed ? <TimeAgo iso={changed} /> : <span className="soft">the app was created</span>,
  },
];

/** Page on which a builder creates, imports, rotates and revokes the keys for an app's access tokens. */
export function SigningKeysPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/keys' });
  const list = useQuery(signingKeys(ref));
  const adding = useMutation(addKeys(ref));
  const rotating = useMutation(rotateKeys(ref));
  const revoking = useMutation(revokeKey(ref));
  const [chosen, setChosen] = useState<string | null>(null);
  const [dialog, setDialog] = useState<'import' | 'revoke' | null>(null);
  const keys = list.data?.map((key): Row => ({ ...key, id: key.kid }));
  const key = keys?.find(({ kid }) => kid === chosen);
  const failed = list.error ?? adding.error ?? rotating.error;
  return (
    <Page
      bare
      appRef={ref}
      crumbs={settingsCrumbs(ref, 'Signing keys')}
      fetching={list.isLoading}
      panel={
        key && (
          <KeyPanel
            signingKey={key}
            rotating={rotating.isPending}
            onRotate={() => rotating.mutate(key.kid)}
            onRevoke={() => setDialog('revoke')}
            onClose={() => setChosen(null)}
          />
        )
      }
    >
      <SettingsFrame appRef={ref}>
        <Sheet
          title="Signing keys"
          tools={
            <>
              <Button small onClick={() => setDialog('import')}>
                Import
              </Button>
              <Button small busy={adding.isPending && 'Creating'} onClick={() => adding.mutate({})}>
                Add standby key
              </Button>
            </>
          }
          notice={failed && <Failure facts={failureFacts(failed)} onRetry={() => void list.refetch()} />}
          foot={
            <SheetFoot
              shown={keys ? counted(keys.length, 'key') : 'Counting'}
              remark="Wait ten minutes before you make a new key current: other services keep the JWKS for so long."
            />
          }
        >
          <RowTable<Row>
            label="Keys"
            columns={columns}
            rows={keys}
            total={keys?.length ?? -1}
            selected={chosen}
            stale={list.isError}
            onOpen={({ id }) => setChosen(id)}
          />
        </Sheet>
      </SettingsFrame>
      {dialog === 'import' && <ImportDialog appRef={ref} onClose={() => setDialog(null)} />}
      {dialog === 'revoke' && key && (
        <ConfirmByTyping
          title="Revoke key"
          name={ref}
          verb={['Revoke', 'Revoking']}
          pending={revoking.isPending}
          error={revoking.error}
          onConfirm={() => revoking.mutate(key.kid, { onSuccess: () => setDialog(null) })}
          onClose={() => setDialog(null)}
        >
          Tokens that <code>{key.kid}</code> signed are refused within a second, and its private half is erased. Members
          stay signed in: their clients get a token of the current key.
        </ConfirmByTyping>
      )}
    </Page>
  );
}
