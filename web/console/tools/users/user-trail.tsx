import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FailureNote } from '../../../ui/failure.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { auditLog } from '../../queries/audit.ts';
import { everyCaller } from '../../queries/log.ts';
import { actionWords, objectOf } from '../audit/audit-words.ts';
import styles from './users.module.css';

const inSight = 12;

/** Lists the last entries of the audit log about an account, with links to all entries and to the requests of the member. */
export function UserTrail({ appRef, userId }: { appRef: string; userId: string }) {
  const { data, error } = useInfiniteQuery(
    auditLog({ kind: 'members', ref: appRef, search: '', action: '', member: userId }),
  );
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />;
  return (
    <>
      {data.length === 0 && <p className={styles.plain}>No stored events.</p>}
      {data.slice(0, inSight).map((line) => (
        <div key={line.id} className={styles.line}>
          <span className="cut" title={objectOf(line)}>
            {line.actorId !== userId && <span className="soft">{line.actor} </span>}
            {actionWords('members', line.action)}
          </span>
          <span className="soft">{line.address}</span>
          <span className="soft">
            <TimeAgo iso={line.at} />
          </span>
        </div>
      ))}
      <p className={styles.line}>
        <Link to="/app/$ref/audit" params={{ ref: appRef }} search={{ member: userId }}>
          Open in the audit log
        </Link>
        <Link to="/app/$ref/logs" params={{ ref: appRef }} search={{ user: userId, caller: everyCaller }}>
          Calls in Logs
        </Link>
      </p>
    </>
  );
}
