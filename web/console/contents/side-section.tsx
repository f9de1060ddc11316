import type { ReactNode } from 'react';
import styles from './side-section.module.css';

/** A part of the contents page: its heading on a rule, a remark at the right. */
export function SideSection({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2 className={styles.heading}>
        {title}
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </h2>
      {children}
    </section>
  );
}
