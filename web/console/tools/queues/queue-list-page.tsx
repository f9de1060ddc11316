import type { UseQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { QueueEntry, QueueList } from '../../../../contract/queues.ts';
import { Button } from '../../../ui/button.tsx';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { Sheet, SheetFoot, SheetRows } from '../../../ui/sheet.tsx';
import { count, counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { clientAccess } from './client-words.ts';
import { ExposedSentence } from './exposed-sentence.tsx';
import { NewQueueDialog } from './new-queue-dialog.tsx';
import { NoQueues } from './no-queues.tsx';
import styles from './queues.module.css';
import { DropDialog, PurgeDialog } from './remove-dialogs.tsx';

type Row = QueueEntry & { readonly id: string };

/** The list of an app's queues with the numbers of their messages. */
export function QueueListPage({ appRef, list }: { appRef: string; list: UseQueryResult<QueueList> }) {
  const navigate = useNavigate({ from: '/app/$ref/queues' });
  const [dialog, setDialog] = useState<'create' | { purge: QueueEntry } | { drop: QueueEntry } | null>(null);
  const { data, isError, dataUpdatedAt } = list;
  const close = () => setDialog(null);
  const open = (queue: string) => void navigate({ search: { queue } });
  const rows = data?.queues.map((queue): Row => ({ ...queue, id: queue.name }));
  const columns = columnsOf(
    data?.exposed ?? false,
    (queue) => setDialog({ purge: queue }),
    (queue) => setDialog({ drop: queue }),
  );
  return (
    <Page bare appRef={appRef} crumbs={[{ text: 'Queues' }]} fetching={list.isLoading}>
      <Sheet
        title="Queues"
        tools={
          <Button
            small
            offBecause={data && !data.installed ? 'The database has no schema pgmq.' : null}
            onClick={() => setDialog('create')}
          >
            New queue
          </Button>
        }
        notice={
          <>
            <QueryFailure query={list} />
            {data && data.queues.length > 0 && <ExposedSentence appRef={appRef} list={data} />}
          </>
        }
        foot={<Foot data={data} at={dataUpdatedAt} isLive={!isError} />}
      >
        <SheetRows<Row>
          label="Queues"
          columns={columns}
          rows={rows}
          total={data?.total ?? -1}
          selected={null}
          onOpen={({ name }) => open(name)}
          isError={isError}
          phoneLine={({ length, visible }) => `${counted(length, 'message')}, ${count(visible)} visible`}
          empty={<NoQueues installed={data?.installed ?? true} onCreate={() => setDialog('create')} />}
        />
      </Sheet>
      {dialog === 'create' && (
        <NewQueueDialog
          appRef={appRef}
          onDone={(name) => {
            close();
            open(name);
          }}
          onClose={close}
        />
      )}
      {dialog !== null && dialog !== 'create' && 'purge' in dialog && (
        <PurgeDialog appRef={appRef} queue={dialog.purge} onDone={close} onClose={close} />
      )}
      {dialog !== null && dialog !== 'create' && 'drop' in dialog && (
        <DropDialog appRef={appRef} queue={dialog.drop} onDone={close} onClose={close} />
      )}
    </Page>
  );
}

function Foot({ data, at, isLive }: { data: QueueList | undefined; at: number; isLive: boolean }) {
  if (!data) return <SheetFoot shown={isLive ? 'Counting' : 'Currently unavailable'} />;
  const { queues, total } = data;
  const messages = queues.reduce((sum, { length }) => sum + length, 0);
  return (
    <SheetFoot
      shown={
        queues.length < total
          ? `${count(queues.length)} of ${counted(total, 'queue')} shown`
          : `${counted(total, 'queue')}, ${counted(messages, 'message')}`
      }
      {...(queues.length < total && { part: queues.length / total })}
      remark={<AsOf at={at} live={isLive} />}
    />
  );
}

const figure = (value: number) => (
  <span className={styles.figure}>
    <FlashOnChange value={value}>{count(value)}</FlashOnChange>
  </span>
);

/** Returns the columns of the list. */
const columnsOf = (
  exposed: boolean,
  onPurge: (queue: QueueEntry) => void,
  onDrop: (queue: QueueEntry) => void,
): readonly RowColumn<Row>[] => [
  {
    name: 'Queue',
    width: 200,
    grows: true,
    cell: ({ name, unlogged }) => (
      <>
        <code>{name}</code>
        {unlogged && <span className="soft"> unlogged</span>}
      </>
    ),
  },
  { name: 'Messages', width: 88, wideOnly: true, cell: ({ length }) => figure(length) },
  { name: 'Visible', width: 80, wideOnly: true, cell: ({ visible }) => figure(visible) },
  { name: 'Oldest', width: 124, wideOnly: true, cell: ({ oldest_at }) => <TimeAgo iso={oldest_at} /> },
  { name: 'Read once', width: 88, wideOnly: true, cell: ({ read }) => figure(read) },
  { name: 'Archived', width: 88, wideOnly: true, cell: ({ archived }) => figure(archived) },
  { name: 'Ever sent', width: 88, wideOnly: true, cell: ({ sent }) => figure(sent) },
  {
    name: 'Clients',
    width: 124,
    wideOnly: true,
    cell: (queue) => {
      const { short, state } = clientAccess(queue, exposed);
      return <span className={state === 'open' ? styles.bad : 'soft'}>{short}</span>;
    },
  },
  {
    name: 'Purge or drop',
    width: 136,
    bare: true,
    cell: (queue) => (
      <span className={styles.tools}>
        <RowButton
          name={queue.name}
          verb="Purge"
          off={queue.length === 0 ? 'The queue is empty.' : null}
          onClick={() => onPurge(queue)}
        />
        <RowButton name={queue.name} verb="Drop" onClick={() => onDrop(queue)} />
      </span>
    ),
  },
];

const RowButton = ({
  name,
  verb,
  off = null,
  onClick,
}: {
  name: string;
  verb: string;
  off?: string | null;
  onClick: () => void;
}) => (
  <Button
    small
    kind="quiet"
    aria-label={`${verb} ${name}`}
    offBecause={off}
    onClick={(event) => {
      event.stopPropagation();
      onClick();
    }}
  >
    {verb}
  </Button>
);
