import styles from './start-hint.module.css';

/** Shows where the setup code is: in the output of the first start. */
export function StartHint() {
  return (
    <pre className={styles.terminal}>
      <b>$ npm start</b>
      {'\n\n'}No builder yet. Open this page and create the first one:{'\n\n  '}
      <span className={styles.link}>{location.origin}/setup#token=…</span>
      {'\n\n'}The link is for one use. Each start prints a new one{'\n'}until the first builder exists.
    </pre>
  );
}
