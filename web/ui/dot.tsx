import { classNames } from './class-names.ts';
import styles from './dot.module.css';

/** Dot that shows a state of health. A word stands beside it. */
export function Dot({ kind = 'ok' }: { kind?: 'ok' | 'bad' | 'live' | 'unknown' }) {
  return <span className={classNames(styles.dot, styles[kind])} />;
}
