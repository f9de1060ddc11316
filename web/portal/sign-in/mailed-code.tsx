import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AuthLayout, softClass, TextButton, Wrong } from '../auth/auth-layout.tsx';
import { CodeField } from '../auth/code-field.tsx';
import { authWords } from '../data/auth-words.ts';
import { usePortal } from '../data/client.ts';
import { type CodeKind, useMailedCode } from '../data/session.ts';

/** Seconds until another mail can be requested. */
const PAUSE_SECONDS = 60;

/** Asks for the code of a mail or the opening of its link. The text is the same for every address. */
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
  lead: string;
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
      lead={
        <>
          {lead} <b>{email}</b>. It is valid for {minutes === 60 ? '1 hour' : `${minutes} minutes`}.
        </>
      }
    >
      <p className={softClass}>Open the link on any device, or type the {digits} digits of the mail here.</p>
      <CodeField
        digits={digits}
        label={`Code from the mail, ${digits} digits`}
        isWrong={error !== null}
        onComplete={(code) => mutate({ email, code, kind }, { onSuccess: onSignedIn })}
      />
      <p role="status">{isPending ? 'Checking the code.' : ''}</p>
      <Wrong>{error && authWords(error)}</Wrong>
      <Wrong>{again.error && authWords(again.error)}</Wrong>
      <p>
        Nothing after a minute? Look in spam, or{' '}
        {left > 0 ? (
          <span className={softClass}>send it again in {left} s</span>
        ) : (
          <TextButton onClick={() => again.mutate(undefined, { onSuccess: () => setAskedAt(Date.now()) })}>
            send it again
          </TextButton>
        )}
        .
      </p>
      <p>
        <TextButton onClick={onOtherAddress}>Use another address</TextButton>
      </p>
    </AuthLayout>
  );
}

/** Returns the whole seconds until a time in ms, counted down each second. */
function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(() => Date.now());
  const isOver = now >= time;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOver]);
  return Math.max(0, Math.ceil((time - now) / 1000));
}
