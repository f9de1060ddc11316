import styles from './kbd.module.css';

/** Shows key caps: `Ctrl K` is one cap, and `G D` given as two keys is two caps. */
export function Kbd({ keys }: { keys: string | readonly string[] }) {
  const caps = typeof keys === 'string' ? [keys] : keys;
  return (
    <span className={styles.keys}>
      {caps.map((cap) => (
        <kbd key={cap} className={styles.cap}>
          {cap}
        </kbd>
      ))}
    </span>
  );
}
