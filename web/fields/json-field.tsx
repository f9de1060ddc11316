import { type ReactNode, type Ref, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import styles from './json-field.module.css';
import { readJsonText } from './read-json.ts';

/** Editor of a JSON value: the text with line numbers, a line that says whether it is valid JSON, and a button that indents it. */
export function JsonField({
  label,
  text,
  placeholder,
  describedBy,
  children,
  inputRef,
  onText,
}: {
  label: string;
  text: string;
  /** Text that is shown while the field is empty, such as the default of the field. With it, an empty field is not an error. */
  placeholder?: string | undefined;
  describedBy?: string | undefined;
  /** Content after the line that says whether the JSON is valid, such as the rule of the field. */
  children?: ReactNode;
  inputRef?: Ref<HTMLTextAreaElement>;
  onText: (text: string) => void;
}) {
  const numbers = useRef<HTMLOListElement>(null);
  const lines = text.split('\n');
  const read = readJsonText(text);
  const isLeftOut = text === '' && placeholder !== undefined;
  return (
    <div className={styles.json}>
      <div className={styles.text}>
        <ol ref={numbers} className={styles.numbers} aria-hidden="true">
          {lines.map((_, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: The number of a line is its identity.
            <li key={place} data-wrong={(!read.isValid && read.line === place + 1) || undefined}>
              {place + 1}
            </li>
          ))}
        </ol>
        <textarea
          ref={inputRef ?? null}
          className={styles.input}
          aria-label={label}
          aria-describedby={describedBy}
          aria-invalid={(!read.isValid && !isLeftOut) || undefined}
          wrap="off"
          spellCheck={false}
          rows={Math.min(14, Math.max(4, lines.length))}
          value={text}
          placeholder={placeholder}
          onScroll={({ currentTarget }) => {
            if (numbers.current) numbers.current.scrollTop = currentTarget.scrollTop;
          }}
          onChange={({ currentTarget }) => onText(currentTarget.value)}
        />
      </div>
      <div className={styles.status}>
        <p className={isLeftOut ? undefined : read.isValid ? styles.valid : styles.wrong} role="status">
          {isLeftOut ? 'Enter a JSON value.' : read.words}
        </p>
        <Button
          small
          kind="quiet"
          offBecause={read.isValid ? null : 'The text is not valid JSON.'}
          onClick={() => read.isValid && onText(read.indented)}
        >
          Format
        </Button>
      </div>
      {children}
    </div>
  );
}
