import { limits } from '../../contract/limits.ts';
import { authoriseBuilderProxy, serviceRole } from '../admin/authorise.ts';
import type { AdminContext } from '../admin/context.ts';
import { handleAdmin } from '../admin/handle.ts';
import { TableAnalyzer } from '../apps/analyze-tables.ts';
import type { App } from '../apps/app.ts';
import { CONSOLE_REF, databaseName } from '../apps/app-record.ts';
import { Apps } from '../apps/apps.ts';
import { BackgroundTurns, Traffic } from '../apps/background-turns.ts';
import { type BoundMessage, ExceededBounds } from '../apps/bounds.ts';
import { CallStatistics } from '../apps/call-statistics.ts';
import { ErrorStatistics } from '../apps/error-statistics.ts';
import { KeyUses } from '../apps/key-uses.ts';
import { Lifecycle } from '../apps/lifecycle.ts';
import { Registry } from '../apps/registry.ts';
import { RequestTraces } from '../apps/request-traces.ts';
import { smallPool, superuserIn } from '../apps/server.ts';
import { wideDefaults } from '../apps/settings.ts';
import { StateChangeCleanup } from '../apps/state-change-cleanup.ts';
import { normaliseEmail, normaliseId, normalisePhone } from '../auth/addresses.ts';
import { claimsWithoutSession } from '../auth/claims-without-session.ts';
import type { AuthContext } from '../auth/context.ts';
import { handleAuth } from '../auth/handle.ts';
import { callSendMailHook } from '../auth/send-hooks.ts';
import { grantForPasskey } from '../auth/sign-in-with-passkey.ts';
import { grantForPassword } from '../auth/sign-in-with-password.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../config/secrets.ts';
import { ConnectionBudget } from '../database/connection-budget.ts';
import { authApi, authContextOf } from '../http/auth-api.ts';
import { openApi } from '../http/open-api.ts';
import { Pipeline } from '../http/pipeline.ts';
import { portalApi } from '../http/portal-api.ts';
import { boundOf } from '../http/read-body.ts';
import { restApi } from '../http/rest-api.ts';
import { buildServer, type HttpServer } from '../http/server.ts';
import { identityOfBuilder } from '../identity/builder-session.ts';
import { ExternalKeys } from '../identity/external-keys.ts';
import { Identities } from '../identity/identities.ts';
import { AddressPolicy } from '../jobs/public-address.ts';
import { ScheduledWork } from '../jobs/scheduled-work.ts';
import { AddressLimiter } from '../limits/token-bucket.ts';
import { Events } from '../observe/events.ts';
import { writeLog } from '../observe/log.ts';
import { BodyParser } from '../rest/request/body-parser.ts';
import { OpenApiDocuments } from '../spec/openapi/documents.ts';
import { ScreensOfCallers } from '../spec/portal-screens.ts';
import { ProbeRunner } from '../spec/probe/probe-runner.ts';
import type { TaskRunner } from '../spec/process/task-result.ts';
import { SpecificationService } from '../spec/specification-service.ts';
import { VersionRecorder } from '../spec/versions/version-recorder.ts';
import { ServerRoleWatcher } from '../spec/versions/watch-server-roles.ts';
import { build, version } from './configuration.ts';
import { connectionShare, readConnectionLimit } from './connection-share.ts';
import { appServer, originsOf, servesOwnMachineOnly } from './from-config.ts';

/** Configuration that workers get from the primary in addition to the environment. */
export interface WorkerConfig {
  databaseUrl: string;
  embedded: boolean;
  /** URL at which clients reach the node. */
  url: string;
  setupToken: string;
  startedAt: string;
}

/** The running parts of a worker process. */
export interface Worker {
  http: HttpServer;
  /** Processes the message that an app exceeds a limit. */
  onBound(message: BoundMessage): void;
  /** Completes the requests in progress and closes all connections. */
  close(): Promise<void>;
}

/**
 * Creates the parts of a worker process, which handle all requests.
 * @param tasks Runs tasks in the specification process.
 */
