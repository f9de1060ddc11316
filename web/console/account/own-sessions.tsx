import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { Failure, FailureNote } from '../../ui/failure.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { TimeAgo } from '../format/time-ago.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import { devices, endDevice } from '../queries/session.ts';
import styles from './account-page.module.css';

/** Lists the sessions of the builder. A button ends each session. */
export function OwnSessions() {
  const { data, error, refetch } = useQuery(devices());
  const ending = useMutation(endDevice());
  if (!data) {
    return error ? <Failure facts={failureFacts(error)} onRetry={() => void refetch()} /> : <Skeleton width={180} />;
  }
  return (
    <>
      {data.map(({ id, device, ip, created_at, is_current }) => (
        <div key={id} className={styles.line}>
          <span className="cut">
            {device} <span className="soft">{ip}</span>
          </span>
          <span className="soft">
            <TimeAgo iso={created_at} />
          </span>
          {is_current ? (
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
          )}
        </div>
      ))}
      {ending.error && <FailureNote facts={failureFacts(ending.error)} />}
    </>
  );
}
