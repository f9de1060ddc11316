import { randomBytes } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import { authoriseDoor } from '../admin/authorise.ts';
import type { AdminContext } from '../admin/context.ts';
import { handleAdmin } from '../admin/handle.ts';
import { CONSOLE_REF, databaseName } from '../apps/app-record.ts';
import { Apps } from '../apps/apps.ts';
import { bootstrap, ServerUnfitError } from '../apps/bootstrap.ts';
import { CallStatistics } from '../apps/call-statistics.ts';
import { CallStories } from '../apps/call-stories.ts';
import { Incidents } from '../apps/incidents.ts';
import { Lifecycle } from '../apps/lifecycle.ts';
import { PassageKeeper } from '../apps/passages.ts';
import { Registry } from '../apps/registry.ts';
import { RowCounts } from '../apps/row-counts.ts';
import { type Server, smallPool, superuserIn } from '../apps/server.ts';
import type { Config, Secrets } from '../config/config.ts';
import { parseTarget } from '../database/target.ts';
import { authArea } from '../http/auth-area.ts';
import { openApiArea } from '../http/open-api-area.ts';
import { Pipeline } from '../http/pipeline.ts';
import { restArea } from '../http/rest-area.ts';
import { buildServer, type HttpServer } from '../http/server.ts';
import { Identities } from '../identity/identities.ts';
import { AddressLimiter } from '../limits/token-bucket.ts';
import { Events } from '../observe/events.ts';
import { writeLog } from '../observe/log.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../postgres/embedded.ts';
import { StartError } from '../postgres/start-error.ts';
import { OpenApiDocuments } from '../spec/openapi/documents.ts';
import { Probes } from '../spec/probe/probes.ts';
import type { TaskRunner } from '../spec/process/answer.ts';
import { SpecificationProcess } from '../spec/process/specification-process.ts';
import { Specifier } from '../spec/specifier.ts';
import { ServerRoles } from '../spec/versions/server-roles.ts';
import { Versions } from '../spec/versions/versions.ts';
import { build, version } from './configuration.ts';

/** What the primary hands to its workers: all that they need beside the environment. */
export interface WorkerBrief {
  databaseUrl: string;
  embedded: boolean;
  /** Where clients reach the node. */
  url: string;
  setupToken: string;
  startedAt: string;
}

export interface Primary {
  databaseUrl: string;
  postgresVersion: string;
  embedded: EmbeddedPostgres | null;
  /** Does the workers' tasks. */
  specification: SpecificationProcess;
  /** True until a builder exists. */
  needsSetup: boolean;
  refs: string[];
}

/** The primary's part: PostgreSQL, and everything in it that must stand before the first call. */
export async function composePrimary(config: Config, secrets: Secrets, events: Events): Promise<Primary> {
  const embedded = config.databaseUrl
    ? null
    : await startEmbeddedPostgres({
        home: config.home,
        port: config.postgresPort,
        password: secrets.postgresPassword,
        log: (message, detail) => events.emit({ type: 'postgres', message, ...(detail ? { detail } : {}) }),
      });
  const databaseUrl = config.databaseUrl ?? (embedded ? quickestUrl(embedded) : '');
  const server = serverOf(databaseUrl, secrets);
  const maintenance = smallPool(server.target);
  const consoleDatabase = smallPool(superuserIn(server, databaseName(CONSOLE_REF)));
  try {
    const postgresVersion = await bootstrap(server, maintenance, events);
    const registry = new Registry(consoleDatabase, secrets.masterKey);
    const needsSetup = !(await registry.hasBuilder());
    const refs = (await registry.list()).map((record) => record.ref).filter((ref) => ref !== CONSOLE_REF);
    const specification = new SpecificationProcess(new URL('./specification-process.js', import.meta.url));
    return { databaseUrl, postgresVersion, embedded, specification, needsSetup, refs };
  } catch (error) {
    await embedded?.stop();
    throw error;
  } finally {
    await Promise.all([maintenance.close(), consoleDatabase.close()]);
  }
}

export interface Worker {
  http: HttpServer;
  /** Finishes what is in flight and closes every connection. */
  close(): Promise<void>;
}