export async function composeWorker(
  config: Config,
  secrets: Secrets,
  workerConfig: WorkerConfig,
  folders: { readonly console: string; readonly portal: string },
  tasks: TaskRunner,
): Promise<Worker> {
  const events = new Events();
  const stopLog = writeLog(events, config.logLevel);
  const server = appServer(workerConfig.databaseUrl, config, secrets);
  const maintenance = smallPool(server.target, 4);
  const locks = smallPool(server.target, 8);
  const consoleDatabase = smallPool(superuserIn(server, databaseName(CONSOLE_REF)), 4);
  const share = connectionShare(await readConnectionLimit(maintenance), config);
  const registry = new Registry(consoleDatabase, secrets.masterKey);
  const origins = originsOf(config, workerConfig.url);
  const isLoopback = servesOwnMachineOnly(config);
  const specifications = new SpecificationService(tasks, origins, {
    poolConnections: config.poolConnections,
    nodeConnections: config.nodeConnections,
    poolIdleSeconds: config.poolIdleSeconds,
    requestsPerAddress: config.requestsPerSecond,
    ...config.appBounds,
    ...(isLoopback && Object.fromEntries(Object.entries(wideDefaults).map(([name, { value }]) => [name, value]))),
  });
  const traffic = new Traffic();
  const turns = new BackgroundTurns(traffic);
  const versions = new VersionRecorder({ server, specifications, events, turns }, build);
  const serverRoleWatcher = new ServerRoleWatcher(consoleDatabase, events, (app) => versions.checkSoon(app));
  const probeRunner = new ProbeRunner(specifications, events);
  const documents = new OpenApiDocuments(specifications);
  const screens = new ScreensOfCallers(specifications);
  const bounds = new ExceededBounds();
  const apps: Apps = new Apps(
    server,
    registry,
    {
      connections: config.poolConnections,
      idleMilliseconds: config.poolIdleSeconds * 1000,
      waitMilliseconds: limits.poolWaitSeconds.default * 1000,
      budget: new ConnectionBudget(share.max, share.idle),
      isLoopback,
    },
    events,
    bounds,
    (app) => {
      versions.watch(app);
      serverRoleWatcher.watch(app);
      scheduledWork.watch(app);
    },
  );
  const scheduledWork = new ScheduledWork(
    {
      server,
      apps,
      registry,
      bounds,
      console: consoleDatabase,
      maintenance,
      events,
      origins,
      sendMailHook: callSendMailHook,
    },
    config.httpAllowed,
  );
  const lifecycle = new Lifecycle({ server, maintenance, locks, registry, apps, events });
  const keyUses = new KeyUses(apps, events);
  const identities = new Identities(new ExternalKeys(new AddressPolicy(config.httpAllowed)), keyUses);
  const traces = new RequestTraces(apps, events);
  const observers = [
    new CallStatistics(apps, events),
    new ErrorStatistics(apps, events),
    traces,
    new StateChangeCleanup(apps, events),
    serverRoleWatcher,
    new TableAnalyzer(server, apps, events),
    keyUses,
  ];
  const authNode = { events, origins, addresses: new AddressPolicy(config.httpAllowed), keyUses };
  const consoleAuth = async (app: App, identity: AuthContext['identity']): Promise<AuthContext> => ({
    ...(await authContextOf(app, authNode, identity)),
    // Passkeys of builders belong to the pages of the console.
    appOrigin: origins.passkeyOrigin(),
  });
  const claimsOf: AdminContext['claimsOf'] = async (app, request, user) =>
    claimsWithoutSession(await authContextOf(app, authNode, () => identities.resolve(app, request)), user, {
      address: request.address,
      issuer: `${origins.appUrl(app.ref)}/auth/v1`,
    });
  const adminContext: AdminContext = {
    apps,
    registry,
    lifecycle,
    server,
    maintenance,
    events,
    traces,
    operatorToken: secrets.operatorToken,
    setupToken: workerConfig.setupToken,
    identify: (app, request) => identities.resolve(app, request),
    claimsOf,
    specify: specifications,
    versions,
    probes: probeRunner,
    builders: {
      signIn: async (app, request) => {
        const { auth: settings } = await app.settings();
        return (await grantForPassword({ app: app.record, database: app.database, settings, events }, request)).grant;
      },
      signInWithPasskey: async (app, request) =>
        grantForPasskey(await consoleAuth(app, () => identities.resolve(app, request)), request),
      account: async (app, request, session) =>
        handleAuth(
          await consoleAuth(app, async () => (session ? identityOfBuilder(session) : identities.resolve(app, request))),
          request,
        ),
      resolve: (app, token) => identities.resolveBuilder(app, token),
    },
    callAuthAdmin: async (app, request) => {
      const identity = () => Promise.resolve(serviceRole);
      return handleAuth(await authContextOf(app, authNode, identity), request);
    },
    accountForms: { email: normaliseEmail, phone: normalisePhone, id: normaliseId },
    origins,
    addresses: new AddressPolicy(config.httpAllowed),
    node: { version, workers: config.workers, startedAt: workerConfig.startedAt, embedded: workerConfig.embedded },
  };
  const parser = new BodyParser(new URL('./body-parser.js', import.meta.url));
  const http = await buildServer({
    pipeline: new Pipeline({
      apps,
      events,
      addresses: new AddressLimiter(config.requestsPerSecond),
      traffic,
      identify: (app, request) => identities.resolve(app, request),
    }),
    areas: [
      restApi({ parser, claimsOf }),
      authApi(authNode),
      portalApi((app, identity, language) => screens.for(app, identity, language)),
    ],
    openApi: openApi((app, role) => documents.for(app, role)),
    authorise: (request, ref) => authoriseBuilderProxy(adminContext, request, ref),
    handleAdmin: (request, receive) => {
      // Starts the specification process early, because a builder usually opens the specification soon.
      specifications.prepare();
      return handleAdmin(adminContext, request, receive && ((bytes) => receive(boundOf(bytes))));
    },
    isHealthy: () =>
      maintenance.run([{ text: 'select 1', params: [], planKey: 'health' }]).then(
        () => true,
        () => false,
      ),
    origins,
    trustedProxies: config.trustedProxies,
    webFolder: folders.console,
    portalFolder: folders.portal,
    clientSockets: config.descriptors.clientSockets,
  });
  await apps.start();
  for (const observer of observers) observer.start(turns);
  scheduledWork.start();
  return {
    http,
    onBound: (message) => bounds.receive(message),
    close: async () => {
      await http.close();
      parser.close();
      turns.stop();
      await scheduledWork.stop();
      await Promise.all([...observers.map((observer) => observer.stop()), probeRunner.stop()]);
      await apps.close();
      await Promise.all([maintenance.close(), locks.close(), consoleDatabase.close()]);
      stopLog();
    },
  };
}

export type { BoundMessage } from '../apps/bounds.ts';
export { PrimaryTaskClient, type TaskMessage, type TaskResultMessage } from '../spec/process/task-client.ts';
