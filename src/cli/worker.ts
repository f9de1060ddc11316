import { fileURLToPath } from 'node:url';
import { ensureSecrets, readConfig } from '../compose/configuration.ts';
import {
  type BoundMessage,
  composeWorker,
  type TaskAnswer,
  type TaskMessage,
  TasksOverPrimary,
  type Worker,
  type WorkerBrief,
} from '../compose/worker.ts';

/** What the primary tells a worker, and what it answers. */
export type ToWorker =
  | { type: 'brief'; brief: WorkerBrief; port: number }
  | { type: 'stop' }
  | TaskAnswer
  | BoundMessage;
export type FromWorker = { type: 'up' } | { type: 'ready' } | { type: 'failed'; reason: string } | TaskMessage;

const tell = (message: FromWorker) => process.send?.(message);

/** Serves until the primary says stop, or is gone. Signals are the primary's matter: a terminal sends them to every process. */
export async function runWorker(): Promise<void> {
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('SIGHUP', () => undefined);
  let worker: Worker | null = null;
  const tasks = new TasksOverPrimary(tell);
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message: ToWorker) => {
    if (message.type === 'task answer') {
      tasks.hear(message);
    } else if (message.type === 'brief') {
      serve(message.brief, message.port, tasks).then(
        (started) => {
          worker = started;
          tell({ type: 'ready' });
        },
        (error: unknown) => tell({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }),
      );
    } else if (message.type !== 'stop') {
      worker?.onBound(message);
    } else {
      void Promise.resolve(worker?.close()).finally(() => process.exit(0));
    }
  });
  // Only now does it hear: what is sent to a process that still loads its modules can be lost.
  tell({ type: 'up' });
}

async function serve(brief: WorkerBrief, port: number, tasks: TasksOverPrimary): Promise<Worker> {
  const config = readConfig();
  const webFolder = fileURLToPath(new URL('./web', import.meta.url));
  const worker = await composeWorker(config, ensureSecrets(config.home), brief, webFolder, tasks);
  await worker.http.listen({ host: config.host, port });
  return worker;
}
