import type { User } from '@supabase/supabase-js';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CopiedCode } from '../../../ui/copy-button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { dateTime } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { useNow } from '../../format/use-now.ts';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import formStyles from '../../forms/form.module.css';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { ApiFailure, failureFacts } from '../../queries/api-failure.ts';
import { deleteUser, sendRecovery, updateUser, user as userQuery } from '../../queries/users.ts';
import { BanDialog } from './ban-dialog.tsx';
import { makePassword } from './make-password.ts';
import { MetadataEditor } from './metadata-editor.tsx';
import { PasswordField, passwordFault } from './password-field.tsx';
import { UserFactors } from './user-factors.tsx';
import { UserRoles } from './user-roles.tsx';
import { UserSessions } from './user-sessions.tsx';
import { banOf, isConfirmed, nameOf, verdictOf } from './user-words.ts';
import styles from './users.module.css';

const soft = (word: string) => <span className="soft">{word}</span>;

/** Panel of a user with all details and actions. */
export function UserPanel({
  appRef,
  id,
  listed,
  ...steps
}: {
  appRef: string;
  id: string;
  /** The user as the list contains it. It is shown until the panel's own request is finished. */
  listed: User | undefined;
} & PanelSteps) {
  const query = useQuery(userQuery(appRef, id));
  const user = query.data ?? (query.isError ? undefined : listed);
  const gone = query.error instanceof ApiFailure && query.error.code === 'user_not_found';
  return (
    <Panel label="Selected user" title={user ? nameOf(user) : <code>{id}</code>} {...steps}>
      {gone && <VerdictLine>There is no user with this id.</VerdictLine>}
      {query.error && !gone && (
        <div className={styles.failure}>
          <FailureNote facts={failureFacts(query.error)}>
            <Button small onClick={() => void query.refetch()} busy={query.isFetching && 'Trying'}>
              Try again
            </Button>
          </FailureNote>
        </div>
      )}
      {user ? (
        <>
          <UserFacts key={id} appRef={appRef} user={user} onDeleted={steps.onClose} />
          <p className={styles.line}>
            <Link to="/app/$ref/users/$id" params={{ ref: appRef, id }}>
              Open the page of this member
            </Link>
          </p>
        </>
      ) : (
        query.isPending && <Skeleton width={220} />
      )}
    </Panel>
  );
}

/** Shows the details of a user and the actions on the account. */
export function UserFacts({ appRef, user, onDeleted }: { appRef: string; user: User; onDeleted: () => void }) {
  const now = Math.max(useNow(), Date.now());
  const identities = user.identities ?? [];
  return (
    <>
      <VerdictLine>{verdictOf(user, now)}</VerdictLine>
      <UserActions appRef={appRef} user={user} onDeleted={onDeleted} now={now} />
      <PanelSection title="Account">
        <KeyValues
          pairs={[
            ['Id', <CopiedCode key="id" text={user.id} what="the id" />],
            user.phone && ['Phone', `+${user.phone}`],
            ['Role', <code key="role">{user.role || 'authenticated'}</code>],
            ['Created', dateTime(user.created_at)],
            ['Confirmed', user.confirmed_at ? dateTime(user.confirmed_at) : soft('not yet')],
            ['Last sign-in', user.last_sign_in_at ? dateTime(user.last_sign_in_at) : soft('never')],
            user.new_email && ['New address', `${user.new_email}, not confirmed yet`],
          ]}
        />
      </PanelSection>
      <UserRoles appRef={appRef} userId={user.id} />
      <PanelSection title="Passkeys and second factor">
        <UserFactors appRef={appRef} userId={user.id} />
      </PanelSection>
      <PanelSection title="Sessions">
        <UserSessions appRef={appRef} userId={user.id} />
      </PanelSection>
      <PanelSection title="Identities">
        {identities.length === 0 && <p className={styles.plain}>No linked identity.</p>}
        {identities.map((identity) => (
          <p key={identity.identity_id} className={styles.line}>
            <span className="cut">
              {identity.provider} <span className="soft">{identityName(identity.identity_data)}</span>
            </span>
            <span className="soft">
              <TimeAgo iso={identity.created_at} />
            </span>
          </p>
        ))}
      </PanelSection>
      <PanelSection title="Metadata">
        <Tabs
          label="Metadata"
          tabs={[
            { name: 'User', content: <MetadataEditor key="user" appRef={appRef} user={user} kind="user_metadata" /> },
            { name: 'App', content: <MetadataEditor key="app" appRef={appRef} user={user} kind="app_metadata" /> },
          ]}
        />
      </PanelSection>
    </>
  );
}

