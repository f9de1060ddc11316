import { classNames } from './class-names.ts';
import styles from './code.module.css';
import { CopyButton } from './copy-button.tsx';
import { highlight, type Language } from './highlight.ts';

/**
 * A block of code with a copy button at hover and focus, which also makes the block reachable by keyboard where it
 * scrolls. `label` says what it is: "the policy", "the connection in supabase-js".
 */
export function Code({
  code,
  language,
  label,
  wrap = false,
}: {
  code: string;
  language: Language;
  label: string;
  /** For code that comes as one long line: it is broken where there is no more room, instead of scrolled. */
  wrap?: boolean;
}) {
  return (
    <div className={classNames(styles.block, wrap && styles.wrap)}>
      <pre className={styles.code}>
        <Highlighted code={code} language={language} />
      </pre>
      <span className={styles.copy}>
        <CopyButton text={code} what={label} />
      </span>
    </div>
  );
}

function Highlighted({ code, language }: { code: string; language: Language }) {
  let offset = 0;
  return highlight(code, language).map(({ kind, text }) => {
    const key = offset;
    offset += text.length;
    return kind === 'plain' ? (
      text
    ) : (
      <span key={key} className={styles[kind]}>
        {text}
      </span>
    );
  });
}
