import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { bootstrap, updateApps } from '../apps/provisioning/bootstrap.ts';
import { ServerUnfitError } from '../apps/provisioning/check-server.ts';
import { schemaIdentity } from '../apps/provisioning/schema-files.ts';
import { CONSOLE_REF, databaseName } from '../apps/registry/app-record.ts';
import { MasterKeyError, Registry } from '../apps/registry/registry.ts';
import { type Server, smallPool, superuserIn } from '../apps/registry/server.ts';
import { BackupHome } from '../backup/backup-home.ts';
import { BackupProcess } from '../backup/backup-process.ts';
import type { Config } from '../config/config.ts';
import { masterKeyPath, type Secrets } from '../config/secrets.ts';
import { ConnectionUrlError } from '../database/split-url.ts';
import { mailServerFrom, OwnerMails } from '../drill/owner-mails.ts';
import { FunctionProcess } from '../functions/function-process.ts';
import { type MetricsServer, startMetricsServer } from '../http/metrics-server.ts';
import { type MonitorParts, NodeMonitor } from '../monitoring/node-monitor.ts';
import type { Events } from '../observe/events.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded.ts';
import { raiseOomScore } from '../postgres/oom-score.ts';
import { StartError } from '../postgres/start-error.ts';
import type { NodeLink, NodeLinkHandlers } from '../realtime/bus/node-link.ts';
import { PostgresLink } from '../realtime/bus/postgres-link.ts';
import { RedisLink } from '../realtime/bus/redis-link.ts';
import { SpecificationProcess } from '../specification/serve/process/specification-process.ts';
import { linuxProcesses } from '../watchdog/processes.ts';
import { Watchdog, type WatchdogParts } from '../watchdog/watchdog.ts';
import { backupConfiguration, backupTargetOf } from './backup-configuration.ts';
import { version } from './configuration.ts';
import { appServer, entryTarget } from './from-config.ts';
import { functionConfiguration } from './function-configuration.ts';
import { FurtherServers } from './further-servers.ts';

/** The running parts of the primary process. */
export interface Primary {
  databaseUrl: string;
  postgresVersion: string;
  /** The rights of a superuser that the node's login lacks on the server. */
  missingRights: Server['missingRights'];
  embedded: EmbeddedPostgres | null;
  /** Runs the tasks that the workers send for the specification. */
  specification: SpecificationProcess;
  watchdog: Watchdog;
  /** The further PostgreSQL servers. */
  furtherServers: FurtherServers;
  /** Backs the node up; null if it takes no backups. */
  backups: BackupProcess<object> | null;
  /** Runs edge functions; null if the node runs none. */
  functions: FunctionRuns | null;
  /** Warns the owners of the node by mail; null without backups or a mail server. */
  ownerMails: OwnerMails | null;
  /** Adds up the figures of the workers. Parts of the primary register their gauges there. */
  monitor: NodeMonitor;
  /** Serves the metrics on an own port; null without one. */
  metricsServer: MetricsServer | null;
  /** Opens the link to other nodes; null if there cannot be any. */
  openLink: ((handlers: NodeLinkHandlers, nodeId: string) => NodeLink) | null;
  /** True as long as the node has no builder. */
  needsSetup: boolean;
  /** The secret of the one-time set-up link. */
  setupToken: string;
  refs: string[];
  /**
   * Upgrades the databases of apps that are out of date after an upgrade of the node, until `isStopping` returns true.
   */
  updateApps(isStopping: () => boolean): Promise<void>;
}

/** The process of the edge functions, and the socket by which workers call it. */
interface FunctionRuns {
  readonly socketPath: string;
  stop(): Promise<void>;
}

/** The workers, as parts of the primary use them. */
type WorkersOfPrimary = Pick<MonitorParts, 'collect' | 'workers' | 'lostLines' | 'startedAt'> & {
  /** Sends a message to all workers. */
  readonly send: WatchdogParts['send'];
  /** The URL of the console. */
  readonly url: string;
  /** The port on which the workers will listen. */
  readonly reservedPort: number;
  /** Called with the number of nodes that use the server. */
  readonly onNodes?: WatchdogParts['onNodes'];
};

/**
 * Starts the parts of the primary process: PostgreSQL, and the roles and databases that must exist before the first
 * request.
 * @param workers What the primary knows of its workers.
 */
