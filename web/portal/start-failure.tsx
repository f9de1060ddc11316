import { useEffect } from 'react';
import { t } from '../language/messages.ts';
import { Button } from '../ui/button.tsx';
import type { StartError } from './queries/client.ts';
import styles from './start-failure.module.css';

/** Time in ms between two attempts to reach an app that does not respond. */
const RETRY_MILLISECONDS = 10_000;

/** Shown instead of all pages if the app cannot be read. Goes on by itself as soon as the app responds. */
export function StartFailure({ error: { message, isMissing } }: { error: StartError }) {
  useEffect(() => {
    if (isMissing) return;
    const timer = setInterval(() => {
      void fetch('/portal/v1/app', { method: 'HEAD', cache: 'no-store' }).then(
        ({ ok }) => ok && location.reload(),
        () => undefined,
      );
    }, RETRY_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isMissing]);
  const title = t(isMissing ? 'noAppTitle' : 'cannotOpen');
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <main className={styles.page}>
      <h1 className={styles.title}>{title}</h1>
      <p className={styles.words} role="alert">
        {message}
      </p>
      {!isMissing && <p className={styles.soft}>{t('goesOnByItself', { seconds: RETRY_MILLISECONDS / 1000 })}</p>}
      <Button kind="first" onClick={() => location.reload()}>
        {t('lostRetry')}
      </Button>
    </main>
  );
}
