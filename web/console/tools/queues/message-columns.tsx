import type { QueueMessage } from '../../../../contract/queues.ts';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { count } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import styles from './queues.module.css';
import { VisibleAt } from './visible-at.tsx';

/** Returns the columns of messages: id, reads, times, content. */
export const messageColumns = (isArchive: boolean): readonly RowColumn<QueueMessage>[] => [
  { name: 'Id', width: 80, cell: ({ id }) => <code>{id}</code> },
  {
    name: 'Read',
    width: 64,
    wideOnly: true,
    cell: ({ read_count }) => <span className={styles.figure}>{count(read_count)}</span>,
  },
  { name: 'Enqueued', width: 124, wideOnly: true, cell: ({ enqueued_at }) => <TimeAgo iso={enqueued_at} /> },
  isArchive
    ? { name: 'Archived', width: 124, wideOnly: true, cell: ({ archived_at }) => <TimeAgo iso={archived_at} /> }
    : { name: 'Visible', width: 124, wideOnly: true, cell: ({ visible_at }) => <VisibleAt iso={visible_at} /> },
  {
    name: 'Message',
    width: 280,
    grows: true,
    wideOnly: true,
    cell: ({ body }) => (body === null ? <i className="soft">null</i> : <code>{body}</code>),
  },
];
