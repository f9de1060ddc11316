import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { appRoles } from '../../../../contract/least-roles.ts';
import type { AppBuilder, AppTeam } from '../../../../contract/team.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Table, TableHead } from '../../../ui/table.tsx';
import { ConfirmByTyping } from '../../forms/confirm-by-typing.tsx';
import { failureFacts, needsProof } from '../../queries/api-failure.ts';
import { changeRole, leaveApp, removeBuilder } from '../../queries/team.ts';
import { appsInWords, BuilderName, SecondFactorWord, Seen } from './builder-cells.tsx';
import styles from './team.module.css';

const LAST_OWNER = 'An app needs an owner. Make another builder an owner first.';

/**
 * Table of an app's builders. Owners change roles and remove builders; every builder can leave. The name of a builder
 * opens the panel.
 */
export function TeamTable({ appRef, team, selected }: { appRef: string; team: AppTeam; selected: string | undefined }) {
  const { builders, own_id: ownId, own_role: ownRole } = team;
  const changing = useMutation(changeRole(appRef));
  const [going, setGoing] = useState<AppBuilder | null>(null);
  const owners = builders.filter(({ is_member, role }) => is_member && role === 'owner');
  const isLast = ({ id }: AppBuilder) => owners.length === 1 && owners[0]?.id === id;
  const roleOf = (one: AppBuilder) => {
    if (one.owns_node) return 'owner of the node';
    if (ownRole !== 'owner') return one.role;
    return (
      <NativeSelect
        size="xs"
        aria-label={`Role of ${one.email}`}
        data={[...appRoles]}
        disabled={isLast(one)}
        {...(isLast(one) && { title: LAST_OWNER })}
        value={one.role}
        onChange={(event) => {
          const role = appRoles.find((each) => each === event.currentTarget.value);
          if (role) changing.mutate({ id: one.id, role });
        }}
      />
    );
  };
  return (
    <div className={styles.builders}>
      <Table label="Team">
        <TableHead names={['Builder', 'Role', 'Second factor', 'Apps', 'Seen']} bare="Change" />
        <tbody>
          {builders.map((one) => {
            const isOwn = one.id === ownId;
            return (
              <tr key={one.id} data-selected={one.id === selected || undefined}>
                <td>
                  <BuilderName
                    name={
                      <Link to="/app/$ref/team" params={{ ref: appRef }} search={{ builder: one.id }}>
                        {one.name}
                      </Link>
                    }
                    email={one.email}
                    isOwn={isOwn}
                  />
                </td>
                <td>{roleOf(one)}</td>
                <td>
                  <SecondFactorWord has={one.has_second_factor} />
                </td>
                <td className={styles.apps}>{appsInWords(one.owns_node, one.apps)}</td>
                <td>
                  <Seen at={one.last_seen_at} />
                </td>
                <td className="num">
                  {one.is_member && (isOwn || (ownRole === 'owner' && !one.owns_node)) && (
                    <Button
                      small
                      kind="quiet"
                      offBecause={isLast(one) ? LAST_OWNER : null}
                      aria-label={isOwn ? `Leave ${appRef}` : `Remove ${one.email}`}
                      onClick={() => setGoing(one)}
                    >
                      {isOwn ? 'Leave' : 'Remove'}
                    </Button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </Table>
      {changing.error && !needsProof(changing.error) && <FailureNote facts={failureFacts(changing.error)} />}
      {going &&
        (going.id === ownId ? (
          <LeaveDialog appRef={appRef} onClose={() => setGoing(null)} />
        ) : (
          <RemoveDialog appRef={appRef} builder={going} onClose={() => setGoing(null)} />
        ))}
    </div>
  );
}

function RemoveDialog({ appRef, builder, onClose }: { appRef: string; builder: AppBuilder; onClose: () => void }) {
  const { mutate, isPending, error } = useMutation(removeBuilder(appRef));
  return (
    <ConfirmByTyping
      title="Remove builder"
      name={builder.email}
      verb={['Remove', 'Removing']}
      pending={isPending}
      error={needsProof(error) ? null : error}
      onConfirm={() => mutate(builder.id, { onSuccess: onClose })}
      onClose={onClose}
    >
      {builder.name} can no longer open <code>{appRef}</code>. The account of {builder.email} on this node stays.
    </ConfirmByTyping>
  );
}

function LeaveDialog({ appRef, onClose }: { appRef: string; onClose: () => void }) {
  const navigate = useNavigate();
  const { mutate, isPending, error } = useMutation(leaveApp(appRef));
  return (
    <ConfirmByTyping
      title="Leave app"
      name={appRef}
      verb={['Leave', 'Leaving']}
      pending={isPending}
      error={error}
      onConfirm={() => mutate(undefined, { onSuccess: () => void navigate({ to: '/' }) })}
      onClose={onClose}
    >
      You can no longer open <code>{appRef}</code>. An owner of the app can invite you again.
    </ConfirmByTyping>
  );
}
