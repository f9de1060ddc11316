import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Wrong } from '../auth/auth-layout.tsx';
import { CodeField } from '../auth/code-field.tsx';
import { enrollTotp, factors, makeRecoveryCodes, recoveryCodes, removeFactor, verifyFactor } from '../data/account.ts';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import styles from './account.module.css';
import { aboutClass, buttonsClass, Row, rowsClass, Section } from './account-layout.tsx';
import { since } from './times.ts';

/** Manages the second factor of the member and its recovery codes. */
export function Factors() {
  const portal = usePortal();
  const list = useQuery(factors(portal));
  const enrolling = useMutation(enrollTotp(portal));
  const removing = useMutation(removeFactor(portal));
  const verified = (list.data?.all ?? []).filter(({ status }) => status === 'verified');
  const hasFactor = verified.length > 0;
  if (!portal.app.totp && !hasFactor) return null;
  const failed = list.error ?? enrolling.error ?? removing.error;
  return (
    <Section title="Second factor" about="A 6-digit code from an app on your phone. You type it after the password.">
      {hasFactor && (
        <ul className={rowsClass}>
          {verified.map(({ id, factor_type, friendly_name, created_at }) => (
            <Row
              key={id}
              name={friendly_name || (factor_type === 'totp' ? 'Authenticator app' : 'Security key')}
              about={`Added ${since(created_at)}`}
            >
              <Button
                small
                kind="quiet"
                busy={removing.isPending && removing.variables === id && 'Removing'}
                onClick={() => removing.mutate(id)}
              >
                Remove
              </Button>
            </Row>
          ))}
        </ul>
      )}
      {enrolling.data ? (
        <Enrolment {...enrolling.data} onDone={() => enrolling.reset()} />
      ) : (
        !hasFactor && (
          <div className={buttonsClass}>
            <Button busy={enrolling.isPending && 'Making the key'} onClick={() => enrolling.mutate()}>
              Add an authenticator app
            </Button>
          </div>
        )
      )}
      {hasFactor && <RecoveryCodes />}
      <Wrong>{failed && authWords(failed)}</Wrong>
    </Section>
  );
}

/** Enrols an authenticator app: shows its QR code and asks for the first code. */
function Enrolment({
  factorId,
  picture,
  secret,
  onDone,
}: {
  factorId: string;
  picture: string;
  secret: string;
  onDone: () => void;
}) {
  const portal = usePortal();
  const { mutate, error } = useMutation(verifyFactor(portal));
  return (
    <div className={styles.enroll}>
      <img src={picture} alt="QR code for the authenticator app" />
      <div className={styles.steps}>
        <ol>
          <li>Scan this picture with your authenticator app.</li>
          <li>Type the 6 digits that it shows.</li>
        </ol>
        <p className={aboutClass}>
          No camera? Type this key into the app: <code>{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        </p>
        <CodeField
          digits={6}
          label="Code from your authenticator app, 6 digits"
          isWrong={error !== null}
          onComplete={(code) => mutate({ factorId, code }, { onSuccess: onDone })}
        />
        <Wrong>{error && authWords(error)}</Wrong>
        <div className={buttonsClass}>
          <Button small kind="quiet" onClick={onDone}>
            Cancel
          </Button>
        </div>
      </div>
    </div>
  );
}

/** Shows the number of unused recovery codes, and creates new codes. */
function RecoveryCodes() {
  const portal = usePortal();
  const status = useQuery(recoveryCodes(portal));
  const making = useMutation(makeRecoveryCodes(portal));
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const left = status.data?.remaining ?? 0;
  return (
    <div className={styles.steps}>
      <p>
        {codes
          ? 'Each code signs you in once when your phone is gone. They are shown only now: keep them in a safe place.'
          : left > 0
            ? `You have ${left} recovery codes left.`
            : 'You have no recovery codes. Without them a lost phone locks you out.'}
      </p>
      {codes && (
        <ul className={styles.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      )}
      <div className={buttonsClass}>
        {codes && <CopyButton text={codes.join('\n')} what="the recovery codes" word />}
        <Button
          small
          busy={making.isPending && 'Making codes'}
          onClick={() => making.mutate(left > 0, { onSuccess: setCodes })}
        >
          {left > 0 ? 'Make new codes' : 'Make recovery codes'}
        </Button>
      </div>
      <Wrong>{making.error && authWords(making.error)}</Wrong>
    </div>
  );
}
