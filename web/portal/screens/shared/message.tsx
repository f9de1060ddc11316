import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../../../language/messages.ts';
import { Refusal } from '../../queries/rest.ts';
import { Shell } from '../shell/shell.tsx';
import styles from './page.module.css';

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

/** Shows the error of a request: the server's message, and what the member can do. */
export function Trouble({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <div className={styles.trouble} role="alert">
      <p>{troubleWords(error)}</p>
      {error instanceof Refusal && error.hint !== null && error.hint !== error.message && <p>{error.hint}</p>}
    </div>
  );
}

/** Describes an error in a sentence for a member. The sentence contains neither SQL nor names of tables. */
export function troubleWords(error: Error): string {
  if (!(error instanceof Refusal)) return t('unreachable');
  if (error.status === 401) return t('authEnded');
  // PostgreSQL names row-level security if a policy refuses a row; otherwise a privilege is missing.
  if (error.code === '42501') return /^permission denied/.test(error.message) ? t('notAllowed') : t('policyRefuses');
  if (error.code?.startsWith('23')) return error.hint ?? constraintWords(error.code);
  if (error.status >= 500) return t('appDown');
  return error.message;
}

function constraintWords(code: string): string {
  switch (code) {
    case '23505':
      return t('ruleExists');
    case '23503':
      return t('ruleReference');
    case '23502':
      return t('ruleMissing');
    default:
      return t('ruleRefuses');
  }
}
