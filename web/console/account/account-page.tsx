import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BuilderDevice } from '../../../contract/team.ts';
import { Button } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { type RowColumn, RowTable } from '../../ui/row-table.tsx';
import { Sheet, SheetFoot } from '../../ui/sheet.tsx';
import { failureFacts } from '../data/api-failure.ts';
import { devices, endDevice } from '../data/session/devices.ts';
import { counted } from '../format/format.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { Page } from '../frame/page.tsx';
import { OwnPasswordDialog } from './own-password-dialog.tsx';

/** The account of the builder who is signed in: the devices, and the password. */
export function AccountPage() {
  const list = useQuery(devices());
  const ending = useMutation(endDevice());
  const [changing, setChanging] = useState(false);
  const failed = list.error ?? ending.error;
  const columns: readonly RowColumn<BuilderDevice>[] = [
    { name: 'Device', width: 200, cell: ({ device }) => device },
    { name: 'From', width: 140, cell: ({ ip }) => (ip ? <code>{ip}</code> : <span className="soft">–</span>) },
    { name: 'Since', width: 140, cell: ({ created_at }) => <TimeAgo iso={created_at} /> },
    {
      name: 'End',
      width: 120,
      bare: true,
      cell: ({ id, device, is_current }) =>
        is_current ? (
          <span className="soft">this one</span>
        ) : (
          <Button
            small
            kind="quiet"
            aria-label={`End the session of ${device}`}
            busy={ending.isPending && ending.variables === id && 'Ending'}
            onClick={() => ending.mutate(id)}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <Page bare crumbs={[{ text: 'Your account' }]} fetching={list.isLoading}>
      <Sheet
        title="Your account"
        tools={
          <Button small onClick={() => setChanging(true)}>
            Change password
          </Button>
        }
        notice={failed && <Failure facts={failureFacts(failed)} onRetry={() => void list.refetch()} />}
        foot={
          <SheetFoot
            shown={list.data ? counted(list.data.length, 'session') : 'Counting'}
            remark="A new password ends every session but this one."
          />
        }
      >
        <RowTable<BuilderDevice>
          label="Devices"
          columns={columns}
          rows={list.data}
          total={list.data?.length ?? -1}
          selected={null}
          stale={list.isError}
          onOpen={() => undefined}
        />
      </Sheet>
      {changing && <OwnPasswordDialog onClose={() => setChanging(false)} />}
    </Page>
  );
}
