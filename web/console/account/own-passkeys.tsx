import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { TimeAgo } from '../format/time-ago.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import { addPasskey, canUsePasskeys, isCancelled, ownPasskeys, removePasskey } from '../queries/session.ts';
import styles from './account-page.module.css';

/** Lists the passkeys with which the builder can sign in. */
export function OwnPasskeys() {
  const { data, error } = useQuery(ownPasskeys());
  const adding = useMutation(addPasskey());
  const removing = useMutation(removePasskey());
  const failed = removing.error ?? (isCancelled(adding.error) ? null : adding.error);
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />;
  return (
    <>
      <p className={styles.words}>A passkey signs you in without e-mail and password.</p>
      {data.map(({ id, friendly_name: given, created_at }) => {
        const name = given || 'Passkey';
        return (
          <div key={id} className={styles.line}>
            <span className="cut">{name}</span>
            <span className="soft">
              <TimeAgo iso={created_at} />
            </span>
            <Button
              small
              kind="quiet"
              aria-label={`Remove ${name}`}
              busy={removing.isPending && removing.variables === id && 'Removing'}
              onClick={() => removing.mutate(id)}
            >
              Remove
            </Button>
          </div>
        );
      })}
      {failed && <FailureNote facts={failureFacts(failed)} />}
      <div className={styles.tools}>
        {canUsePasskeys() ? (
          <Button small busy={adding.isPending && 'Waiting for the device'} onClick={() => adding.mutate()}>
            Add passkey
          </Button>
        ) : (
          <p className="soft">This browser cannot use passkeys on this page.</p>
        )}
      </div>
    </>
  );
}
