import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { factorLimits } from '../../../contract/limits/factors.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Skeleton } from '../../ui/table.tsx';
import { dateTime } from '../format/format.ts';
import { TimeAgo } from '../format/time-ago.tsx';
import { FormDialog } from '../forms/form-dialog.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import {
  addSecurityKey,
  beginTotp,
  builder,
  canUsePasskeys,
  factorName,
  isCancelled,
  makeCodes,
  ownFactors,
  removeOwnFactor,
} from '../queries/session.ts';
import styles from './account-page.module.css';
import { TotpDialog } from './totp-dialog.tsx';

/**
 * Lists the second factors of the builder. It can add an authenticator app or a security key, and create recovery
 * codes.
 */
export function OwnSecondFactor() {
  const { data, error } = useQuery(ownFactors());
  const beginning = useMutation(beginTotp());
  const coding = useMutation(makeCodes());
  const removing = useMutation(removeOwnFactor());
  const [open, setOpen] = useState<'totp' | 'key' | 'codes' | null>(null);
  const due = useQuery(builder()).data?.second_factor_due;
  const close = () => setOpen(null);
  const failed = beginning.error ?? coding.error ?? removing.error;
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={180} />;
  const verified = data.filter(({ status }) => status === 'verified');
  const hasApp = verified.some(({ factor_type }) => factor_type === 'totp');
  const hasCodes = verified.some(({ factor_type }) => factor_type === 'recovery_code');
  return (
    <>
      <p className={styles.words}>
        {verified.length > 0
          ? 'Every sign-in asks for one of these after the password or the passkey.'
          : 'No second factor yet. Add an authenticator app or a security key to protect your account.'}
      </p>
      {verified.length === 0 && due && (
        <p className={styles.words}>
          This node requires one from {dateTime(due)}. After that date you cannot use the console until you add one.
        </p>
      )}
      {verified.map((factor) => (
        <div key={factor.id} className={styles.line}>
          <span className="cut">{factorName(factor)}</span>
          <span className="soft">
            <TimeAgo iso={factor.created_at} />
          </span>
          <Button
            small
            kind="quiet"
            aria-label={`Remove ${factorName(factor)}`}
            busy={removing.isPending && removing.variables === factor.id && 'Removing'}
            onClick={() => removing.mutate(factor.id)}
          >
            Remove
          </Button>
        </div>
      ))}
      {failed && <FailureNote facts={failureFacts(failed)} />}
      <div className={styles.tools}>
        {verified.length > 0 && (
          <Button
            small
            busy={coding.isPending && 'Creating codes'}
            onClick={() => coding.mutate({ replace: hasCodes }, { onSuccess: () => setOpen('codes') })}
          >
            {hasCodes ? 'Replace recovery codes' : 'Create recovery codes'}
          </Button>
        )}
        {!hasApp && (
          <Button
            small
            busy={beginning.isPending && 'Preparing'}
            onClick={() => beginning.mutate(undefined, { onSuccess: () => setOpen('totp') })}
          >
            Add authenticator app
          </Button>
        )}
        {canUsePasskeys() && (
          <Button small onClick={() => setOpen('key')}>
            Add security key
          </Button>
        )}
      </div>
      {open === 'totp' && beginning.data && <TotpDialog factor={beginning.data} onClose={close} />}
      {open === 'key' && <SecurityKeyDialog onClose={close} />}
      {open === 'codes' && coding.data && <CodesDialog codes={coding.data.codes} onClose={close} />}
    </>
  );
}

/** Shows new recovery codes. The server sends them only once. */
function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog title="Recovery codes" onClose={onClose}>
      <p className={styles.words}>
        Each code replaces your second factor once. Store them now: the console does not show them later.
      </p>
      <ul className={styles.codes} aria-label="Codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} what="the recovery codes" word />
    </Dialog>
  );
}

/** Names a security key and adds it as a second factor. */
function SecurityKeyDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('Security key');
  const { mutate, isPending, error } = useMutation(addSecurityKey());
  return (
    <FormDialog
      title="Add security key"
      verb={['Add', 'Waiting for the key']}
      pending={isPending}
      error={isCancelled(error) ? null : error}
      onSubmit={() => mutate(name.trim(), { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className={styles.words}>
        Plug the key in, then touch it when the browser asks. If it is your first second factor, your other sessions
        end.
      </p>
      <TextInput
        label="Name"
        description="The name is shown at each sign-in, so that you use the right key."
        maxLength={factorLimits.factorNameCharacters.default}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
