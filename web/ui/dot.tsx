import { classNames } from './class-names.ts';
import styles from './dot.module.css';

/** Dot that shows the health beside a word. */
export function Dot({ kind = 'ok' }: { kind?: 'ok' | 'bad' | 'live' | 'unknown' }) {
  return <span className={classNames(styles.dot, styles[kind])} />;
}
