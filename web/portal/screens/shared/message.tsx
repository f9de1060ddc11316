import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '../../../language/messages.ts';
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
