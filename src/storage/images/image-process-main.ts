import process from 'node:process';
import { type ImageJob, type ImageMessage, MEMORY_EXIT } from './image-message.ts';
import { scaleImage, secureSharp } from './scale-image.ts';

/**
 * The entry of a process that scales images: one at a time, until its worker disconnects. It has no secrets and no
 * connections, and ends itself if it takes too much memory.
 */

/** Pause in milliseconds between two measurements of memory. */
const WATCH_MILLISECONDS = 25;

const send = (message: ImageMessage): void => {
  process.send?.(message);
};
const maxMemory = Number(process.argv[2]);

process.on('disconnect', () => process.exit());
// Ignores signals, because the worker ends this process itself. A terminal sends signals to every process of its group.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

try {
  const { default: sharp } = await import('sharp');
  secureSharp(sharp);
  process.on('message', (job: ImageJob) => {
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() > maxMemory) process.exit(MEMORY_EXIT);
    }, WATCH_MILLISECONDS);
    void scaleImage(sharp, job).then((result) => {
      clearInterval(watch);
      send({ result, memory: process.memoryUsage.rss() });
    });
  });
  send({ isAvailable: true });
} catch (error) {
  send({ isAvailable: false, problem: String(error) });
}
