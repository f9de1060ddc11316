import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './tag.module.css';

/** A status, an age, a verdict: 16 px high, one word. */
export function Tag({ kind, children }: { kind?: 'ok' | 'warn' | 'error' | undefined; children: ReactNode }) {
  return <span className={classNames(styles.tag, kind && styles[kind])}>{children}</span>;
}
