import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './verdict.module.css';

export type Mark = 'always' | 'when' | 'never' | 'disagrees';

/** Symbol of a verdict: ● for always, ◐ for when, – for never, ▲ for disagrees. */
export function VerdictMark({ of }: { of: Mark }) {
  return (
    <svg className={classNames(styles.mark, styles[of])} viewBox="0 0 10 10" aria-hidden="true">
      {of === 'always' && <circle cx="5" cy="5" r="4.5" fill="currentColor" />}
      {of === 'when' && (
        <>
          <circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" />
          <path d="M5 1a4 4 0 0 1 0 8z" fill="currentColor" />
        </>
      )}
      {of === 'never' && <path d="M1.5 5h7" stroke="currentColor" strokeWidth="1.2" />}
      {of === 'disagrees' && <path d="M5 0l5 9.5H0z" fill="currentColor" />}
    </svg>
  );
}

/** Symbol of a verdict with its word. `words` is shown instead of the word of the verdict. */
export function Verdict({ of, words }: { of: Mark; words?: ReactNode }) {
  return (
    <span className={classNames(styles.verdict, styles[`${of}Word`])}>
      <VerdictMark of={of} />
      <span>{words || of}</span>
    </span>
  );
}
