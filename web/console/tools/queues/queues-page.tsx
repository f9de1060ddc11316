import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { Empty } from '../../../ui/empty.tsx';
import { Sheet, SheetFoot, SheetWords } from '../../../ui/sheet.tsx';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { queueList } from '../../queries/queues.ts';
import { QueueListPage } from './queue-list-page.tsx';
import { QueuePage } from './queue-page.tsx';

/** Page of the queues of an app: their list, or the messages of the queue in the address. */
export function QueuesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/queues' });
  const { queue: name, view } = useSearch({ from: '/signed-in/app/$ref/queues' });
  const list = useQuery(queueList(ref));
  const { data } = list;
  if (name === undefined) return <QueueListPage appRef={ref} list={list} />;
  const queue = data?.queues.find((each) => each.name === name);
  if (queue?.tables && data)
    return (
      <QueuePage
        key={`${name} ${view}`}
        appRef={ref}
        queue={queue}
        tables={queue.tables}
        exposed={data.exposed}
        isArchive={view === 'archive'}
        list={list}
      />
    );
  return (
    <Page
      bare
      appRef={ref}
      crumbs={[{ text: 'Queues', link: { to: '/app/$ref/queues', params: { ref } } }, { text: name }]}
      fetching={list.isLoading}
    >
      <Sheet title={name} notice={<QueryFailure query={list} />} foot={<SheetFoot shown="" />}>
        <SheetWords>
          {data && (
            <Empty title={queue ? 'A table of this queue is missing' : 'There is no queue with this name'}>
              <p>
                {queue
                  ? 'Its messages or its archive were dropped by SQL. Drop the queue in the list of queues.'
                  : 'The queue may have been dropped. Choose another one from the list of queues.'}
              </p>
            </Empty>
          )}
        </SheetWords>
      </Sheet>
    </Page>
  );
}
