import styles from './segmented.module.css';

/** Choice between two or three options that are all visible. */
export function Segmented<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: V;
  options: readonly (readonly [value: V, word: string])[];
  onChange: (value: V) => void;
}) {
  return (
    <fieldset className={styles.segmented} aria-label={label}>
      {options.map(([option, word]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {word}
        </button>
      ))}
    </fieldset>
  );
}
