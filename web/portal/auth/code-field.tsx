import { useState } from 'react';
import { classNames } from '../../ui/class-names.ts';
import styles from './code-field.module.css';

/** One field for a code of digits, drawn as a box for each. `onComplete` gets the code as soon as its last digit is there. */
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
        // biome-ignore lint/a11y/noAutofocus: the page holds this field alone, and the member has just asked for the code
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
