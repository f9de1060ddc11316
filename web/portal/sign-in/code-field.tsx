import { useState } from 'react';
import { classNames } from '../../ui/class-names.ts';
import styles from './code-field.module.css';

/** Field for a code of digits, drawn as one box for each digit. `onComplete` is called when the last digit is typed. */
export function CodeField({
  digits,
  label,
  isWrong,
  onComplete,
}: {
  digits: number;
  label: string;
  isWrong: boolean;
  onComplete: (code: string) => void;
}) {
  const [code, setCode] = useState('');
  const boxes = Array.from({ length: digits }, (_, place) => place);
  return (
    <div
      className={classNames(styles.code, isWrong && styles.wrong)}
      style={{ gridTemplateColumns: `repeat(${digits}, minmax(0, 1fr))` }}
    >
      <input
        inputMode="numeric"
        autoComplete="one-time-code"
        aria-label={label}
        aria-invalid={isWrong}
        // biome-ignore lint/a11y/noAutofocus: the page contains only this field, and the member has just requested the code
        autoFocus
        value={code}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value.replace(/\D/g, '').slice(0, digits);
          setCode(next);
          if (next.length === digits && next !== code) onComplete(next);
        }}
      />
      {boxes.map((place) => (
        <i
          key={place}
          aria-hidden="true"
          className={place === Math.min(code.length, digits - 1) ? styles.at : undefined}
        >
          {code[place]}
        </i>
      ))}
    </div>
  );
}
