import { Fragment } from 'react';
import type { ListedCall } from '../../../../contract/observed.ts';
import { distinctKeys } from '../../../ui/distinct-keys.ts';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { Caller } from '../../chapters/request/caller.tsx';
import { milliseconds, timeOfDay } from '../../format/format.ts';
import { readableQuery } from '../../queries/log.ts';
import styles from './logs-page.module.css';

/** A line of the logs as a row. */
export interface LogRow extends ListedCall {
  readonly id: string;
}

/** Converts lines of the log to rows with unique ids. Several requests may share a request id, because clients can send their own. Pure. */
export const rowsOf = (lines: readonly ListedCall[]): LogRow[] => {
  const ids = new Map<string, number>();
  return lines.map((line) => {
    const id = `${line.request_id} ${line.at}`;
    const times = (ids.get(id) ?? 0) + 1;
    ids.set(id, times);
    return { ...line, id: times === 1 ? id : `${id} ${times}` };
  });
};

export const isServerFailure = ({ status }: { status: number }): boolean => status >= 500;

const kindOf = (status: number) => (status >= 500 ? 'error' : status >= 400 ? 'warn' : undefined);
const textClass = (row: LogRow) => (isServerFailure(row) ? styles.failed : undefined);

/** A phone has no columns for the time, the caller and the code, so they are shown below the path. */
const isPhone = window.matchMedia('(max-width: 760px)').matches;

/** The columns of the logs. */
export const logColumns = (appRef: string): readonly RowColumn<LogRow>[] => [
  {
    name: 'At',
    width: 106,
    wideOnly: true,
    cell: ({ at }) => (
      <time dateTime={at}>
        {timeOfDay(at)}
        <span className="soft">.{at.slice(20, 23)}</span>
      </time>
    ),
  },
  { name: 'Status', width: 68, cell: ({ status }) => <Tag kind={kindOf(status)}>{status}</Tag> },
  {
    name: 'Call',
    width: 200,
    grows: true,
    cell: (row) => (
      <>
        <Address {...row} />
        {isPhone && (
          <span className={styles.meta}>
            {timeOfDay(row.at)} · <Who appRef={appRef} line={row} /> · {milliseconds(row.milliseconds)}
            {row.code !== null && ` · ${row.code}`}
          </span>
        )}
      </>
    ),
  },
  {
    name: 'Code',
    width: 112,
    wideOnly: true,
    cell: (row) =>
      row.code !== null && (
        <code title={row.subject ?? undefined} className={textClass(row)}>
          {row.code}
        </code>
      ),
  },
  { name: 'Caller', width: 170, wideOnly: true, cell: (line) => <Who appRef={appRef} line={line} /> },
  {
    name: 'Took',
    width: 84,
    wideOnly: true,
    cell: (row) => <span className={`${styles.number} ${textClass(row) ?? ''}`}>{milliseconds(row.milliseconds)}</span>,
  },
];

/** Shows a request with its complete path. The query wraps after a parameter and after a comma. */
function Address({ method, area, path, query }: ListedCall) {
  const parts = query === '' ? [] : readableQuery(query).split(/(?=&)|(?<=,)/);
  const keys = distinctKeys(parts);
  return (
    <span className={styles.address}>
      <span className="soft">{method}</span>{' '}
      <code>
        /{area}/v1{path}
      </code>
      {parts.length > 0 && (
        <code className="soft">
          <wbr />?
          {parts.map((part, place) => (
            <Fragment key={keys[place]}>
              {place > 0 && <wbr />}
              {part}
            </Fragment>
          ))}
        </code>
      )}
    </span>
  );
}

/** Shows the caller, and distinguishes a builder in the console from callers of the app. */
const Who = ({ appRef, line }: { appRef: string; line: ListedCall }) =>
  line.source === 'builder' && line.user_id === null ? (
    <span className="soft">console, as {line.role === 'anon' ? 'anonymous' : 'service key'}</span>
  ) : (
    <>
      <Caller appRef={appRef} who={line} />
      {line.source === 'builder' && <span className="soft">, by the console</span>}
    </>
  );
