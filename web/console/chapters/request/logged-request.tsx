import { Link } from '@tanstack/react-router';
import type { ListedCall } from '../../../../contract/observed.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { KeyValues } from '../../../ui/panel.tsx';
import { dateTime, milliseconds } from '../../format/format.ts';
import { Caller } from './caller.tsx';
import styles from './request.module.css';
import { addressOf, sourceWords } from './request-words.ts';

/** Shows the line of the log of a request whose steps are not stored. */
export function LoggedRequest({
  appRef,
  line,
  error,
  number,
}: {
  appRef: string;
  line: ListedCall;
  /** The error of chapter 8; undefined for a success. */
  error: ErrorLine | undefined;
  /** Number of the chapter. */
  number: number;
}) {
  const params = { ref: appRef };
  return (
    <>
      <p className={styles.remark}>
        The steps of this request are not stored. Ninefold stores the steps of the last requests, and longer those of
        failed and slow requests.{' '}
        <Link to="/app/$ref/settings" params={params}>
          Change how many
        </Link>
      </p>
      <Figure number={`Table ${number}.3`} caption="The request as the log has it">
        <KeyValues
          pairs={[
            ['time', dateTime(line.at)],
            ['request', <code key="request">{`${line.method} ${addressOf(line)}`}</code>],
            ['status', `${line.status}`],
            ...(line.code === null ? [] : [['code', <code key="code">{line.code}</code>] as const]),
            ...(line.subject === null
              ? []
              : [['rule or function', <code key="subject">{line.subject}</code>] as const]),
            ['took', milliseconds(line.milliseconds)],
            ['caller', <Caller key="caller" appRef={appRef} who={line} />],
            ['role', <code key="role">{line.role ?? 'not known'}</code>],
            ['identity', sourceWords(line.source)],
            ['request id', <code key="id">{line.request_id}</code>],
          ]}
        />
      </Figure>
      {error && (
        <p className={styles.remark}>
          {error.action}{' '}
          <Link to="/app/$ref/errors" params={params} search={{ error: error.id }}>
            Show the error in chapter 8
          </Link>
        </p>
      )}
    </>
  );
}

/** Shown if neither the trace nor a line of the log is stored. */
export const UnknownRequest = ({ appRef, requestId }: { appRef: string; requestId: string }) => (
  <Empty title="No trace stored">
    <p>
      {appRef} stores no trace for <code>{requestId}</code>. Ninefold keeps the traces of the last requests, and keeps
      failed and slow requests longer. Copy the complete id from the response header <code>x-request-id</code>.
    </p>
    <Link to="/app/$ref/errors" params={{ ref: appRef }}>
      The last failed requests
    </Link>
  </Empty>
);