export async function composePrimary(
  config: Config,
  secrets: Secrets,
  events: Events,
  { send, onNodes, url, reservedPort, ...workers }: WorkersOfPrimary,
): Promise<Primary> {
  const embedded = config.databaseUrl
    ? null
    : await startEmbeddedPostgres({
        home: config.home,
        port: config.postgresPort,
        reservedPort,
        programs: config.postgresPrograms,
        password: secrets.postgresPassword,
        processMemoryBytes: config.limits.sessionMemoryBytes,
        retainedWalBytes: config.limits.backupSlotBytes,
        proxy: {
          entry: new URL('./database-proxy.js', import.meta.url),
          loginsPerSecond: config.limits.loginsPerSecond,
          // The proxy needs two sockets for each connection. It may use all descriptors for client sockets, because the
          // primary process has no HTTP clients.
          maxConnections: Math.floor(config.descriptors.clientSockets / 2),
        },
        log: (message, detail) => events.emit({ type: 'postgres', message, ...(detail ? { detail } : {}) }),
      });
  const databaseUrl = config.databaseUrl ?? (embedded ? quickestUrl(embedded) : '');
  const entry = entryTarget(databaseUrl);
  const expected = appServer(entry, config, secrets);
  const maintenance = smallPool(expected.target);
  const consoleDatabase = smallPool(superuserIn(expected, databaseName(CONSOLE_REF)));
  try {
    const home = backupTargetOf(config) && new BackupHome(config.home);
    const schemaVersion = { ninefold: version, schema: schemaIdentity };
    await home?.addRestorePoint(schemaVersion);
    const { version: postgresVersion, server } = await bootstrap(expected, entry, maintenance, events);
    await home?.noteVersion(schemaVersion);
    const registry = new Registry(consoleDatabase, secrets.masterKey);
    const needsSetup = !(await registry.hasBuilder());
    const setupToken = await registry.setupToken();
    const refs = (await registry.list()).map((record) => record.ref).filter((ref) => ref !== CONSOLE_REF);
    const specification = new SpecificationProcess(
      new URL('./specification-process.js', import.meta.url),
      (pid) => void raiseOomScore(pid, 'expendable'),
    );
    const processes = embedded && process.platform === 'linux' ? linuxProcesses : null;
    const watchdog = new Watchdog({
      ...{ target: server.target, bounds: config.limits, processes, events, send },
      isShared: embedded === null,
      missingRights: server.missingRights,
      ...(onNodes && { onNodes }),
    });
    await watchdog.start();
    const furtherServers = new FurtherServers(server, events, { bounds: config.limits, send });
    await furtherServers.start();
    const backups = openBackups(config, databaseUrl, secrets, events);
    backups?.start();
    const functions = await startFunctions(config, events);
    const ownerMails = backups && openOwnerMails(config, server, backups, url, events);
    ownerMails?.start();
    const monitor = startMonitor(config, server, workers);
    if (backups) registerBackupGauges(monitor, backups);
    const metricsServer = await openMetricsPort(config, monitor);
    return {
      databaseUrl,
      postgresVersion,
      missingRights: server.missingRights,
      embedded,
      specification,
      watchdog,
      furtherServers,
      backups,
      functions,
      ownerMails,
      monitor,
      metricsServer,
      openLink: linkOf(config, server, events),
      needsSetup,
      setupToken,
      refs,
      updateApps: (isStopping) => updateApps(server, events, isStopping),
    };
  } catch (error) {
    await embedded?.stop();
    throw error instanceof MasterKeyError ? new StartError(wrongKey(config, error), { cause: error }) : error;
  } finally {
    await Promise.all([maintenance.close(), consoleDatabase.close()]);
  }
}

/** @throws StartError */
async function startFunctions(config: Config, events: Events): Promise<FunctionRuns | null> {
  const configuration = await functionConfiguration(config);
  if (configuration === null) return null;
  const process = new FunctionProcess(
    new URL('./function-process.js', import.meta.url),
    configuration,
    config.extraCertificates,
    {
      onStart: (pid) => void raiseOomScore(pid, 'worker'),
      onLost: (reason) => events.emit({ type: 'node', what: 'function-process-lost', detail: { reason } }),
    },
  );
  process.start();
  return {
    socketPath: configuration.socketPath,
    stop: async () => {
      await process.stop();
      await rm(configuration.folder, { recursive: true, force: true });
    },
  };
}

function startMonitor(
  config: Config,
  server: Server,
  workers: Omit<WorkersOfPrimary, 'send' | 'onNodes' | 'url' | 'reservedPort'>,
): NodeMonitor {
  const database = smallPool(superuserIn(server, databaseName(CONSOLE_REF)), 1);
  const monitor = new NodeMonitor({
    ...workers,
    ...{ home: config.home, version, embedded: config.databaseUrl === null },
    database,
    registry: new Registry(database, server.masterKey),
    close: () => database.close(),
  });
  monitor.start();
  return monitor;
}

/** @throws StartError if the address cannot be used */
async function openMetricsPort(
  { metricsHost: host, metricsPort: port }: Config,
  monitor: NodeMonitor,
): Promise<MetricsServer | null> {
  if (port === null) return null;
  return startMetricsServer({ host, port }, () => monitor.metrics()).catch((cause: Error) => {
    throw new StartError(
      `The metrics cannot be served on ${host}:${port} (${cause.message}). Set NINEFOLD_METRICS_PORT and NINEFOLD_METRICS_HOST to a free address of this machine.`,
      { cause },
    );
  });
}

