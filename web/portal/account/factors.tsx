import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t, tNodes } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import {
  enrollTotp,
  factors,
  makeRecoveryCodes,
  recoveryCodes,
  removeFactor,
  verifyFactor,
} from '../queries/account.ts';
import { addingWords, authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { Wrong } from '../sign-in/auth-layout.tsx';
import { CodeField } from '../sign-in/code-field.tsx';
import styles from './account.module.css';
import { aboutClass, buttonsClass, Row, rowsClass, Section } from './account-layout.tsx';
import { since } from './times.ts';

/** Section in which the member adds and removes a second factor and creates recovery codes. */
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
    <Section title={t('factor')} about={t('factorAbout')}>
      {hasFactor && (
        <ul className={rowsClass}>
          {verified.map(({ id, factor_type, friendly_name, created_at }) => (
            <Row
              key={id}
              name={friendly_name || (factor_type === 'totp' ? t('authenticator') : t('securityKey'))}
              about={t('added', { time: since(created_at) })}
            >
              <Button
                small
                kind="quiet"
                busy={removing.isPending && removing.variables === id && t('removing')}
                onClick={() => removing.mutate(id)}
              >
                {t('remove')}
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
            <Button busy={enrolling.isPending && t('makingKey')} onClick={() => enrolling.mutate()}>
              {t('addAuthenticator')}
            </Button>
          </div>
        )
      )}
      {hasFactor && <RecoveryCodes />}
      <Wrong>{failed && addingWords(failed)}</Wrong>
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
      <img src={picture} alt={t('enrollPicture')} />
      <div className={styles.steps}>
        <ol>
          <li>{t('enrollScan')}</li>
          <li>{t('enrollType')}</li>
        </ol>
        <p className={aboutClass}>
          {tNodes('enrollKey', { key: <code dir="ltr">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code> })}
        </p>
        <CodeField
          digits={6}
          label={t('codeOfApp', { digits: 6 })}
          isWrong={error !== null}
          onComplete={(code) => mutate({ factorId, code }, { onSuccess: onDone })}
        />
        <Wrong>{error && authWords(error)}</Wrong>
        <div className={buttonsClass}>
          <Button small kind="quiet" onClick={onDone}>
            {t('cancel')}
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
      <p>{codes ? t('codesKeep') : left > 0 ? t('codesLeft', { count: left }) : t('codesNone')}</p>
      {codes && (
        <ul className={styles.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      )}
      <div className={buttonsClass}>
        {codes && <CopyButton text={codes.join('\n')} what={t('recoveryCodesThe')} word />}
        <Button
          small
          busy={making.isPending && t('codesMaking')}
          onClick={() => making.mutate(left > 0, { onSuccess: setCodes })}
        >
          {left > 0 ? t('codesMakeNew') : t('codesMake')}
        </Button>
      </div>
      <Wrong>{making.error && addingWords(making.error)}</Wrong>
    </div>
  );
}
