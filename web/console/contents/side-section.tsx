import type { ReactNode } from 'react';
import styles from './side-section.module.css';

/** A part of the contents page: its heading on a rule, a remark at the right. */
export function SideSection({
  title,
  aside,
  least: min,
  children,
}: {
  title: string;
  aside?: ReactNode;
  /** Height in px that it takes from the start, so that nothing jumps when its content comes. */
  least?: number | undefined;
  children: ReactNode;
}) {
  return (
    <section className={styles.section} style={{ minHeight: min }}>
      <h2 className={styles.heading}>
        {title}
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </h2>
      {children}
    </section>
  );
}
