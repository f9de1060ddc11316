import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FailureNote } from '../../../ui/failure.tsx';
import { PanelSection } from '../../../ui/panel.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { type MemberRole, memberRoles, setMemberRole } from '../../queries/users.ts';
import panelStyles from './users.module.css';

/** Lists the roles of members. A switch grants a role to this member or revokes it. */
export function UserRoles({ appRef, userId }: { appRef: string; userId: string }) {
  const { data, error } = useQuery(memberRoles(appRef, userId));
  const change = useMutation(setMemberRole(appRef, userId));
  const granted = data?.filter(({ grantedAt }) => grantedAt !== null).length ?? 0;
  return (
    <PanelSection title="Member roles" aside={data && data.length > 0 && `${granted} of ${data.length}`}>
      {!data && (error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />)}
      {data?.length === 0 && (
        <>
          <p className={panelStyles.plain}>No roles defined yet.</p>
          <p className={panelStyles.line}>
            <Link to="/app/$ref/roles" params={{ ref: appRef }}>
              Define one in chapter 6
            </Link>
          </p>
        </>
      )}
      {data?.map((role) => (
        <Role
          key={role.name}
          role={role}
          busy={change.isPending && change.variables.role === role.name}
          onChange={(has) => change.mutate({ role: role.name, has })}
        />
      ))}
      {change.error && <FailureNote facts={failureFacts(change.error)} />}
      {data && data.length > 0 && (
        <p className={panelStyles.line}>
          <Link to="/app/$ref/roles" params={{ ref: appRef }}>
            Permissions of each role, chapter 6
          </Link>
        </p>
      )}
    </PanelSection>
  );
}

function Role({
  role: { name, description, grantedAt, members },
  busy,
  onChange,
}: {
  role: MemberRole;
  busy: boolean;
  onChange: (has: boolean) => void;
}) {
  return (
    <label className={panelStyles.role} aria-busy={busy || undefined}>
      <input
        type="checkbox"
        role="switch"
        aria-label={`Role ${name}`}
        checked={grantedAt !== null}
        aria-checked={grantedAt !== null}
        onChange={(event) => !busy && onChange(event.currentTarget.checked)}
      />
      <span className={panelStyles.words}>
        <b>{name}</b>
        {description !== null && <span className={panelStyles.about}>{description}</span>}
      </span>
      <span className={panelStyles.when}>
        {grantedAt !== null ? (
          <>
            granted <TimeAgo iso={grantedAt} />
          </>
        ) : (
          counted(members, 'member')
        )}
      </span>
    </label>
  );
}
