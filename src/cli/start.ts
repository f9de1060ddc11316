import cluster, { type Worker as ClusterWorker } from 'node:cluster';
import { rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Config, ConfigError, ensureSecrets, readConfig, warnOfDescriptors } from '../compose/configuration.ts';
import {
  AddressBank,
  answerTask,
  BusSwitch,
  ChangeRounds,
  composePrimary,
  Events,
  type FiguresMessage,
  isForOperator,
  LineOutput,
  logOutput,
  originsOf,
  type Primary,
  ReportRound,
  raiseOomScore,
  type TaskMessage,
  type TaskResultMessage,
  writeLog,
} from '../compose/primary.ts';
import type { WorkerConfig } from '../compose/worker.ts';
import { CliError } from './client.ts';
import { LostLines } from './lost-lines.ts';
import { closeUnacceptedConnections } from './unaccepted-connections.ts';
import type { FromWorker, ToWorker } from './worker.ts';

/**
 * Minimum time between two starts of a worker. If a worker ends within this time, the next one is started only when it
 * has passed.
 */
const PAUSE_MILLISECONDS = 1000;
/** Interval of the check whether npm still runs. */
const PARENT_MILLISECONDS = 1000;
const STDOUT = 1;
/** Time for workers to complete their requests in progress. */
const STOP_MILLISECONDS = 10_000;
/**
 * Interval of the checks whether the workers still run. A worker that sends no message during SILENT_CHECKS checks is
 * killed.
 */
const CHECK_MILLISECONDS = 3000;
const SILENT_CHECKS = 5;

/**
 * Runs `ninefold start`: the primary process, until a signal stops it.
 * @throws CliError
 * @throws ConfigError
 */
export async function start(): Promise<void> {
  const started = performance.now();
  const config = readConfig();
  const secrets = ensureSecrets(config);
  const port = await claimPort(config);
  const warning = warnOfDescriptors(config.descriptors);
  const events = new Events();
  const output = new LineOutput(STDOUT);
  const log = logOutput();
  if (warning !== null) log.write(`${warning}\n`);
  const { logLevel: level, logFormat } = config;
  writeLog(events, { level, format: logFormat === 'json' ? 'json' : 'events', output: log });
  const startedAt = new Date().toISOString();
  const stopped = stopSignal(config);
  const workers = new Workers(config, {
    onLost: (reason) => events.emit({ type: 'node', what: 'worker-lost', detail: { reason } }),
    lostLines: () => output.lostLines + log.lostLines,
  });
  // Starts the workers before PostgreSQL, because they load their modules while PostgreSQL starts.
  workers.fork();
  const url = config.publicUrl ?? `http://${isAnyHost(config.host) ? '127.0.0.1' : hostInUrl(config.host)}:${port}`;
  let nodes = 1;
  const primary = await composePrimary(config, secrets, events, {
    send: (message) => workers.sendToAll(message),
    reservedPort: port,
    onNodes: (count) => {
      if (count !== nodes) workers.sendToAll({ type: 'nodes', count });
      nodes = count;
    },
    collect: () => workers.collectFigures(),
    workers: () => workers.servingCount,
    lostLines: () => workers.lostLines,
    ...{ startedAt, url },
  }).catch(async (error: Error) => {
    await workers.stop();
    throw isForOperator(error) ? new CliError(error.message) : error;
  });
  const workerConfig: Omit<WorkerConfig, 'busId' | 'nodes'> = {
    databaseUrl: primary.databaseUrl,
    embedded: primary.embedded !== null,
    url,
    setupToken: primary.setupToken,
    functions: primary.functions && {
      socketPath: primary.functions.socketPath,
      node: { host: isAnyHost(config.host) ? '127.0.0.1' : config.host, port },
    },
    missingRights: primary.missingRights,
    startedAt,
  };
  try {
    await workers.serve({
      workerConfig: (busId) => ({
        type: 'configure',
        workerConfig: { ...workerConfig, nodes, busId },
        port,
        bounds: [...primary.watchdog.currentBounds(), ...primary.furtherServers.currentBounds()],
      }),
      onTask: (task) => answerTask(primary.specification, task),
      monitor: primary.monitor,
    });
    if (primary.openLink) workers.bus.connect(primary.openLink);
    const runFile = writeRunFile(config, url);
    output.write(announcement(config, primary, workerConfig, performance.now() - started));
    let isStopping = false;
    const updating = primary
      .updateApps(() => isStopping)
      .catch((error: unknown) => events.emit({ type: 'fault', requestId: null, where: 'updating apps', error }));
    const isPlanned = await stopped;
    isStopping = true;
    await updating;
    events.emit({ type: 'node', what: 'stopping' });
    rmSync(runFile, { force: true });
    if (isPlanned) await drain(workers, config.limits.drainSeconds);
  } finally {
    await workers.stop();
    await workers.bus.close();
    await primary.functions?.stop();
    await primary.metricsServer?.close();
    await primary.monitor.stop();
    await primary.watchdog.stop();
    await primary.furtherServers.stop();
    primary.specification.close();
    // The embedded server stops once the backups have its last WAL.
    primary.ownerMails?.stop();
    primary.backups?.finish();
    await primary.embedded?.stop();
    await primary.backups?.stop();
  }
  events.emit({ type: 'node', what: 'stopped' });
}

