import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Failure } from '../../ui/failure.tsx';
import { failureFacts } from '../data/api-failure.ts';
import styles from './outside.module.css';

/** In place of a page that could not be shown at all. */
export function RouteFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <main id="page" tabIndex={-1} className={styles.outside}>
      <h1 className={styles.title}>This page cannot be shown</h1>
      <Failure facts={failureFacts(error)} onRetry={retry} />
    </main>
  );
}
