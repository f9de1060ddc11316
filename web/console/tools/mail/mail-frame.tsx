import styles from './mail.module.css';

/** Shows the HTML of a mail in a frame of its own, where no script runs, no link leads anywhere, and no other address is loaded. */
export function MailFrame({ title, html }: { title: string; html: string }) {
  return <iframe className={styles.frame} title={title} sandbox="" srcDoc={html} />;
}