/** Waits until a balancer sends no further requests to the node, which reports that it is not ready. */
async function drain(workers: Workers, seconds: number): Promise<void> {
  if (seconds === 0) return;
  workers.sendToAll({ type: 'drain' });
  await delay(seconds * 1000);
}

/** Returns the text that the node prints on standard output when it is ready. */
function announcement(
  config: Config,
  primary: Primary,
  workerConfig: Pick<WorkerConfig, 'url' | 'setupToken'>,
  milliseconds: number,
): string {
  const setupUrl = primary.needsSetup ? `${workerConfig.url}/setup#token=${workerConfig.setupToken}` : null;
  const metricsUrl = primary.metricsServer?.url ?? null;
  if (config.readyJson) {
    const ready = { ready: true, url: workerConfig.url, setup_url: setupUrl };
    return `${JSON.stringify({ ...ready, ...(metricsUrl !== null && { metrics_url: metricsUrl }) })}\n`;
  }
  return banner({
    url: workerConfig.url,
    setupUrl,
    metricsUrl,
    refs: primary.refs,
    appUrl: (ref) => originsOf(config, workerConfig.url).appUrl(ref),
    postgres: `PostgreSQL ${primary.postgresVersion}${primary.embedded ? ', embedded' : ''}`,
    home: config.home,
    workers: config.workers,
    milliseconds,
  });
}

/** Writes the file by which the CLI finds the running node. Returns its path. */
function writeRunFile(config: Config, url: string): string {
  const file = join(config.home, 'node.json');
  writeFileSync(file, `${JSON.stringify({ url, pid: process.pid })}\n`, { mode: 0o600 });
  return file;
}

/**
 * Resolves at the first signal, or when the npm process that started this process has ended. A second signal ends the
 * process immediately. Resolves to true for SIGTERM, with which service managers stop a node.
 */
function stopSignal(config: Config): Promise<boolean> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (asked) process.exit(1);
      asked = true;
      resolve(signal === 'SIGTERM');
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    // SIGHUP means that the terminal was closed.
    process.on('SIGHUP', onSignal);
    if (!config.startedByNpm) return;
    const parent = process.ppid;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      resolve(false);
    }, PARENT_MILLISECONDS);
    watch.unref();
  });
}

/**
 * Returns the port to serve on: the configured port if it is free; for 0, any free port.
 * @throws ConfigError
 */
function claimPort(config: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', (error: Error & { code?: string }) => reject(new ConfigError(listenSentence(config, error))));
    probe.listen(config.port, config.host, () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : config.port;
      probe.close(() => resolve(port));
    });
  });
}

