import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ListedCall } from '../../../../contract/observed.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { FailureNote } from '../../../ui/failure.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { LoadingRows, Table } from '../../../ui/table.tsx';
import { dateTime, milliseconds } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { recentErrors } from '../../queries/calls.ts';
import { Caller } from '../request/caller.tsx';
import { errorName, errorOf } from './error-words.ts';
import styles from './errors.module.css';

/** Lists the last failed requests, whatever their errors, each with a link to its trace. */
export function FailedCalls({ appRef, errors }: { appRef: string; errors: readonly ErrorLine[] }) {
  const { data, error, isError } = useQuery(recentErrors(appRef, null));
  return (
    <Figure number="Table 8.2" caption="The last failed requests">
      {error && <FailureNote facts={failureFacts(error)} />}
      {data?.length === 0 && <p className={styles.none}>No failed requests.</p>}
      {(data === undefined ? !isError : data.length > 0) && (
        <div className={styles.room}>
          <Table label="The last failed requests" stale={isError}>
            <thead>
              <tr>
                <th scope="col">Request</th>
                <th scope="col">Error</th>
                <th scope="col" className={styles.wide}>
                  Call
                </th>
                <th scope="col" className={styles.wide}>
                  Who
                </th>
                <th scope="col" className={`num ${styles.wide}`}>
                  Took
                </th>
                <th scope="col" className="num">
                  When
                </th>
              </tr>
            </thead>
            <tbody>
              {!data && <LoadingRows rows={5} widths={[70, 110, 160, 90, 40, 40]} />}
              {data?.map((call) => (
                <Row key={call.request_id} appRef={appRef} call={call} errors={errors} />
              ))}
            </tbody>
          </Table>
        </div>
      )}
    </Figure>
  );
}

/** Row of a failed request. */
function Row({ appRef, call, errors }: { appRef: string; call: ListedCall; errors: readonly ErrorLine[] }) {
  const line = errorOf(errors, call);
  return (
    <tr>
      <td>
        <StoryLink appRef={appRef} id={call.request_id} />
      </td>
      <td>
        <span className="soft">{call.status}</span> <code>{line ? errorName(line) : call.code}</code>
      </td>
      <td className={styles.wide} title={`${call.method} ${call.path}`}>
        <span className="soft">{call.method}</span> {call.path}
      </td>
      <td className={styles.wide}>
        <Caller appRef={appRef} who={call} />
      </td>
      <td className={`num soft ${styles.wide}`}>{milliseconds(call.milliseconds)}</td>
      <td className="num soft" title={dateTime(call.at)}>
        <TimeAgo iso={call.at} short />
      </td>
    </tr>
  );
}

/** Shows the first characters of a request id, with a link to the request's trace. */
export function StoryLink({ appRef, id }: { appRef: string; id: string }) {
  return (
    <Link to="/app/$ref/calls/$requestId" params={{ ref: appRef, requestId: id }} title={id}>
      <code>{id.slice(0, 13)}</code>
    </Link>
  );
}
