import { FailureNote } from '../../../../ui/failure.tsx';
import { ApiFailure, failureFacts } from '../../../queries/api-failure.ts';
import styles from './editor.module.css';

/** Shows the error with which the server refused a write: its code, message, details and hint. */
export function ServerError({ error }: { error: Error }) {
  const details = error instanceof ApiFailure && typeof error.details === 'string' ? error.details : null;
  return (
    <FailureNote facts={failureFacts(error)}>
      {details && (
        <p className={styles.details} title={details}>
          {details}
        </p>
      )}
    </FailureNote>
  );
}
