import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { TimeAgo } from '../../format/time-ago.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { factorTypeNames } from '../../queries/session.ts';
import { removeFactor, type UserFactor, type UserPasskey, userFactors } from '../../queries/users.ts';
import styles from './users.module.css';

/** Lists the passkeys and second factors of a user, each with a button that removes it. */
export function UserFactors({ appRef, userId }: { appRef: string; userId: string }) {
  const { data, error } = useQuery(userFactors(appRef, userId));
  const removing = useMutation(removeFactor(appRef, userId));
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />;
  const { passkeys, factors } = data;
  const lines = [...passkeys.map(passkeyLine), ...factors.map(factorLine)];
  if (lines.length === 0) return <p className={styles.plain}>None. The member adds them in your app.</p>;
  return (
    <>
      {lines.map(({ kind, id, name, more, since }) => (
        <div key={id} className={styles.line}>
          <span className="cut">
            {name} <span className="soft">{more}</span>
          </span>
          <span className="soft">
            <TimeAgo iso={since} />
          </span>
          <Button
            small
            kind="quiet"
            aria-label={`Remove ${name}`}
            busy={removing.isPending && removing.variables.factor === id && 'Removing'}
            onClick={() => removing.mutate({ kind, factor: id })}
          >
            Remove
          </Button>
        </div>
      ))}
      {removing.error && <FailureNote facts={failureFacts(removing.error)} />}
    </>
  );
}

const passkeyLine = (passkey: UserPasskey) => ({
  kind: 'passkeys' as const,
  id: passkey.id,
  name: passkey.friendly_name || 'Passkey',
  more: passkey.last_used_at ? 'passkey, last used' : 'passkey, added',
  since: passkey.last_used_at ?? passkey.created_at,
});

function factorLine(factor: UserFactor) {
  const type = factorTypeNames[factor.factor_type] ?? factor.factor_type;
  const isSet = factor.remaining !== undefined;
  const left = isSet ? `${factor.remaining} of ${factor.total} left, created` : type.toLowerCase();
  const state = factor.status === 'verified' ? '' : ', not verified yet';
  return {
    kind: 'factors' as const,
    id: factor.id,
    name: isSet ? type : factor.friendly_name || type,
    more: `${left}${state}`,
    since: factor.created_at,
  };
}
