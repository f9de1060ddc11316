import { type ReactNode, useId } from 'react';
import styles from './node.module.css';

/** Section of a page of the node. `note` follows the title in grey. */
export function Section({
  id,
  title,
  note,
  children,
}: {
  /** The target of links to the section. */
  id?: string;
  title: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  const titleId = useId();
  return (
    <section {...(id !== undefined && { id })} aria-labelledby={titleId} className={styles.section}>
      <header>
        <h2 id={titleId}>
          {title} {note !== undefined && <span>{note}</span>}
        </h2>
      </header>
      {children}
    </section>
  );
}
