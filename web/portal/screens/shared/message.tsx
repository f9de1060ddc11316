import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../../../language/messages.ts';
import { Refusal } from '../../queries/rest.ts';
import { Shell } from '../shell/shell.tsx';
import styles from './page.module.css';
import { hintOf, isOfServer, troubleWords } from './trouble-words.ts';

/** Message that is shown instead of a page, with a link or a button that leads on. */
export function Message({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Shell title={title}>
      <div className={styles.message}>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.answer}>{children}</p>
        <p>
          <Link to="/">{t('goFirstPage')}</Link>
        </p>
      </div>
    </Shell>
  );
}

/** Shows the error of a request: the app's message, what the member can do, and last the code for the app's team. */
export function Trouble({ error }: { error: Error | null }) {
  if (!error) return null;
  const words = troubleWords(error);
  const hint = hintOf(error);
  return (
    <div className={styles.trouble} role="alert">
      <p>{words}</p>
      {hint !== null && hint !== words && <p>{hint}</p>}
      {error instanceof Refusal && error.code !== null && isOfServer(error.code) && (
        <small dir="ltr">{error.code}</small>
      )}
    </div>
  );
}
