import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconMail, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RolesChapter } from '../../../../../contract/specification-roles.ts';
import { Button } from '../../../../ui/button.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Panel, PanelSection, VerdictLine } from '../../../../ui/panel.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { counted } from '../../../format/format.ts';
import { TimeAgo } from '../../../format/time-ago.tsx';
import { ConfirmByTyping } from '../../../forms/confirm-by-typing.tsx';
import { fileName } from '../../../migrations/file-name.ts';
import { MigrationPreview } from '../../../migrations/migration-preview.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import {
  changeHolder,
  type DefinedRole,
  definedRoles,
  HOLDERS,
  invalidateRoles,
  type RoleHolder,
  roleHolders,
} from '../../../queries/roles.ts';
import { applyMigration, migrationTrial } from '../../../queries/sql.ts';
import { userList } from '../../../queries/users.ts';
import { nameOf } from '../../../tools/users/user-words.ts';
import { InviteDialog } from './invite-dialog.tsx';
import styles from './members.module.css';
import { RoleDialog } from './role-dialog.tsx';
import { dropMigration, leastFirst } from './role-sql.ts';

/** Panel of a role of members: its description, who has it, and the ways to grant it. */
export function RolePanel({
  appRef,
  name,
  chapter,
  onClose,
}: {
  appRef: string;
  name: string;
  chapter: RolesChapter;
  onClose: () => void;
}) {
  const { data: roles } = useQuery(definedRoles(appRef));
  const { data: holders, error } = useQuery(roleHolders(appRef, name));
  const change = useMutation(changeHolder(appRef, name));
  const [dialog, setDialog] = useState<'describe' | 'invite' | 'delete' | null>(null);
  const role = roles?.find((one) => one.name === name);
  const names = leastFirst(roles?.map((one) => one.name) ?? [], chapter);
  const close = () => setDialog(null);
  return (
    <Panel label={`Role ${name}`} title={<b>{name}</b>} onClose={onClose}>
      <VerdictLine>{role?.description ?? 'Not described yet.'}</VerdictLine>
      <p className={styles.buttons}>
        <Button small onClick={() => setDialog('describe')}>
          Describe
        </Button>
        <Button small icon={IconMail} onClick={() => setDialog('invite')}>
          Invite
        </Button>
        <Button small kind="quiet" icon={IconTrash} onClick={() => setDialog('delete')}>
          Delete
        </Button>
      </p>
      <PanelSection title="Members" aside={role && counted(role.members, 'member')}>
        {!holders && (error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />)}
        {holders?.length === 0 && <p className="soft">No member has this role.</p>}
        <ul className={styles.holders}>
          {holders?.map((holder) => (
            <Holder
              key={holder.id}
              {...{ appRef, holder }}
              busy={change.isPending && change.variables.id === holder.id}
              onRevoke={() => change.mutate({ id: holder.id, has: false })}
            />
          ))}
        </ul>
        {holders && role && role.members > holders.length && (
          <p className="soft">{`The newest ${HOLDERS} of ${counted(role.members, 'member')} are shown.`}</p>
        )}
        {change.error && <FailureNote facts={failureFacts(change.error)} />}
      </PanelSection>
      <GrantSection
        appRef={appRef}
        holders={holders ?? []}
        busy={change.isPending}
        onGrant={(id) => change.mutate({ id, has: true })}
      />
      {dialog === 'describe' && role && (
        <RoleDialog {...{ appRef, names }} defined={role} onDone={close} onClose={close} />
      )}
      {dialog === 'invite' && (
        <InviteDialog {...{ appRef }} roles={names} preset={name} onDone={close} onClose={close} />
      )}
      {dialog === 'delete' && role && (
        <DeleteDialog {...{ appRef, role }} holders={holders ?? []} onDone={onClose} onClose={close} />
      )}
    </Panel>
  );
}

function Holder({
  appRef,
  holder: { id, name, email, grantedAt },
  busy,
  onRevoke,
}: {
  appRef: string;
  holder: RoleHolder;
  busy: boolean;
  onRevoke: () => void;
}) {
  return (
    <li>
      <span>
        <Link to="/app/$ref/users" params={{ ref: appRef }} search={{ user: id }}>
          {name}
        </Link>
        <small>
          {email !== null && email !== name && `${email}, `}granted <TimeAgo iso={grantedAt} />
        </small>
      </span>
      <Button small kind="quiet" label={`Revoke from ${name}`} busy={busy && 'Revoking'} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
}

/** Max number of members that the search offers. */
const FOUND = 5;

/** Searches the members who do not have the role, and grants it to one of them. */
function GrantSection({
  appRef,
  holders,
  busy,
  onGrant,
}: {
  appRef: string;
  holders: readonly RoleHolder[];
  busy: boolean;
  onGrant: (id: string) => void;
}) {
  const [search, setSearch] = useState('');
  const [asked] = useDebouncedValue(search.trim(), 150);
  const { data } = useInfiniteQuery({ ...userList(appRef, asked), enabled: asked !== '' });
  const found = (data?.users ?? []).filter(({ id }) => !holders.some((one) => one.id === id)).slice(0, FOUND);
  return (
    <PanelSection title="Grant to a member">
      <TextInput
        aria-label="Search members"
        placeholder="Address or id of a member"
        autoComplete="off"
        spellCheck={false}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <ul className={styles.holders}>
        {asked !== '' &&
          found.map((user) => (
            <li key={user.id}>
              <span>{nameOf(user)}</span>
              <Button
                small
                label={`Grant to ${nameOf(user)}`}
                busy={busy && 'Granting'}
                onClick={() => {
                  setSearch('');
                  onGrant(user.id);
                }}
              >
                Grant
              </Button>
            </li>
          ))}
      </ul>
      {asked !== '' && data && found.length === 0 && (
        <p className="soft">No further member matches. Invite one by mail.</p>
      )}
    </PanelSection>
  );
}

/** Asks before a role is deleted. Shows the migration, and the one that grants the role again. */
function DeleteDialog({
  appRef,
  role,
  holders,
  onDone,
  onClose,
}: {
  appRef: string;
  role: DefinedRole;
  holders: readonly RoleHolder[];
  onDone: () => void;
  onClose: () => void;
}) {
  const { sql, undo } = dropMigration(role, holders);
  const trial = useQuery(migrationTrial(appRef, sql));
  const apply = useMutation(applyMigration(appRef));
  return (
    <ConfirmByTyping
      title={`Delete the role ${role.name}?`}
      name={role.name}
      verb={['Delete role', 'Deleting']}
      pending={apply.isPending}
      error={apply.error}
      onConfirm={() =>
        apply.mutate(
          { name: fileName(`drop role ${role.name}`, new Date()), sql },
          { onSuccess: () => void invalidateRoles(appRef).then(onDone) },
        )
      }
      onClose={onClose}
    >
      <p>
        {role.members === 0
          ? 'No member has this role.'
          : `${counted(role.members, 'member')} would lose it with their next request.`}{' '}
        Policies and transitions that name it allow no one by it.
      </p>
      <MigrationPreview {...{ sql, undo, trial }} />
    </ConfirmByTyping>
  );
}
