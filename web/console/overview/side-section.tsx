import { type ReactNode, useId } from 'react';
import styles from './overview.module.css';

/** Section of the contents page with a heading and a remark at its right. */
export function SideSection({
  title,
  aside,
  least: min,
  children,
}: {
  title: string;
  aside?: ReactNode;
  /** Minimum height in px, so that the layout does not jump when the content is loaded. */
  least?: number | undefined;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.section} style={{ minHeight: min }}>
      <h2 id={id} className={styles.heading}>
        {title}
        {aside !== undefined && <span className={styles.aside}>{aside}</span>}
      </h2>
      {children}
    </section>
  );
}
