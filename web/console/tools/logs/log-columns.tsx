import type { ListedCall } from '../../../../contract/observed.ts';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { Caller } from '../../chapters/request/caller.tsx';
import { milliseconds, timeOfDay } from '../../format/format.ts';

/** A line of the logs as a row. */
export interface LogRow extends ListedCall {
  readonly id: string;
}

const kindOf = (status: number) => (status >= 500 ? 'error' : status >= 400 ? 'warn' : undefined);

/** The columns of the logs. */
export const logColumns = (appRef: string): readonly RowColumn<LogRow>[] => [
  { name: 'At', width: 84, cell: ({ at }) => <time dateTime={at}>{timeOfDay(at)}</time> },
  { name: 'Status', width: 64, cell: ({ status }) => <Tag kind={kindOf(status)}>{status}</Tag> },
  {
    name: 'Call',
    width: 260,
    cell: ({ method, path }) => (
      <>
        <span className="soft">{method}</span> <code title={path}>{path}</code>
      </>
    ),
  },
  {
    name: 'Code',
    width: 128,
    cell: ({ code, subject }) => code !== null && <code title={subject ?? undefined}>{code}</code>,
  },
  { name: 'Who', width: 180, cell: (line) => <Who appRef={appRef} line={line} /> },
  { name: 'Took', width: 72, cell: (line) => milliseconds(line.milliseconds) },
  { name: 'Request', width: 140, cell: ({ request_id }) => <code title={request_id}>{request_id.slice(0, 13)}</code> },
];

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
