import {
  infiniteQueryOptions,
  mutationOptions,
  partialMatchKey,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import type { QueueList, QueueMessage, QueuePage } from '../../../contract/queues.ts';
import { api, segment } from './api.ts';
import { queryClient, refetchEvery } from './query-client.ts';
import { specificationKeys } from './specification.ts';

const REFRESH_MILLISECONDS = 5000;

const keys = {
  all: (ref: string) => ['queues', ref] as const,
  list: (ref: string) => ['queues', ref, 'list'] as const,
  messages: (ref: string, queue: string) => ['queues', ref, 'messages', queue] as const,
  message: (ref: string, queue: string, isArchive: boolean, id: string) =>
    [...keys.messages(ref, queue), isArchive, id] as const,
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
    queryKey: keys.message(ref, queue, isArchive, id),
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

/** Removes something, and then reads everything again except `gone`, which the page shows until the reader leaves it. */
const removing = (
  ref: string,
  { call, gone }: { call: (name: string) => Promise<unknown>; gone: (name: string) => QueryKey },
) =>
  mutationOptions({
    mutationFn: call,
    onMutate: (name) => queryClient.cancelQueries({ queryKey: gone(name) }),
    onSuccess: (_, name) =>
      void queryClient.invalidateQueries({
        queryKey: keys.all(ref),
        predicate: ({ queryKey }) => !partialMatchKey(queryKey, gone(name)),
      }),
  });

/** Reads the queues again after a change that another query made. */
export const refreshQueues = (ref: string) => queryClient.invalidateQueries({ queryKey: keys.all(ref) });

/** Creates a queue. */
export const createQueue = (ref: string) =>
  changing(ref, (body: { name: string; unlogged: boolean }) => api(path(ref), { method: 'POST', body }));

/** Drops a queue with its messages and its archive. */
export const dropQueue = (ref: string) =>
  removing(ref, {
    call: async (queue: string) => {
      await api(path(ref, queue), { method: 'DELETE' });
      void queryClient.invalidateQueries({ queryKey: specificationKeys.of(ref) });
    },
    gone: (queue) => keys.messages(ref, queue),
  });

/** Deletes all messages of a queue. */
export const purgeQueue = (ref: string) =>
  changing(ref, (queue: string) => api(path(ref, queue, '/purge'), { method: 'POST' }));

/** Sends a message to a queue. */
export const sendMessage = (ref: string, queue: string) =>
  changing(ref, (body: { message: unknown; headers?: Record<string, unknown>; delay_seconds?: number }) =>
    api(path(ref, queue, '/messages'), { method: 'POST', body }),
  );

/** Moves a message to the archive of its queue. */
export const archiveMessage = (ref: string, queue: string) =>
  removing(ref, {
    call: (id: string) => api(path(ref, queue, `/messages/${segment(id)}/archive`), { method: 'POST' }),
    gone: (id) => keys.message(ref, queue, false, id),
  });

/** Deletes a message of a queue or of its archive. */
export const deleteMessage = (ref: string, queue: string, isArchive: boolean) =>
  removing(ref, {
    call: (id: string) =>
      api(path(ref, queue, `/messages/${segment(id)}${archivedQuery(isArchive)}`), { method: 'DELETE' }),
    gone: (id) => keys.message(ref, queue, isArchive, id),
  });
