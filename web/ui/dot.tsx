import { classNames } from './class-names.ts';
import styles from './dot.module.css';

/** A dot of health; the word stands beside it. */
export function Dot({ kind = 'ok' }: { kind?: 'ok' | 'bad' | 'live' | 'unknown' }) {
  return <span className={classNames(styles.dot, styles[kind])} />;
}
