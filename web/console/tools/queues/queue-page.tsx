import { type UseInfiniteQueryResult, type UseQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { QueueEntry, QueueList, QueueMessage } from '../../../../contract/queues.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Sheet, SheetFoot, SheetRows } from '../../../ui/sheet.tsx';
import { count, counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { SqlLink } from '../../layout/sql-link.tsx';
import { useSearchParameter } from '../../layout/use-search-parameter.ts';
import { queueMessages } from '../../queries/queues.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { clientAccess, openToClients } from './client-words.ts';
import { messageColumns } from './message-columns.tsx';
import { MessagePanel } from './message-panel.tsx';
import styles from './queues.module.css';
import { DropDialog, PurgeDialog } from './remove-dialogs.tsx';
import { SendDialog } from './send-dialog.tsx';

type Dialog = 'send' | 'purge' | 'drop' | null;

/** The messages of a queue or of its archive. */
export function QueuePage({
  appRef,
  queue,
  tables,
  exposed,
  isArchive,
  list,
}: {
  appRef: string;
  queue: QueueEntry;
  tables: NonNullable<QueueEntry['tables']>;
  exposed: boolean;
  isArchive: boolean;
  list: UseQueryResult<QueueList>;
}) {
  const { name } = queue;
  const navigate = useNavigate({ from: '/app/$ref/queues' });
  const [chosen, choose] = useSearchParameter('message');
  const [dialog, setDialog] = useState<Dialog>(null);
  const messages = useInfiniteQuery(queueMessages(appRef, name, isArchive));
  const rows = messages.data?.pages.flatMap((page) => page.messages);
  const steps = usePanelSteps(rows, chosen, choose);
  const place = rows?.findIndex(({ id }) => id === chosen) ?? -1;
  const neighbour = place < 0 ? null : ((rows?.[place + 1] ?? rows?.[place - 1])?.id ?? null);
  const close = () => setDialog(null);
  return (
    <Page
      bare
      appRef={appRef}
      crumbs={[{ text: 'Queues', link: { to: '/app/$ref/queues', params: { ref: appRef } } }, { text: name }]}
      fetching={messages.isLoading}
      panel={
        chosen !== null && (
          <MessagePanel
            key={chosen}
            {...{ appRef, queue: name, id: chosen, isArchive }}
            onRemoved={() => choose(neighbour)}
            {...steps}
          />
        )
      }
    >
      <Sheet
        title={name}
        filters={
          <Views isArchive={isArchive} onChange={(view) => void navigate({ search: { queue: name, ...view } })} />
        }
        tools={<Tools isEmpty={queue.length === 0} onOpen={setDialog} />}
        notice={
          <>
            <QueryFailure query={list} />
            <QueryFailure query={messages} />
            <AccessSentence {...{ appRef, queue, tables, exposed }} />
          </>
        }
        foot={<Foot {...{ queue, isArchive, messages, shown: rows?.length }} />}
      >
        <SheetRows<QueueMessage>
          label={isArchive ? 'Archived messages' : 'Messages'}
          columns={messageColumns(isArchive)}
          rows={rows}
          total={isArchive ? queue.archived : queue.length}
          selected={chosen}
          onOpen={({ id }) => choose(id)}
          isError={messages.isError}
          phoneLine={({ body }) => <code className="cut">{body ?? 'null'}</code>}
          empty={<NoMessages isArchive={isArchive} onSend={() => setDialog('send')} />}
        />
      </Sheet>
      {dialog === 'send' && <SendDialog appRef={appRef} queue={name} onClose={close} />}
      {dialog === 'purge' && <PurgeDialog {...{ appRef, queue }} onDone={close} onClose={close} />}
      {dialog === 'drop' && (
        <DropDialog {...{ appRef, queue }} onDone={() => void navigate({ search: {} })} onClose={close} />
      )}
    </Page>
  );
}

/** Choice between the messages of the queue and those of its archive. */
const Views = ({ isArchive, onChange }: { isArchive: boolean; onChange: (search: { view?: 'archive' }) => void }) => (
  <Segmented
    label="Messages"
    value={isArchive ? 'archive' : 'queue'}
    options={[
      ['queue', 'Waiting'],
      ['archive', 'Archived'],
    ]}
    onChange={(view) => onChange(view === 'archive' ? { view } : {})}
  />
);

const Tools = ({ isEmpty, onOpen }: { isEmpty: boolean; onOpen: (dialog: Dialog) => void }) => (
  <>
    <Button small onClick={() => onOpen('send')}>
      Send message
    </Button>
    <Button small kind="danger" offBecause={isEmpty ? 'The queue is empty.' : null} onClick={() => onOpen('purge')}>
      Purge
    </Button>
    <Button small kind="danger" onClick={() => onOpen('drop')}>
      Drop
    </Button>
  </>
);

/** Says whether clients may use the queue, with the SQL that opens it. */
function AccessSentence({
  appRef,
  queue,
  tables,
  exposed,
}: {
  appRef: string;
  queue: QueueEntry;
  tables: NonNullable<QueueEntry['tables']>;
  exposed: boolean;
}) {
  const { sentence, state } = clientAccess(queue, exposed);
  return (
    <div className={styles.sentence}>
      <span className={state === 'open' ? styles.bad : undefined}>{sentence}</span>
      {queue.grants.length === 0 && (
        <SqlLink appRef={appRef} sql={openToClients(tables, 'authenticated')} words="Open to members by SQL" />
      )}
    </div>
  );
}

const NoMessages = ({ isArchive, onSend }: { isArchive: boolean; onSend: () => void }) =>
  isArchive ? (
    <Empty title="No archived messages">
      <p>
        A message that <code>pgmq.archive</code> moves here stays until SQL deletes it.
      </p>
    </Empty>
  ) : (
    <Empty title="The queue is empty">
      <p>Messages appear here until a reader deletes or archives them.</p>
      <p>
        <Button onClick={onSend}>Send message</Button>
      </p>
    </Empty>
  );

function Foot({
  queue: { length, visible, archived },
  isArchive,
  messages,
  shown,
}: {
  queue: QueueEntry;
  isArchive: boolean;
  messages: UseInfiniteQueryResult;
  shown: number | undefined;
}) {
  if (shown === undefined) return <SheetFoot shown={messages.isError ? 'Currently unavailable' : 'Counting'} />;
  const all = Math.max(isArchive ? archived : length, shown);
  const words = isArchive ? 'archived message' : 'message';
  return (
    <SheetFoot
      shown={messages.hasNextPage ? `${count(shown)} of ${counted(all, words)} shown` : counted(shown, words)}
      {...(messages.hasNextPage && { part: shown / all })}
      more={
        messages.hasNextPage
          ? { word: 'Show more', busy: messages.isFetchingNextPage, onMore: () => void messages.fetchNextPage() }
          : null
      }
      remark={
        <>
          {isArchive ? 'newest first' : `${count(visible)} visible to readers, the next first`},{' '}
          <AsOf at={messages.dataUpdatedAt} live={!messages.isError} />
        </>
      }
    />
  );
}