/** A worker's part: everything that answers calls. `tasks`: the way to the specification's process. */
export async function composeWorker(
  config: Config,
  secrets: Secrets,
  brief: WorkerBrief,
  webFolder: string,
  tasks: TaskRunner,
): Promise<Worker> {
  const events = new Events();
  const stopLog = writeLog(events, config.logLevel);
  const server = serverOf(brief.databaseUrl, secrets);
  const maintenance = smallPool(server.target, 4);
  const locks = smallPool(server.target, 8);
  const consoleDatabase = smallPool(superuserIn(server, databaseName(CONSOLE_REF)), 4);
  const registry = new Registry(consoleDatabase, secrets.masterKey);
  const url = () => brief.url;
  const specifier = new Specifier(tasks, url, {
    poolConnections: config.poolConnections,
    poolIdleSeconds: config.poolIdleSeconds,
    requestsPerAddress: config.requestsPerSecond,
  });
  const versions = new Versions(specifier, events, build);
  const serverRoles = new ServerRoles(consoleDatabase, events, (app) => versions.look(app));
  const probes = new Probes(specifier, events);
  const documents = new OpenApiDocuments(specifier);
  const apps = new Apps(
    server,
    registry,
    {
      connections: config.poolConnections,
      idleMilliseconds: config.poolIdleSeconds * 1000,
      waitMilliseconds: limits.poolWaitSeconds.default * 1000,
    },
    events,
    (app) => {
      versions.watch(app);
      serverRoles.watch(app);
    },
  );
  const lifecycle = new Lifecycle({ server, maintenance, locks, registry, apps, events });
  const identities = new Identities();
  const stories = new CallStories(apps, events);
  const observers = [
    new CallStatistics(apps, events),
    new Incidents(apps, events),
    stories,
    new PassageKeeper(apps, events),
    serverRoles,
    new RowCounts(server, apps, events),
  ];
  const adminContext: AdminContext = {
    apps,
    registry,
    lifecycle,
    server,
    maintenance,
    events,
    stories,
    operatorToken: secrets.operatorToken,
    setupToken: brief.setupToken,
    identify: (app, exchange) => identities.resolve(app, exchange),
    specify: specifier,
    versions,
    probes,
    node: { version, workers: config.workers, startedAt: brief.startedAt, embedded: brief.embedded, url },
  };
  const http = await buildServer({
    pipeline: new Pipeline({
      apps,
      events,
      addresses: new AddressLimiter(config.requestsPerSecond),
      identify: (app, exchange) => identities.resolve(app, exchange),
    }),
    areas: [restArea, authArea(events)],
    openApi: openApiArea((app, role) => documents.for(app, role)),
    admin: {
      handle: (exchange) => {
        // Who works on an app looks at its specification soon.
        specifier.prepare();
        return handleAdmin(adminContext, exchange);
      },
      authorise: (exchange, ref) => authoriseDoor(adminContext, exchange, ref),
    },
    isHealthy: () =>
      maintenance.run([{ text: 'select 1', params: [], preparedFor: 'health' }]).then(
        () => true,
        () => false,
      ),
    version,
    url,
    domain: config.domain,
    defaultApp: config.defaultApp,
    trustProxy: config.trustProxy,
    webFolder,
  });
  await apps.start();
  for (const observer of observers) observer.start();
  return {
    http,
    close: async () => {
      await http.close();
      await Promise.all([...observers.map((observer) => observer.stop()), probes.stop()]);
      await apps.close();
      await Promise.all([maintenance.close(), locks.close(), consoleDatabase.close()]);
      stopLog();
    },
  };
}

export const newSetupToken = (): string => randomBytes(24).toString('base64url');

/** By the server's Unix socket, where there is one. */
const quickestUrl = ({ url, socketFolder }: EmbeddedPostgres): string =>
  socketFolder === null ? url : `${url}?host=${encodeURIComponent(socketFolder)}`;

function serverOf(databaseUrl: string, secrets: Secrets): Server {
  return { target: { ...parseTarget(databaseUrl, 'ninefold'), searchPath: '' }, masterKey: secrets.masterKey };
}

/** True for an error whose message is a sentence for whoever starts the node. */
export const isForOperator = (error: unknown): boolean =>
  error instanceof StartError || error instanceof ServerUnfitError;

export { Events } from '../observe/events.ts';
export { writeLog } from '../observe/log.ts';
export { answerTask, type TaskAnswer, type TaskMessage, TasksOverPrimary } from '../spec/process/over-primary.ts';
