import styles from './switch.module.css';

/** Switch with a word that shows its state. `label` names what it switches. */
export function Switch({
  label,
  isOn,
  isBusy = false,
  onChange,
}: {
  label: string;
  isOn: boolean;
  isBusy?: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-busy={isBusy || undefined}
      className={styles.switch}
      onClick={() => {
        if (!isBusy) onChange(!isOn);
      }}
    >
      <i className={styles.track} aria-hidden="true" />
      <span aria-hidden="true">{isOn ? 'on' : 'off'}</span>
    </button>
  );
}
