import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FailureNote } from '../../../ui/failure.tsx';
import { Bar } from '../../../ui/table.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { log } from '../../data/calls/log.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import styles from './user-panel.module.css';

const inSight = 12;

/** The last calls of a member, and those that builders made as this member. */
export function UserTrail({ appRef, userId }: { appRef: string; userId: string }) {
  const { data, error } = useQuery(log(appRef, { user: userId, console: true }));
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Bar width={180} />;
  if (data.calls.length === 0) return <p className={styles.plain}>No calls yet, or none that are still stored.</p>;
  return (
    <>
      {data.calls.slice(0, inSight).map((line) => (
        <div key={line.request_id} className={styles.line}>
          <span className="cut">
            <span className="soft">{line.method}</span> <code>{line.path}</code>{' '}
            {line.source === 'builder' && <span className="soft">by the console</span>}
          </span>
          <span className="soft">{line.code ?? line.status}</span>
          <span className="soft">
            <TimeAgo iso={line.at} />
          </span>
        </div>
      ))}
      <p className={styles.line}>
        <Link to="/app/$ref/logs" params={{ ref: appRef }} search={{ user: userId, console: true }}>
          Open in Logs
        </Link>
      </p>
    </>
  );
}
