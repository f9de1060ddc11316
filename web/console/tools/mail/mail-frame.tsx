import styles from './mail.module.css';

/** Shows the HTML of a mail in a frame without scripts, links and requests to other addresses. */
export function MailFrame({ title, html }: { title: string; html: string }) {
  return <iframe className={styles.frame} title={title} sandbox="" srcDoc={html} />;
}
