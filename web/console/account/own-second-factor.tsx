import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Bar } from '../../ui/table.tsx';
import { failureFacts } from '../data/api-failure.ts';
import { beginTotp, makeCodes, type OwnFactor, ownFactors, removeOwnFactor } from '../data/session/own-account.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import styles from './account-page.module.css';
import { CodesDialog } from './codes-dialog.tsx';
import { TotpDialog } from './totp-dialog.tsx';

const types: Readonly<Record<string, string>> = {
  totp: 'Authenticator app',
  webauthn: 'Security key',
  phone: 'Phone',
  recovery_code: 'Recovery codes',
};

const nameOf = ({ factor_type, friendly_name }: OwnFactor) => friendly_name || types[factor_type] || factor_type;

/** The second factors of the builder, with the way to enrol an authenticator app and to make recovery codes. */
export function OwnSecondFactor() {
  const { data, error } = useQuery(ownFactors());
  const beginning = useMutation(beginTotp());
  const coding = useMutation(makeCodes());
  const removing = useMutation(removeOwnFactor());
  const [open, setOpen] = useState<'totp' | 'codes' | null>(null);
  const close = () => setOpen(null);
  const failed = beginning.error ?? coding.error ?? removing.error;
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Bar width={180} />;
  const verified = data.filter(({ status }) => status === 'verified');
  const hasApp = verified.some(({ factor_type }) => factor_type === 'totp');
  const hasCodes = verified.some(({ factor_type }) => factor_type === 'recovery_code');
  return (
    <>
      <p className={styles.words}>
        {verified.length > 0
          ? 'Every sign-in asks for a code after the password or the passkey.'
          : 'None. With an authenticator app, your password alone opens nothing.'}
      </p>
      {verified.map((factor) => (
        <div key={factor.id} className={styles.line}>
          <span className="cut">{nameOf(factor)}</span>
          <span className="soft">
            <TimeAgo iso={factor.created_at} />
          </span>
          <Button
            small
            kind="quiet"
            aria-label={`Remove ${nameOf(factor)}`}
            busy={removing.isPending && removing.variables === factor.id && 'Removing'}
            onClick={() => removing.mutate(factor.id)}
          >
            Remove
          </Button>
        </div>
      ))}
      {failed && <FailureNote facts={failureFacts(failed)} />}
      <div className={styles.tools}>
        {hasApp ? (
          <Button
            small
            busy={coding.isPending && 'Making codes'}
            onClick={() => coding.mutate({ replace: hasCodes }, { onSuccess: () => setOpen('codes') })}
          >
            {hasCodes ? 'Replace recovery codes' : 'Make recovery codes'}
          </Button>
        ) : (
          <Button
            small
            busy={beginning.isPending && 'Preparing'}
            onClick={() => beginning.mutate(undefined, { onSuccess: () => setOpen('totp') })}
          >
            Add authenticator app
          </Button>
        )}
      </div>
      {open === 'totp' && beginning.data && <TotpDialog factor={beginning.data} onClose={close} />}
      {open === 'codes' && coding.data && <CodesDialog codes={coding.data.codes} onClose={close} />}
    </>
  );
}