/**
 * Returns a function that opens the link to other nodes: through the broker, or through the PostgreSQL server if others
 * can use it too. The embedded server belongs to one node.
 */
function linkOf({ brokerUrl: url, databaseUrl }: Config, server: Server, events: Events): Primary['openLink'] {
  const onState = (error: unknown) => {
    const through = url === null ? 'PostgreSQL' : 'the broker';
    const detail = { through, ...(error !== null && { reason: reasonOf(error) }) };
    events.emit({ type: 'node', what: error === null ? 'link-working' : 'link-lost', detail });
  };
  if (url !== null) {
    const { masterKey } = server;
    return (handlers, nodeId) => new RedisLink({ url, masterKey, handlers, nodeId, onState });
  }
  if (databaseUrl === null) return null;
  const target = superuserIn(server, databaseName(CONSOLE_REF));
  return (handlers, nodeId) => new PostgresLink({ target, handlers, nodeId, onState });
}

/** Provides the gauges of the backups: ages in seconds, and the seconds that a loss of the machine would cost. */
function registerBackupGauges({ gauges }: NodeMonitor, backups: BackupProcess<object>): void {
  const since = (at: string | null | undefined) => (at ? (Date.now() - Date.parse(at)) / 1000 : null);
  gauges.register('ninefold_backup_age_seconds', () => since(backups.state?.backups[0]?.finishedAt));
  gauges.register('ninefold_loss_window_seconds', () => since(backups.state?.completeAt));
  gauges.register('ninefold_drill_age_seconds', () => {
    const drill = backups.state?.drill;
    return drill?.isPassed ? since(drill.finishedAt) : null;
  });
}

function openBackups(
  config: Config,
  databaseUrl: string,
  secrets: Secrets,
  events: Events,
): BackupProcess<object> | null {
  const configuration = backupConfiguration(config, databaseUrl, secrets);
  return (
    configuration &&
    new BackupProcess(new URL('./backup-process.js', import.meta.url), configuration, config.extraCertificates, {
      onStart: (pid) => void raiseOomScore(pid, 'worker'),
      onLog: (message, detail) => events.emit({ type: 'backup', message, ...(detail && { detail }) }),
      onLost: (reason) => events.emit({ type: 'node', what: 'backup-process-lost', detail: { reason } }),
    })
  );
}

/** Returns what sends the warnings; null if the node has no mail server. */
function openOwnerMails(
  { mailUrl, mailSender, home }: Config,
  server: Server,
  backups: BackupProcess<object>,
  url: string,
  events: Events,
): OwnerMails | null {
  if (mailUrl === null || mailSender === null) return null;
  return new OwnerMails({
    ...{ server: mailServerFrom(mailUrl, mailSender, hostname()), url, home: new BackupHome(home) },
    state: () => backups.state,
    owners: async () => {
      const database = smallPool(superuserIn(server, databaseName(CONSOLE_REF)), 1);
      try {
        const builders = await new Registry(database, server.masterKey).builders();
        return builders.filter(({ is_owner }) => is_owner).map(({ email }) => email);
      } finally {
        await database.close();
      }
    },
    log: (message, detail) => events.emit({ type: 'backup', message, detail }),
  });
}

/** Returns the message of an error, and the code of an AggregateError, which has no message. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
};

const wrongKey = (config: Config, { message }: MasterKeyError): string =>
  `The master key in ${masterKeyPath(config)} does not fit this database (${message}): ${
    config.databaseUrl === null ? 'restore the file from a backup' : 'copy that file from the node that made the apps'
  }.`;

/** Returns the URL of the server, with its Unix socket if there is one, because that is faster than TCP. */
const quickestUrl = ({ url, socketFolder }: EmbeddedPostgres): string =>
  socketFolder === null ? url : `${url}?host=${encodeURIComponent(socketFolder)}`;

/** Returns true for an error whose message is written for the operator. */
export const isForOperator = (error: unknown): boolean =>
  error instanceof StartError || error instanceof ServerUnfitError || error instanceof ConnectionUrlError;

export { ChangeRounds } from '../apps/app-changes.ts';
export { AddressBank } from '../limits/address-bank.ts';
export { ReportRound } from '../monitoring/figures-client.ts';
export type { FiguresMessage } from '../monitoring/worker-report.ts';
export { Events } from '../observe/events.ts';
export { LineOutput } from '../observe/line-output.ts';
export { logOutput, writeLog } from '../observe/log.ts';
export { raiseOomScore } from '../postgres/oom-score.ts';
export { BusSwitch } from '../realtime/bus/bus-switch.ts';
export { answerTask, type TaskMessage, type TaskResultMessage } from '../specification/serve/process/task-client.ts';
export { originsOf } from './from-config.ts';
