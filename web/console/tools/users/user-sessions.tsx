import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { revokeSession, sessionList } from '../../queries/sessions.ts';
import { signInMethodText } from '../sessions/sign-in-method-text.ts';
import styles from './users.module.css';

const inSight = 5;

/** Lists the newest sessions of a user with buttons that end them, and a link to all sessions. */
export function UserSessions({ appRef, userId }: { appRef: string; userId: string }) {
  const { data, error } = useQuery(sessionList(appRef, userId));
  const revoking = useMutation(revokeSession(appRef));
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />;
  if (data.length === 0) return <p className={styles.plain}>No active sessions.</p>;
  return (
    <>
      {data.slice(0, inSight).map((session) => (
        <div key={session.id} className={styles.line}>
          <span className="cut">
            {session.device}{' '}
            <span className="soft">
              {[session.ip, signInMethodText(session), session.aal].filter((word) => word !== null).join(', ')}
            </span>
          </span>
          <span className="soft">
            <TimeAgo iso={session.refreshed_at ?? session.created_at} />
          </span>
          <Button
            small
            kind="quiet"
            aria-label={`Revoke the session with ${session.device}`}
            busy={revoking.isPending && revoking.variables === session.id && 'Revoking'}
            onClick={() => revoking.mutate(session.id)}
          >
            Revoke
          </Button>
        </div>
      ))}
      {revoking.error && <FailureNote facts={failureFacts(revoking.error)} />}
      <p className={styles.line}>
        <Link to="/app/$ref/sessions" params={{ ref: appRef }} search={{ user: userId }}>
          {data.length > inSight ? `All ${counted(data.length, 'session')}` : 'Open in Sessions'}
        </Link>
      </p>
    </>
  );
}
