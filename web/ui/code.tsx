import { classNames } from './class-names.ts';
import styles from './code.module.css';
import { CopyButton } from './copy-button.tsx';
import { highlight, type Language } from './highlight.ts';

/**
 * Block of code. A copy button appears while the pointer is over it or it has the focus. The block can get the focus,
 * so that the keyboard can scroll it. `label` describes the code, for example "the policy" or "the connection in
 * supabase-js".
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
  /** True to break long lines instead of scrolling. */
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
