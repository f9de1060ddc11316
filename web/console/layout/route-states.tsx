import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { buttonClass } from '../../ui/button.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Mark } from '../../ui/mark.tsx';
import { MissingCode } from '../../ui/recovery/code.ts';
import { reload, useRecovery } from '../../ui/recovery/use-recovery.ts';
import { ApiFailure, failureFacts } from '../queries/api-failure.ts';
import { mayPass } from '../queries/query-client.ts';
import styles from './layout.module.css';

/** Page for an unknown address. */
export function NotFound() {
  return (
    <main id="page" tabIndex={-1} className={styles.outside}>
      <h1 className={styles.title}>Page not found</h1>
      <p>The address may be from another version of the console, or mistyped.</p>
      <p>
        <Link to="/" className={buttonClass()}>
          All apps
        </Link>
      </p>
    </main>
  );
}

/**
 * Shows the failure of a page in its place. If the cause was that the node could not be reached, the page is shown
 * again once the node responds.
 */
export function RouteFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    if (error instanceof MissingCode) return reload();
    reset();
    void router.invalidate();
  };
  useRecovery(error, error instanceof ApiFailure && mayPass(error) ? retry : null);
  return (
    <main id="page" tabIndex={-1} className={styles.outside}>
      <h1 className={styles.title}>This page cannot be shown</h1>
      <Failure facts={failureFacts(error)} onRetry={retry} />
    </main>
  );
}

/** Placeholder while the code of a page is loaded. The cells of Ninefold's mark fill one after the other. */
export function PageLoading() {
  return (
    <div className={styles.waiting} role="status">
      <Mark loading />
      <span className="sr">Loading</span>
    </div>
  );
}
