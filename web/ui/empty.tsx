import type { ReactNode } from 'react';
import styles from './empty.module.css';

/** Empty state of a page or list: says what is missing and how to add it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className={styles.empty}>
      <h2 className={styles.title}>{title}</h2>
      {children}
    </section>
  );
}

/** Shows several empty states side by side. Each describes a different first step. */
export function EmptyChoices({ children }: { children: ReactNode }) {
  return <div className={styles.ways}>{children}</div>;
}
