import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './page-header.module.css';

/** Header of a page: its number, its name, the question that the page answers, and the answer in one sentence. */
export function PageHeader({
  numeral,
  name,
  question,
  children,
}: {
  /** Number of the chapter; undefined on a page that is no chapter. */
  numeral?: number | undefined;
  name: string;
  question: string;
  /** The answer to the question of the page. */
  children?: ReactNode;
}) {
  return (
    <header className={styles.room}>
      <div className={classNames(styles.opening, numeral === undefined && styles.plain)}>
        {numeral !== undefined && (
          <div className={styles.numeral} aria-hidden="true">
            {numeral}
          </div>
        )}
        <div className={styles.title}>
          <p className={styles.name}>{name}</p>
          <h1 className={styles.question}>{question}</h1>
        </div>
        {children !== undefined && <p className={styles.answer}>{children}</p>}
      </div>
    </header>
  );
}

/** Shows a time such as "as of 14:02:11" after the answer. With `live`, a dot shows that the figures are refreshed automatically. */
export function AsOf({ at, live = true, verb = 'as of' }: { at: number; live?: boolean; verb?: string }) {
  return (
    <span className={styles.asOf}>
      {live && <span className={styles.dot} />}
      {verb} <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleTimeString('en-GB')}</time>
    </span>
  );
}
