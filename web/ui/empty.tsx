import type { ReactNode } from 'react';
import styles from './empty.module.css';

/** What an empty place says: what is missing, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className={styles.empty}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}

/** Ways to begin, side by side: each an Empty. */
export function EmptyChoices({ children }: { children: ReactNode }) {
  return <div className={styles.ways}>{children}</div>;
}