/** Returns the name that a person has at the provider of an identity. */
function identityName(data: Readonly<Record<string, unknown>> | undefined): string {
  const name = data?.email ?? data?.user_name ?? data?.phone ?? '';
  return typeof name === 'string' ? name : '';
}

function UserActions({
  appRef,
  user,
  now,
  onDeleted,
}: {
  appRef: string;
  user: User;
  now: number;
  onDeleted: () => void;
}) {
  const [dialog, setDialog] = useState<'password' | 'ban' | 'delete' | null>(null);
  const { mutate, isPending, error, variables } = useMutation(updateUser(appRef, user.id));
  const recovering = useMutation(sendRecovery(appRef));
  const failure = error ?? recovering.error;
  const close = () => setDialog(null);
  return (
    <>
      <div className={styles.actions}>
        {!isConfirmed(user) && user.email && (
          <Button
            small
            busy={isPending && variables.email_confirm !== undefined && 'Confirming'}
            onClick={() => mutate({ email_confirm: true })}
          >
            Confirm the address
          </Button>
        )}
        <Link
          to="/app/$ref/data"
          params={{ ref: appRef }}
          search={{ as: user.id }}
          className={buttonClass({ small: true })}
        >
          Act as this member
        </Link>
        {user.email && (
          <Button small busy={recovering.isPending && 'Sending'} onClick={() => recovering.mutate(user.email ?? '')}>
            {recovering.isSuccess ? 'Recovery link sent' : 'Send recovery link'}
          </Button>
        )}
        <Button small onClick={() => setDialog('password')}>
          Reset password
        </Button>
        {banOf(user, now) ? (
          <Button
            small
            busy={isPending && variables.ban_duration !== undefined && 'Lifting'}
            onClick={() => mutate({ ban_duration: 'none' })}
          >
            Lift the ban
          </Button>
        ) : (
          <Button small onClick={() => setDialog('ban')}>
            Ban
          </Button>
        )}
        <Button small kind="danger" className={styles.end} onClick={() => setDialog('delete')}>
          Delete
        </Button>
      </div>
      {failure && (
        <div className={styles.failure}>
          <FailureNote facts={failureFacts(failure)} />
        </div>
      )}
      {dialog === 'password' && <PasswordDialog appRef={appRef} user={user} onClose={close} />}
      {dialog === 'ban' && <BanDialog appRef={appRef} user={user} onClose={close} />}
      {dialog === 'delete' && <DeleteUserDialog appRef={appRef} user={user} onDeleted={onDeleted} onClose={close} />}
    </>
  );
}

/** Deletes a user after the builder has typed the address. */
function DeleteUserDialog({
  appRef,
  user,
  onDeleted,
  onClose,
}: {
  appRef: string;
  user: User;
  onDeleted: () => void;
  onClose: () => void;
}) {
  const { mutate, isPending, error } = useMutation(deleteUser(appRef, user.id));
  return (
    <ConfirmByTyping
      title="Delete user"
      name={nameOf(user)}
      verb={['Delete user', 'Deleting user']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      This deletes the account, its identities and sessions, and every row that references it with{' '}
      <code>on delete cascade</code>. You cannot undo this. A ban keeps the account and its rows.
    </ConfirmByTyping>
  );
}

/** Sets a new password. */
function PasswordDialog({ appRef, user, onClose }: { appRef: string; user: User; onClose: () => void }) {
  const [password, setPassword] = useState(makePassword);
  const [tried, setTried] = useState(false);
  const { mutate, isPending, error } = useMutation(updateUser(appRef, user.id));
  const fault = passwordFault(password);
  return (
    <FormDialog
      title="Reset password"
      verb={['Set password', 'Setting password']}
      pending={isPending}
      error={error}
      onSubmit={() => {
        setTried(true);
        if (!fault) mutate({ password }, { onSuccess: onClose });
      }}
      onClose={onClose}
    >
      <PasswordField label="New password" value={password} fault={tried ? fault : null} onChange={setPassword} />
      <p className={formStyles.words}>
        The old password of <b>{nameOf(user)}</b> stops working, and all sessions of the user end. Ninefold sends no
        mail. Give the new password to the user: it is not shown again.
      </p>
    </FormDialog>
  );
}
