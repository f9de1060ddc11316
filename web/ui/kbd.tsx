import styles from './kbd.module.css';

/** Shows the caps of keys. A string such as `Ctrl K` is one cap; a list of two keys, such as G and D, is two caps. */
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
