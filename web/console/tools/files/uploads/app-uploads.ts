import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { consoleHeader } from '../../../../../contract/admin.ts';
import type { ChosenFile } from '../../../../files/dropped-files.ts';
import { sendFile } from '../../../../files/send-file.ts';
import { type Upload, UploadQueue } from '../../../../files/upload-queue.ts';
import { failureOfText } from '../../../queries/api-failure.ts';
import { fileKeys } from '../../../queries/files/file-keys.ts';
import { storageUrl } from '../../../queries/files/storage-call.ts';
import { mayPass, queryClient } from '../../../queries/query-client.ts';

/** The queues of the apps. They live as long as the tab, so uploads continue while other pages are open. */
const queues = new Map<string, UploadQueue>();

function queueOf(ref: string): UploadQueue {
  const known = queues.get(ref);
  if (known) return known;
  const queue = new UploadQueue({
    send: sendFile({ url: storageUrl(ref), headers: () => ({ [consoleHeader]: '1' }), failure: failureOfText }),
    isLost: mayPass,
    onDone: ({ bucket, path, replaces }) => {
      if (replaces) void queryClient.invalidateQueries({ queryKey: fileKeys.object(ref, bucket, path) });
      refresh(ref, bucket);
    },
  });
  // Asks before the tab is closed while files are sent.
  window.addEventListener('beforeunload', (event) => {
    if (isSending(queue)) event.preventDefault();
  });
  queues.set(ref, queue);
  return queue;
}

/** Milliseconds in which finished uploads wait for others, so that a folder of files reads the listing only a few times. */
const PAUSE = 700;
const refreshing = new Set<string>();

/** Reads the listings of a bucket again, and the usage if no more files are being sent. */
function refresh(ref: string, bucket: string): void {
  const key = `${ref} ${bucket}`;
  if (refreshing.has(key)) return;
  refreshing.add(key);
  setTimeout(() => {
    refreshing.delete(key);
    void queryClient.invalidateQueries({ queryKey: fileKeys.listings(ref, bucket) });
    if (!isSending(queueOf(ref))) void queryClient.invalidateQueries({ queryKey: fileKeys.usage(ref) });
  }, PAUSE);
}

const isSending = (queue: UploadQueue): boolean =>
  queue.get().some(({ state }) => state === 'running' || state === 'waiting');

/** Uploads into one folder. */
export interface Uploads {
  /** Adds files to the queue, below the open folder. */
  readonly add: (files: readonly ChosenFile[]) => void;
}

/** Returns the function that uploads files into a folder of a bucket. */
export function useUploads(ref: string, bucket: string, folder: string): Uploads {
  const add = useCallback(
    (files: readonly ChosenFile[]) =>
      queueOf(ref).add(files.map(({ file, path }) => ({ file, bucket, path: `${folder}${path}`, replaces: false }))),
    [ref, bucket, folder],
  );
  return useMemo(() => ({ add }), [add]);
}

/** Returns the queue of an app, and its uploads. */
export function useQueue(ref: string): { queue: UploadQueue; uploads: readonly Upload[] } {
  const queue = queueOf(ref);
  return { queue, uploads: useSyncExternalStore(queue.subscribe, queue.get) };
}
