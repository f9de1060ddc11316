import { Link } from '@tanstack/react-router';
import type { CallErrors } from '../../../../contract/call-detail.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { Tag } from '../../../ui/tag.tsx';
import { counted } from '../../format/format.ts';
import { errorName } from '../errors/error-words.ts';
import styles from './calls.module.css';

/** Lists the errors that a call can return. The app's own errors have all details; the errors of the protocols have only their code. */
export function CallErrorList({
  appRef,
  errors,
  lines,
  isAuth,
}: {
  appRef: string;
  errors: CallErrors;
  /** The errors of chapter 8. */
  lines: readonly ErrorLine[];
  /** True for a call of /auth/v1. */
  isAuth: boolean;
}) {
  const own = lines.filter(({ id }) => errors.own.includes(id));
  const common = lines.filter(({ id }) => errors.common.includes(id));
  return (
    <>
      {own.length > 0 && (
        <ul className={styles.errors} aria-label="Errors of the app">
          {own.map((line) => (
            <li key={line.id}>
              <ErrorLink appRef={appRef} line={line} />
              {line.statuses.map((status) => (
                <Tag key={status}>{status}</Tag>
              ))}
              <span className={styles.meaning}>{line.meaning}</span>
            </li>
          ))}
        </ul>
      )}
      {!isAuth && <p className={styles.caveat}>The list does not cover writes by nested functions and dynamic SQL.</p>}
      <details className={styles.common}>
        <summary>{counted(common.length, 'error')} of the protocols and the server</summary>
        <ul>
          {common.map((line) => (
            <li key={line.id}>
              <ErrorLink appRef={appRef} line={line} />
              <span>{line.statuses.join(', ')}</span>
              <span className={styles.meaning}>{line.meaning}</span>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

/** Links to an error in chapter 8. */
const ErrorLink = ({ appRef, line }: { appRef: string; line: ErrorLine }) => (
  <Link to="/app/$ref/errors" params={{ ref: appRef }} search={{ error: line.id }}>
    <code>{errorName(line)}</code>
  </Link>
);
