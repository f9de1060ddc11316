import type { Upload } from '../../../../files/upload-queue.ts';
import { bytes, counted, duration } from '../../../format/format.ts';

/** Describes the states of a queue: "1 runs, 1 waits, 1 failed". Pure. */
export function queueWords(uploads: readonly Pick<Upload, 'state'>[]): string {
  const words: Readonly<Record<Upload['state'], (n: number) => string>> = {
    running: (n) => (n === 1 ? '1 runs' : `${n} run`),
    waiting: (n) => (n === 1 ? '1 waits' : `${n} wait`),
    paused: (n) => `${n} paused`,
    lost: (n) => (n === 1 ? '1 waits for the network' : `${n} wait for the network`),
    failed: (n) => `${n} refused`,
    done: (n) => `${n} done`,
  };
  return (['running', 'waiting', 'paused', 'lost', 'failed', 'done'] as const)
    .flatMap((state) => {
      const n = uploads.filter((upload) => upload.state === state).length;
      return n === 0 ? [] : [words[state](n)];
    })
    .join(', ');
}

/** Describes the progress of one upload: "62%, 3 seconds left". Pure. */
export function progressWords({
  state,
  sent,
  rate,
  file: { size },
}: Pick<Upload, 'state' | 'sent' | 'rate'> & {
  file: { size: number };
}): string {
  const part = `${size === 0 ? 0 : Math.min(100, Math.floor((sent / size) * 100))}%`;
  switch (state) {
    case 'running': {
      if (sent >= size) return 'Storing';
      return rate ? `${part}, ${duration(((size - sent) / rate) * 1000)} left` : part;
    }
    case 'waiting':
      return `Waits, ${bytes(size)}`;
    case 'paused':
      return `Paused at ${part}`;
    case 'lost':
      return `Lost at ${part}, continues there`;
    case 'failed':
      return 'Refused';
    case 'done':
      return `Done, ${bytes(size)}`;
  }
}

/** Returns the title of the tray. Pure. */
export const trayTitle = (all: number): string => counted(all, 'upload');
