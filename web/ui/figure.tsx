import type { ReactNode } from 'react';
import styles from './figure.module.css';

/** Numbered figure or table. `number` is its number, for example "Table 6.1", and a link to it. `tools` are at the right of the caption. */
export function Figure({
  number,
  caption,
  tools,
  children,
}: {
  number: string;
  caption?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
}) {
  const id = number.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return (
    <figure className={styles.figure} id={id}>
      <figcaption className={styles.caption}>
        <a className={styles.number} href={`#${id}`}>
          {number}
        </a>
        {caption !== undefined && <span className={styles.text}>{caption}</span>}
        {tools !== undefined && <span className={styles.tools}>{tools}</span>}
      </figcaption>
      {children}
    </figure>
  );
}
