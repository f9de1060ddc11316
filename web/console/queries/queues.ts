import { infiniteQueryOptions, mutationOptions, queryOptions } from '@tanstack/react-query';
import type { QueueList, QueueMessage, QueuePage } from '../../../contract/queues.ts';
import { api, segment } from './api.ts';
import { queryClient, refetchEvery } from './query-client.ts';
import { specificationKeys } from './specification.ts';

const REFRESH_MILLISECONDS = 5000;

const keys = {
  all: (ref: string) => ['queues', ref] as const,
  list: (ref: string) => ['queues', ref, 'list'] as const,
  messages: (ref: string, queue: string) => ['queues', ref, 'messages', queue] as const,
};

const path = (ref: string, queue?: string, rest = ''): string =>
  `/apps/${segment(ref)}/queues${queue === undefined ? '' : `/${segment(queue)}`}${rest}`;

const archivedQuery = (isArchive: boolean): string => (isArchive ? '?archived=true' : '');

/** Reads the queues of an app with the numbers of their messages. */
export const queueList = (ref: string) =>
  queryOptions({
    queryKey: keys.list(ref),
    queryFn: ({ signal }) => api<QueueList>(path(ref), { signal }),
    refetchInterval: (query) => refetchEvery(REFRESH_MILLISECONDS)(query),
  });

/** Reads the messages of a queue or of its archive in pages. */
export const queueMessages = (ref: string, queue: string, isArchive: boolean) =>
  infiniteQueryOptions({
    queryKey: [...keys.messages(ref, queue), isArchive],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const parameters = new URLSearchParams({
        ...(isArchive && { archived: 'true' }),
        ...(pageParam !== null && { after: pageParam }),
      });
      return api<QueuePage>(path(ref, queue, `/messages?${parameters}`), { signal });
    },
    getNextPageParam: (page) => page.next,
    refetchInterval: (query) => refetchEvery(REFRESH_MILLISECONDS)(query),
  });

/** Reads one message complete. */
export const queueMessage = (ref: string, queue: string, id: string, isArchive: boolean) =>
  queryOptions({
    queryKey: [...keys.messages(ref, queue), isArchive, id],
    queryFn: ({ signal }) =>
      api<QueueMessage>(path(ref, queue, `/messages/${segment(id)}${archivedQuery(isArchive)}`), { signal }),
  });

const changing = <Argument>(ref: string, call: (argument: Argument) => Promise<unknown>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: async () => {
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
      await queryClient.invalidateQueries({ queryKey: keys.all(ref) });
    },
  });

/** Reads the queues again after a change that another query made. */
export const refreshQueues = (ref: string) => queryClient.invalidateQueries({ queryKey: keys.all(ref) });

/** Creates a queue. */
export const createQueue = (ref: string) =>
  changing(ref, (body: { name: string; unlogged: boolean }) => api(path(ref), { method: 'POST', body }));

/** Drops a queue with its messages and its archive. */
export const dropQueue = (ref: string) => changing(ref, (queue: string) => api(path(ref, queue), { method: 'DELETE' }));

/** Deletes all messages of a queue. */
export const purgeQueue = (ref: string) =>
  changing(ref, (queue: string) => api(path(ref, queue, '/purge'), { method: 'POST' }));

/** Sends a message to a queue. */
export const sendMessage = (ref: string, queue: string) =>
  changing(ref, (body: { message: unknown; headers?: Record<string, unknown>; delay_seconds?: number }) =>
    api(path(ref, queue, '/messages'), { method: 'POST', body }),
  );

/** Does not wait for the queries, so that the page can leave the message before its query fails. */
const removing = (ref: string, call: (id: string) => Promise<unknown>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: () => void refreshQueues(ref),
  });

/** Moves a message to the archive of its queue. */
export const archiveMessage = (ref: string, queue: string) =>
  removing(ref, (id: string) => api(path(ref, queue, `/messages/${segment(id)}/archive`), { method: 'POST' }));

/** Deletes a message of a queue or of its archive. */
export const deleteMessage = (ref: string, queue: string, isArchive: boolean) =>
  removing(ref, (id: string) =>
    api(path(ref, queue, `/messages/${segment(id)}${archivedQuery(isArchive)}`), { method: 'DELETE' }),
  );
