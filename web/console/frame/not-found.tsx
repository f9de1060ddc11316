import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../ui/button.tsx';
import styles from './outside.module.css';

/** An address that no page has. */
export function NotFound() {
  return (
    <main id="page" tabIndex={-1} className={styles.outside}>
      <h1 className={styles.title}>There is no page here</h1>
      <p>The address may be from another version of the console, or mistyped.</p>
      <p>
        <Link to="/" className={buttonClass()}>
          All apps
        </Link>
      </p>
    </main>
  );
}
