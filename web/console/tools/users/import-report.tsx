import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  hashesInWords,
  type ImportedHashes,
  type RefusedRecord,
  refusalsAsCsv,
} from '../../../../contract/member-imports.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Skeleton, Table, TableHead } from '../../../ui/table.tsx';
import { count, counted } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { importProgress } from '../../queries/imports.ts';
import styles from './users.module.css';

const inSight = 100;

/** Shows the progress of an import, and at its end the refused rows with their reasons. */
export function ImportReport({ appRef, id, onAgain }: { appRef: string; id: string; onAgain: () => void }) {
  const { data, error } = useQuery(importProgress(appRef, id));
  if (!data) return error ? <FailureNote facts={failureFacts(error)} /> : <Skeleton width={240} />;
  const { state, refusals } = data;
  if (state.state === 'running') {
    return (
      <p role="status">
        {counted(state.read, 'record')} read, {count(state.refused)} refused. You can leave this page.
      </p>
    );
  }
  return (
    <>
      {state.state === 'failed' ? (
        <p role="alert">
          <b>Nothing was imported.</b> {state.failure}
        </p>
      ) : (
        <p role="status">
          {counted(state.imported, 'user')} imported, {count(state.present)} already existed, {count(state.refused)}{' '}
          refused.
        </p>
      )}
      {state.hashes.length > 0 && <Hashes hashes={state.hashes} />}
      {refusals.length > 0 && <Refusals refusals={refusals} fileName={state.file_name} />}
      <div className={styles.buttons}>
        <Button onClick={onAgain}>Import another file</Button>
        <Link to="/app/$ref/users" params={{ ref: appRef }}>
          All users
        </Link>
      </div>
    </>
  );
}

/** What the password hashes of the imported users cost. */
function Hashes({ hashes }: { hashes: readonly ImportedHashes[] }) {
  return (
    <>
      <p className={styles.importPageWords}>
        Each user gets a hash of the standard cost at the first sign-in. Until then, the password hashes of the file
        cost this processor time:
      </p>
      <ul>
        {hashes.map((kind) => (
          <li key={`${kind.algorithm} ${kind.milliseconds}`}>{hashesInWords(kind)}</li>
        ))}
      </ul>
    </>
  );
}

function Refusals({ refusals, fileName }: { refusals: readonly RefusedRecord[]; fileName: string }) {
  const report = `data:text/csv;charset=utf-8,${encodeURIComponent(refusalsAsCsv(refusals))}`;
  return (
    <>
      <div className={styles.table}>
        <Table label="Refused records">
          <TableHead names={['Line', 'Account', 'Reason']} />
          <tbody>
            {refusals.slice(0, inSight).map(({ line, subject, reason }) => (
              <tr key={`${line} ${subject} ${reason}`}>
                <td>{line}</td>
                <td>{subject ?? '–'}</td>
                <td>{reason}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </div>
      <p>
        {refusals.length > inSight && `${count(inSight)} of ${count(refusals.length)} shown. `}
        <a href={report} download={`${fileName}.refused.csv`}>
          Download the report
        </a>
      </p>
    </>
  );
}
