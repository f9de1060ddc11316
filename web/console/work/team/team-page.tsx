import { NativeSelect } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type AppBuilder, appRoles, type Invitation } from '../../../../contract/team.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmByTyping } from '../../../ui/confirm-by-typing.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { type RowColumn, RowTable } from '../../../ui/row-table.tsx';
import { Sheet, SheetFoot } from '../../../ui/sheet.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { appTeam, changeRole, removeBuilder, withdrawInvitation } from '../../data/team/team.ts';
import { counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { Page } from '../../frame/page.tsx';
import { SettingsFrame, settingsCrumbs } from '../settings/settings-frame.tsx';
import { InviteDialog } from './invite-dialog.tsx';

type Row = (AppBuilder | Invitation) & { readonly id: string };

const isInvitation = (row: Row): row is Invitation => 'expires_at' in row;

/** The builders of an app with their roles, and the open invitations to it. */
export function TeamPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/team' });
  const team = useQuery(appTeam(ref));
  const changing = useMutation(changeRole(ref));
  const removing = useMutation(removeBuilder(ref));
  const withdrawing = useMutation(withdrawInvitation(ref));
  const [inviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<AppBuilder | null>(null);
  const isOwner = team.data?.own_role === 'owner';
  const rows: readonly Row[] | undefined = team.data && [...team.data.builders, ...team.data.invitations];
  const failed = team.error ?? changing.error ?? withdrawing.error;
  const columns: readonly RowColumn<Row>[] = [
    { name: 'E-mail', width: 220, cell: ({ email }) => email },
    { name: 'Name', width: 160, cell: (row) => (isInvitation(row) ? 'invited' : row.name) },
    {
      name: 'Role',
      width: 140,
      bare: true,
      cell: (row) =>
        isOwner && !isInvitation(row) && !row.owns_node ? (
          <NativeSelect
            size="xs"
            aria-label={`Role of ${row.email}`}
            data={[...appRoles]}
            value={row.role}
            onChange={(event) => {
              const role = appRoles.find((each) => each === event.currentTarget.value);
              if (role) changing.mutate({ id: row.id, role });
            }}
          />
        ) : (
          row.role
        ),
    },
    {
      name: 'Last sign-in',
      width: 160,
      cell: (row) =>
        isInvitation(row) ? (
          <span className="soft">by {row.invited_by}</span>
        ) : row.last_sign_in_at ? (
          <TimeAgo iso={row.last_sign_in_at} />
        ) : (
          <span className="soft">never</span>
        ),
    },
    {
      name: 'Remove',
      width: 110,
      bare: true,
      cell: (row) =>
        isOwner &&
        (isInvitation(row) ? (
          <Button small kind="quiet" onClick={() => withdrawing.mutate(row.id)}>
            Take back
          </Button>
        ) : (
          !row.owns_node && (
            <Button small kind="quiet" aria-label={`Remove ${row.email}`} onClick={() => setLeaving(row)}>
              Remove
            </Button>
          )
        )),
    },
  ];
  return (
    <Page bare appRef={ref} crumbs={settingsCrumbs(ref, 'Team')} fetching={team.isLoading}>
      <SettingsFrame appRef={ref}>
        <Sheet
          title="Team"
          tools={
            <Button
              small
              offBecause={isOwner ? null : 'Owners of the app invite builders.'}
              onClick={() => setInviting(true)}
            >
              Invite builder
            </Button>
          }
          notice={failed && <Failure facts={failureFacts(failed)} onRetry={() => void team.refetch()} />}
          foot={
            <SheetFoot
              shown={team.data ? counted(team.data.builders.length, 'builder') : 'Counting'}
              remark="Owners do everything. Developers change schema, data and settings. Readers see chapters, figures and logs, and no rows."
            />
          }
        >
          <RowTable<Row>
            label="Team"
            columns={columns}
            rows={rows}
            total={rows?.length ?? -1}
            selected={null}
            stale={team.isError}
            onOpen={() => undefined}
          />
        </Sheet>
      </SettingsFrame>
      {inviting && <InviteDialog appRef={ref} onClose={() => setInviting(false)} />}
      {leaving && (
        <ConfirmByTyping
          title="Remove builder"
          name={leaving.email}
          verb={['Remove', 'Removing']}
          busy={removing.isPending}
          failure={removing.error ? failureFacts(removing.error) : null}
          onConfirm={() => removing.mutate(leaving.id, { onSuccess: () => setLeaving(null) })}
          onClose={() => setLeaving(null)}
        >
          {leaving.name} can no longer open <code>{ref}</code>. The account of {leaving.email} on this node stays.
        </ConfirmByTyping>
      )}
    </Page>
  );
}