function listenSentence(config: Config, error: Error & { code?: string }): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `Port ${config.port} on ${config.host} is already in use. Stop what uses it, or set NINEFOLD_PORT to another port.`;
    case 'EACCES':
      return `Port ${config.port} may not be used by this user. Set NINEFOLD_PORT to a port above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${config.host} is not an address of this machine. Set NINEFOLD_HOST to a local address, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return `Ninefold cannot listen on ${config.host}:${config.port}: ${error.message}.`;
  }
}

const isAnyHost = (host: string) => host === '0.0.0.0' || host === '::';
const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);

/** Functions of the primary that workers need. */
interface Service {
  /**
   * Returns the message with the configuration of a worker.
   * @param busId Id of the worker on the bus.
   */
  workerConfig: (busId: string) => ToWorker;
  onTask: (task: TaskMessage) => Promise<TaskResultMessage>;
  monitor: Pick<Primary['monitor'], 'receive' | 'onEnded' | 'read'>;
}

/** The worker processes. A worker that ends unexpectedly is replaced. */
class Workers {
  readonly #count: number;
  readonly #onLost: (reason: string) => void;
  readonly #lostLines: LostLines<ClusterWorker>;
  readonly #ready: Promise<void>[] = [];
  readonly #service: Promise<Service>;
  /** The workers that accept requests. */
  readonly #serving = new Set<ClusterWorker>();
  readonly #changes = new ChangeRounds<ClusterWorker>();
  readonly #reports = new ReportRound<ClusterWorker>();
  readonly bus = new BusSwitch<ClusterWorker>();
  readonly #bank: AddressBank;
  #serve: (service: Service) => void = () => undefined;
  #isServing = false;
  #stopping = false;

  /**
   * @param onLost Called with the reason when a worker ended unexpectedly.
   * @param lostLines Returns the number of lines that this process could not write.
   */
  constructor(
    { workers, limits: { requestsPerAddress } }: Pick<Config, 'workers' | 'limits'>,
    { onLost, lostLines }: { onLost: (reason: string) => void; lostLines: () => number },
  ) {
    this.#count = workers;
    this.#bank = new AddressBank(requestsPerAddress, workers);
    this.#onLost = onLost;
    this.#lostLines = new LostLines(lostLines, (lines) => this.sendToAll({ type: 'lost lines', lines }));
    this.#service = new Promise((resolve) => {
      this.#serve = resolve;
    });
  }

  /** Starts the processes. They receive their configuration later. */
  fork(): void {
    // Specifications are byte arrays. The default JSON serialization would make them many times larger.
    cluster.setupPrimary({ serialization: 'advanced' });
    for (let i = 0; i < this.#count; i++) {
      const ready = this.#fork();
      // An error is ignored here, because `serve` reports it.
      ready.catch(() => undefined);
      this.#ready.push(ready);
    }
  }

  /** Configures the workers. Resolves when all of them accept requests. */
  async serve(service: Service): Promise<void> {
    this.#isServing = true;
    this.#serve(service);
    await Promise.all(this.#ready);
  }

  /** Number of workers that accept requests. */
  get servingCount(): number {
    return this.#serving.size;
  }

  /** Number of lines that all processes of the node could not write. */
  get lostLines(): number {
    return this.#lostLines.total;
  }

  /** Asks all workers for their figures. Resolves when the monitor has them. */
  collectFigures(): Promise<void> {
    return this.#reports.run([...this.#serving], (worker) => sendTo(worker, { type: 'figures wanted' }));
  }

  sendToAll(message: ToWorker): void {
    for (const worker of this.#running) sendTo(worker, message);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const running = this.#running;
    await Promise.all(running.map((worker) => stopWorker(worker, this.#isServing)));
  }

  get #running(): ClusterWorker[] {
    return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  }

  #fork(): Promise<void> {
    const worker = cluster.fork();
    closeUnacceptedConnections(worker);
    void raiseOomScore(worker.process.pid, 'worker');
    const forkedAt = performance.now();
    const onAlive = killIfSilent(worker);
    const ready = new Promise<void>((resolve, reject) => {
      worker.on('message', (message: FromWorker) => {
        onAlive();
        if (message.type === 'alive') this.#lostLines.report(worker, message.lostLines);
        else if (message.type === 'task') void this.#answer(worker, message);
        else if (message.type === 'figures' || message.type === 'node figures wanted') {
          void this.#onFigures(worker, message);
        } else if (message.type === 'loaded')
          void this.#service.then(({ workerConfig }) => {
            if (!worker.isDead()) sendTo(worker, workerConfig(this.#joinBus(worker)));
          });
        else if (message.type === 'bus') this.bus.receive(worker, message);
        else if (message.type === 'ask requests') {
          const { network } = message;
          sendTo(worker, { type: 'grant requests', network, grant: this.#bank.take(network) });
        } else if (message.type === 'app changed') void this.#spread(worker, message);
        else if (message.type === 'caught up') this.#changes.onCaughtUp(worker, message);
        else if (message.type === 'ready') {
          this.#serving.add(worker);
          resolve();
          sendTo(worker, { type: 'lost lines', lines: this.#lostLines.total });
        } else if (message.type === 'failed') reject(new Error(message.reason));
      });
      worker.once('exit', (code, signal) => reject(new Error(`a worker ended (${signal ?? code})`)));
    });
    worker.once('exit', (code, signal) => {
      this.#serving.delete(worker);
      this.#changes.onEnded(worker);
      this.#lostLines.onEnded(worker);
      this.#reports.onDone(worker);
      void this.#service.then(({ monitor }) => monitor.onEnded(worker.id));
      this.bus.remove(worker);
      if (this.#stopping) return;
      this.#onLost(`ended with ${signal ?? code}`);
      const pause = performance.now() - forkedAt < PAUSE_MILLISECONDS ? PAUSE_MILLISECONDS : 0;
      setTimeout(() => {
        if (!this.#stopping) this.#fork().catch((error: unknown) => this.#onLost(String(error)));
      }, pause);
    });
    return ready;
  }

  /** Connects a worker with the bus until it ends. Returns its id there. */
  #joinBus(worker: ClusterWorker): string {
    return this.bus.add(worker, worker.id, (message, sent) => worker.send(message, sent));
  }

  /** Responds to a worker that has changed an app, once the other workers use the change. */
  async #spread(origin: ClusterWorker, { id, ref }: Extract<FromWorker, { type: 'app changed' }>): Promise<void> {
    const others = [...this.#serving].filter((worker) => worker !== origin);
    await this.#changes.run(ref, others, sendTo);
    sendTo(origin, { type: 'all caught up', id });
  }

  async #onFigures(
    worker: ClusterWorker,
    message: Extract<FiguresMessage, { type: 'figures' | 'node figures wanted' }>,
  ): Promise<void> {
    const { monitor } = await this.#service;
    if (message.type === 'figures') {
      monitor.receive(worker.id, message.report);
      this.#reports.onDone(worker);
      return;
    }
    const body = await monitor.read(message.form).catch(() => null);
    sendTo(worker, { type: 'node figures', id: message.id, body });
  }

  async #answer(worker: ClusterWorker, task: TaskMessage): Promise<void> {
    const { onTask } = await this.#service;
    sendTo(worker, await onTask(task));
  }
}

/**
 * Kills a worker whose event loop has not run for long, for example because its process is stopped. Its clients would
 * wait without end. Counts checks and not time, so that a pause of the whole machine has no effect.
 * @returns A function that must be called for each message of the worker. Checks are counted only after its first call.
 */
function killIfSilent(worker: ClusterWorker): () => void {
  let silentChecks: number | null = null;
  const timer = setInterval(() => {
    if (silentChecks !== null && ++silentChecks > SILENT_CHECKS) worker.process.kill('SIGKILL');
  }, CHECK_MILLISECONDS);
  timer.unref();
  worker.once('exit', () => clearInterval(timer));
  return () => {
    silentChecks = 0;
  };
}

/** Errors are ignored: if the worker has ended, its exit event is handled elsewhere. */
const sendTo = (worker: ClusterWorker, message: ToWorker) => worker.send(message, () => undefined);

/**
 * Stops a worker. A worker that `isServing` completes its requests in progress; a worker that does not serve yet is
 * killed, because it may not receive messages.
 */
function stopWorker(worker: ClusterWorker, isServing: boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), STOP_MILLISECONDS);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    if (isServing && worker.isConnected()) sendTo(worker, { type: 'stop' });
    else worker.process.kill('SIGKILL');
  });
}

/** The values that the banner shows. */
interface BannerFacts {
  url: string;
  /** The one-time set-up link; null if a builder exists. */
  setupUrl: string | null;
  /** URL of the metrics on their own port; null without one. */
  metricsUrl: string | null;
  refs: readonly string[];
  /** Returns the URL of an app's API. */
  appUrl: (ref: string) => string;
  postgres: string;
  home: string;
  workers: number;
  milliseconds: number;
}

/** Returns the text that `ninefold start` prints when the node is ready: the URL of the console and the next step. */
function banner(facts: BannerFacts): string {
  const lines = [
    '',
    `  Ninefold is ready (${Math.round(facts.milliseconds)} ms, ${facts.workers} ${facts.workers === 1 ? 'worker' : 'workers'}, ${facts.postgres})`,
    '',
    `  Console       ${facts.url}`,
  ];
  if (facts.setupUrl) lines.push(`  First builder ${facts.setupUrl}`, '                (this link works once)');
  const [first] = facts.refs;
  if (first === undefined) {
    lines.push('', '  Create app    in the console, or: node bin/ninefold.js apps create my-app');
  } else {
    lines.push(
      '',
      `  Connect       createClient('${facts.appUrl(first)}', PUBLISHABLE_KEY)`,
      `                keys: node bin/ninefold.js keys ${first}`,
    );
    if (facts.refs.length > 1) lines.push(`                ${facts.refs.length} apps: node bin/ninefold.js apps list`);
  }
  if (facts.metricsUrl !== null) lines.push('', `  Metrics       ${facts.metricsUrl}`);
  lines.push('', `  Data          ${facts.home}`, '  Stop          Ctrl-C', '', '');
  return lines.join('\n');
}
