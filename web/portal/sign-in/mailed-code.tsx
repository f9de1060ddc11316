import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { t, tNodes } from '../../language/messages.ts';
import { authWords } from '../queries/auth-words.ts';
import { usePortal } from '../queries/client.ts';
import { type CodeKind, useMailedCode } from '../queries/sign-in.ts';
import { AuthLayout, softClass, TextButton, Wrong } from './auth-layout.tsx';
import { CodeField } from './code-field.tsx';
import { useSecondsUntil } from './use-seconds-until.ts';

/** Seconds until the member can request another mail. */
const PAUSE_SECONDS = 60;

/**
 * Asks the member for the code in a mail, or to open the link in it. The text is the same for every address, so that it
 * does not reveal whether an account exists.
 */
export function MailedCode({
  email,
  kind,
  title,
  lead,
  onSignedIn,
  onAgain,
  onOtherAddress,
}: {
  email: string;
  kind: CodeKind;
  title: string;
  /** Key of the sentence that contains the address and the time for which the mail is valid. */
  lead: 'mailSent' | 'mailMaybe';
  onSignedIn: () => void;
  onAgain: () => Promise<unknown>;
  onOtherAddress: () => void;
}) {
  const portal = usePortal();
  const { code_digits: digits, code_seconds: seconds } = portal.app;
  const { mutate, error, isPending } = useMutation(useMailedCode(portal));
  const again = useMutation({ mutationFn: onAgain });
  const [askedAt, setAskedAt] = useState(() => Date.now());
  const left = useSecondsUntil(askedAt + PAUSE_SECONDS * 1000);
  const minutes = Math.round(seconds / 60);
  return (
    <AuthLayout
      title={title}
      lead={tNodes(lead, { email: <b dir="ltr">{email}</b>, valid: t('mailValid', { minutes }) })}
    >
      <p className={softClass}>{t('mailOpen', { digits })}</p>
      <CodeField
        digits={digits}
        label={t('codeOfMail', { digits })}
        isWrong={error !== null}
        onComplete={(code) => mutate({ email, code, kind }, { onSuccess: onSignedIn })}
      />
      <p role="status">{isPending ? t('checkingCode') : ''}</p>
      <Wrong>{error && authWords(error)}</Wrong>
      <Wrong>{again.error && authWords(again.error)}</Wrong>
      <p>
        {tNodes('mailNothing', {
          again:
            left > 0 ? (
              <span className={softClass}>{t('mailAgainIn', { seconds: left })}</span>
            ) : (
              <TextButton onClick={() => again.mutate(undefined, { onSuccess: () => setAskedAt(Date.now()) })}>
                {t('mailAgain')}
              </TextButton>
            ),
        })}
      </p>
      <p>
        <TextButton onClick={onOtherAddress}>{t('useAnotherAddress')}</TextButton>
      </p>
    </AuthLayout>
  );
}
