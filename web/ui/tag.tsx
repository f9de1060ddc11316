import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './tag.module.css';

/** Tag of one word, 16 px high, for a status, an age or a verdict. */
export function Tag({ kind, children }: { kind?: 'ok' | 'warn' | 'error' | undefined; children: ReactNode }) {
  return <span className={classNames(styles.tag, kind && styles[kind])}>{children}</span>;
}
