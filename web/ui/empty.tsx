import type { ReactNode } from 'react';
import styles from './empty.module.css';

/** Empty state: describes what is missing and how to add it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className={styles.empty}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}

/** Several empty states side by side, each with another first step. */
export function EmptyChoices({ children }: { children: ReactNode }) {
  return <div className={styles.ways}>{children}</div>;
}
