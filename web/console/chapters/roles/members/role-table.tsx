import { IconMail, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RolesChapter } from '../../../../../contract/specification-roles.ts';
import { Button } from '../../../../ui/button.tsx';
import { Figure } from '../../../../ui/figure.tsx';
import { rowClass, Table } from '../../../../ui/table.tsx';
import { counted } from '../../../format/format.ts';
import { definedRoles } from '../../../queries/roles.ts';
import rolesStyles from '../roles.module.css';
import { InviteDialog } from './invite-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { leastFirst } from './role-sql.ts';

/** Table of the roles of members, the least first. A press on a role opens the panel with its members. */
export function RoleTable({
  appRef,
  chapter,
  selected,
  stale,
  onOpen,
}: {
  appRef: string;
  chapter: RolesChapter;
  selected: string | null;
  stale: boolean;
  onOpen: (role: string) => void;
}) {
  const { data } = useQuery(definedRoles(appRef));
  const [dialog, setDialog] = useState<'role' | 'invite' | null>(null);
  const [invited, setInvited] = useState<string | null>(null);
  const names = leastFirst(data?.map(({ name }) => name) ?? [], chapter);
  const roles = names.flatMap((name) => data?.find((role) => role.name === name) ?? []);
  return (
    <Figure
      number="Table 6.8"
      caption="Roles of members, the least first"
      tools={
        <>
          <span role="status" className="soft">
            {invited !== null && `Invited ${invited}.`}
          </span>
          <Button small icon={IconMail} onClick={() => setDialog('invite')}>
            Invite member
          </Button>
          <Button small icon={IconPlus} onClick={() => setDialog('role')}>
            New role
          </Button>
        </>
      }
    >
      {data?.length === 0 ? (
        <p className={rolesStyles.none}>
          No roles yet. All members may do the same. Define a role to allow some of them more.
        </p>
      ) : (
        <Table label="Roles of members" stale={stale}>
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">What its members do</th>
              <th scope="col">Members</th>
            </tr>
          </thead>
          <tbody>
            {roles.map(({ name, description, members }) => (
              <tr
                key={name}
                className={rowClass}
                data-selected={name === selected || undefined}
                onClick={() => onOpen(name)}
              >
                <td>
                  <button type="button" className={rolesStyles.open} aria-pressed={name === selected}>
                    <b>{name}</b>
                  </button>
                </td>
                <td>{description ?? <span className="soft">not described</span>}</td>
                <td>{counted(members, 'member')}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <Dialogs {...{ appRef, names, dialog, onOpen }} onInvited={setInvited} onClose={() => setDialog(null)} />
    </Figure>
  );
}

/** The dialog that is open, if any. */
function Dialogs({
  appRef,
  names,
  dialog,
  onOpen,
  onInvited,
  onClose,
}: {
  appRef: string;
  names: readonly string[];
  dialog: 'role' | 'invite' | null;
  onOpen: (role: string) => void;
  onInvited: (email: string) => void;
  onClose: () => void;
}) {
  if (dialog === 'role') {
    const onDone = (name: string) => {
      onClose();
      onOpen(name);
    };
    return <RoleDialog {...{ appRef, names, onDone, onClose }} defined={undefined} />;
  }
  if (dialog !== 'invite') return null;
  const onDone = (email: string) => {
    onClose();
    onInvited(email);
  };
  return <InviteDialog {...{ appRef, onDone, onClose }} roles={names} preset={null} />;
}
