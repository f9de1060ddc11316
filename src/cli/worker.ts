import { fileURLToPath } from 'node:url';
import { ensureSecrets, readConfig } from '../compose/configuration.ts';
import {
  type BoundMessage,
  type BusToPrimary,
  type BusToWorker,
  ChangeClient,
  type ChangeMessage,
  composeWorker,
  FiguresClient,
  type FiguresMessage,
  GrantClient,
  type GrantMessage,
  logOutput,
  PrimaryTaskClient,
  type TaskMessage,
  type TaskResultMessage,
  type Worker,
  type WorkerConfig,
  type WorkerLog,
} from '../compose/worker.ts';

/** Messages of the primary to a worker. */
export type ToWorker =
  /** Configures the worker. `bounds` are the suspensions of apps that have not ended. */
  | { type: 'configure'; workerConfig: WorkerConfig; port: number; bounds: BoundMessage[] }
  | { type: 'stop' }
  /** The node stops soon. */
  | { type: 'drain' }
  /** Number of nodes that use the PostgreSQL server. */
  | { type: 'nodes'; count: number }
  /** Number of lines of output that the processes of the node could not write. */
  | { type: 'lost lines'; lines: number }
  | TaskResultMessage
  | Extract<GrantMessage, { type: 'grant requests' }>
  | Extract<ChangeMessage, { type: 'catch up' | 'all caught up' }>
  | BusToWorker
  | Extract<FiguresMessage, { type: 'figures wanted' | 'node figures' }>
  | BoundMessage;
/** Messages of a worker to the primary. */
export type FromWorker =
  | { type: 'loaded' }
  /** Sent regularly, with the number of lines that the worker could not write to its log. */
  | { type: 'alive'; lostLines: number }
  | { type: 'ready' }
  | { type: 'failed'; reason: string }
  | Extract<ChangeMessage, { type: 'app changed' | 'caught up' }>
  | BusToPrimary
  | Extract<FiguresMessage, { type: 'figures' | 'node figures wanted' }>
  | Extract<GrantMessage, { type: 'ask requests' }>
  | TaskMessage;

/** Interval at which a worker reports that its event loop runs. */
const ALIVE_MILLISECONDS = 1000;

const send = (message: FromWorker) => process.send?.(message);

/**
 * Runs a worker until the primary stops it or ends. Signals are ignored, because a terminal sends them to every process
 * and the primary handles them.
 */
export async function runWorker(): Promise<void> {
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('SIGHUP', () => undefined);
  // Output that cannot be written must not end the worker.
  process.stderr.on('error', () => undefined);
  const log = logOutput();
  let lostLines = 0;
  let worker: Worker | null = null;
  let composed: Promise<Worker> | null = null;
  const receiveBound = (message: BoundMessage) =>
    void composed?.then(
      ({ onBound }) => onBound(message),
      () => undefined,
    );
  const tasks = new PrimaryTaskClient(send);
  const changes = new ChangeClient(send);
  const figures = new FiguresClient(send);
  const grants = new GrantClient(send);
  const catchUp = async (ref: string) => (await composed)?.catchUp(ref);
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message: ToWorker) => {
    if (message.type === 'task answer') {
      tasks.onResult(message);
    } else if (message.type === 'grant requests') {
      grants.onGrant(message);
    } else if (message.type === 'all caught up') {
      changes.onAllCaughtUp(message);
    } else if (message.type === 'catch up') {
      const { round, ref } = message;
      void catchUp(ref)
        .catch(() => undefined)
        .finally(() => send({ type: 'caught up', round }));
    } else if (message.type === 'configure') {
      composed = compose(
        message.workerConfig,
        { tasks, changes, figures, grants },
        { output: log, lostLines: () => lostLines },
      );
      message.bounds.forEach(receiveBound);
      listen(composed, message.port).then(
        (listening) => {
          worker = listening;
          send({ type: 'ready' });
        },
        (error: unknown) => send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }),
      );
    } else if (message.type === 'bus') {
      void composed?.then(
        ({ onBus }) => onBus(message),
        () => undefined,
      );
    } else if (message.type === 'figures wanted') {
      void composed?.then(
        ({ report }) => send({ type: 'figures', report: report() }),
        () => undefined,
      );
    } else if (message.type === 'node figures') {
      figures.onFigures(message);
    } else if (message.type === 'lost lines') {
      lostLines = message.lines;
    } else if (message.type === 'nodes') {
      void composed?.then(
        ({ onNodes }) => onNodes(message.count),
        () => undefined,
      );
    } else if (message.type === 'drain') {
      worker?.drain();
    } else if (message.type !== 'stop') {
      receiveBound(message);
    } else {
      void Promise.resolve(worker?.close()).finally(() => process.exit(0));
    }
  });
  // Reports that the worker can receive messages. Messages to a process that still loads its modules can be lost.
  send({ type: 'loaded' });
  setInterval(() => send({ type: 'alive', lostLines: log.lostLines }), ALIVE_MILLISECONDS).unref();
}

async function compose(
  workerConfig: WorkerConfig,
  {
    tasks,
    changes,
    figures,
    grants,
  }: { tasks: PrimaryTaskClient; changes: ChangeClient; figures: FiguresClient; grants: GrantClient },
  log: WorkerLog,
): Promise<Worker> {
  const config = readConfig();
  const folder = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));
  const folders = { console: folder('web'), portal: folder('portal') };
  return composeWorker(config, ensureSecrets(config), workerConfig, folders, {
    tasks,
    everyWorker: (ref) => changes.everyWorker(ref),
    readFigures: (form) => figures.read(form),
    askRequests: (network) => grants.ask(network),
    log,
    sendBus: (message, sent) => process.send?.(message, undefined, undefined, sent),
  });
}

async function listen(composed: Promise<Worker>, port: number): Promise<Worker> {
  const worker = await composed;
  await worker.http.listen({ host: readConfig().host, port });
  return worker;
}
