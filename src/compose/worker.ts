import { type BackupFigures, backupFigures } from '../../contract/backup.ts';
import { limits } from '../../contract/limits.ts';
import { LeakedPasswordRange } from '../accounts/passwords/leaked-passwords.ts';
import { PasswordHasher } from '../accounts/passwords/passwords.ts';
import type { User } from '../accounts/users/user.ts';
import { authoriseBuilderChannel, authoriseBuilderProxy } from '../admin/authorise.ts';
import type { AdminContext } from '../admin/context.ts';
import { handleAdmin } from '../admin/handle.ts';
import { preparePage } from '../admin/prepare-page.ts';
import { SharedSpecifications } from '../admin/specification/shared.ts';
import type { App } from '../apps/app.ts';
import { Apps } from '../apps/apps.ts';
import { type BoundMessage, ExceededBounds } from '../apps/exceeded-bounds.ts';
import { FunctionLogs } from '../apps/functions/function-logs.ts';
import { KeyUses } from '../apps/keys/key-uses.ts';
import { RequestTraces } from '../apps/log/request-traces.ts';
import { BackgroundTurns, Traffic } from '../apps/maintenance/background-turns.ts';
import { ImportLocks } from '../apps/maintenance/import-locks.ts';
import { StateChangeCleanup } from '../apps/maintenance/state-change-cleanup.ts';
import { TableAnalyzer } from '../apps/provisioning/analyze-tables.ts';
import { Lifecycle } from '../apps/provisioning/lifecycle.ts';
import { ServerPools } from '../apps/provisioning/server-pools.ts';
import { CONSOLE_REF, databaseName } from '../apps/registry/app-record.ts';
import type { Origins } from '../apps/registry/origins.ts';
import { Registry } from '../apps/registry/registry.ts';
import { type Server, smallPool, superuserIn } from '../apps/registry/server.ts';
import { CallStatistics } from '../apps/statistics/call-statistics.ts';
import { ErrorStatistics } from '../apps/statistics/error-statistics.ts';
import type { AuthContext } from '../auth/context.ts';
import { handleAuth } from '../auth/handle.ts';
import { ActingClaims } from '../auth/hooks/claims-without-session.ts';
import { callSendMailHook } from '../auth/hooks/send-hooks.ts';
import { decideRedirect } from '../auth/links/redirects.ts';
import { checkCredentials } from '../auth/providers/check-credentials.ts';
import { ProviderClients } from '../auth/providers/provider-client.ts';
import { grantForPasskey } from '../auth/second-factors/sign-in-with-passkey.ts';
import { exactEmail, normaliseId, normalisePhone } from '../auth/sign-in/addresses.ts';
import { grantForPassword } from '../auth/sign-in/sign-in-with-password.ts';
import { BackupHome } from '../backup/backup-home.ts';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../config/secrets.ts';
import { ConnectionBudget } from '../database/connection-budget.ts';
import type { Pool } from '../database/pool.ts';
import type { BundleProcesses } from '../functions/bundle/bundle-process.ts';
import { FunctionClient } from '../functions/function-client.ts';
import type { LocalAddress } from '../functions/host/app-sockets.ts';
import { authApi, authContextOf } from '../http/auth-api.ts';
import { functionsApi } from '../http/functions-api.ts';
import { Pipeline } from '../http/pipeline.ts';
import { portalApi } from '../http/portal-api.ts';
import { boundOf } from '../http/read-body.ts';
import { realtimeApi } from '../http/realtime-api.ts';
import { buildServer, type HttpServer } from '../http/server.ts';
import { storageApi } from '../http/storage-api.ts';
import { identityOfBuilder } from '../identity/builder-session.ts';
import { ExternalKeys } from '../identity/external-keys.ts';
import { Identities } from '../identity/identities.ts';
import { serviceRole } from '../identity/identity.ts';
import { AddressPolicy } from '../jobs/public-address.ts';
import { ScheduledWork } from '../jobs/scheduled-work.ts';
import { AddressLimiter } from '../limits/address-limiter.ts';
import type { GrantClient } from '../limits/grant-client.ts';
import { InFlight } from '../limits/in-flight.ts';
import { SpanExporter } from '../monitoring/span-exporter.ts';
import { WorkerFigures } from '../monitoring/worker-figures.ts';
import type { WorkerReport } from '../monitoring/worker-report.ts';
import { Events } from '../observe/events.ts';
import type { LineOutput } from '../observe/line-output.ts';
import { writeLog } from '../observe/log.ts';
import { Readiness } from '../observe/readiness.ts';
import { TraceSampler } from '../observe/trace-context.ts';
import type { Bus } from '../realtime/bus/bus.ts';
import type { BusToPrimary, BusToWorker, SendMessage } from '../realtime/bus/bus-message.ts';
import { WorkerBus } from '../realtime/bus/worker-bus.ts';
import { Realtime } from '../realtime/realtime.ts';
import { LiveReads } from '../rest/live-read.ts';
import { PlanCache } from '../rest/plan-cache.ts';
import { BodyParser } from '../rest/request/body-parser.ts';
import { openApi, restApi } from '../rest/rest-api.ts';
import { conditionText } from '../specification/derive/chapters/roles/condition-words.ts';
import { OpenApiDocuments } from '../specification/serve/openapi-documents.ts';
import { ScreensOfCallers } from '../specification/serve/portal-screens.ts';
import { ProbeRunner } from '../specification/serve/probe-runner.ts';
import type { TaskRunner } from '../specification/serve/process/task-result.ts';
import { SpecificationService } from '../specification/serve/specification-service.ts';
import { VersionRecorder } from '../specification/serve/versions/version-recorder.ts';
import { ServerRoleWatcher } from '../specification/serve/versions/watch-server-roles.ts';
import type { StorageNode } from '../storage/context.ts';
import { programFoldersOf } from './backup-configuration.ts';
import { build, version } from './configuration.ts';
import { connectionShare, readConnectionLimit } from './connection-share.ts';
import { appServer, entryTarget, nodeLimits, openStorage, originsOf, servesOwnMachineOnly } from './from-config.ts';
import { liveReadsOf } from './live-reads.ts';
import { type MemberOf, mailedMember } from './mailed-member.ts';

/** Configuration that workers get from the primary in addition to the environment. */
export interface WorkerConfig {
  databaseUrl: string;
  embedded: boolean;
  /** URL at which clients reach the node. */
  url: string;
  setupToken: string;
  startedAt: string;
  /** The rights of a superuser that the node's login lacks on the server. */
  missingRights: Server['missingRights'];
  /** The socket of the process of the functions, and where the node serves HTTP on its machine; null if the node runs none. */
  functions: { readonly socketPath: string; readonly node: LocalAddress } | null;
  /** Number of nodes that use the server. */
  nodes: number;
  /** Id of the worker on the bus. */
  busId: string;
}

/** The log of a worker. */
export interface WorkerLog {
  readonly output: LineOutput;
  /** Returns the number of lines of output that the processes of the node could not write. */
  lostLines: () => number;
}

/** The running parts of a worker process. */
export interface Worker {
  http: HttpServer;
  /** Processes a message about an app that exceeds a limit. */
  onBound(message: BoundMessage): void;
  /** Divides the connections of the server by the number of nodes that use it. */
  onNodes(nodes: number): void;
  /** Reports that the worker is not ready, and ends each connection after its next response. */
  drain(): void;
  /** Waits until the worker uses all changes of an app that were committed before this call. */
  catchUp(ref: string): Promise<void>;
  /** Processes messages of other workers. */
  onBus(message: BusToWorker): void;
  /** Makes `/ready` answer 503 before the worker closes. */
  readonly readiness: Readiness;
  /** Returns the figures of the worker since the last call. */
  report(): WorkerReport;
  /** Completes the requests in progress and closes all connections. */
  close(): Promise<void>;
}

/** The configuration, connections and services that all parts of a worker share. */
interface Node {
  readonly lostLines: WorkerLog['lostLines'];
  readonly askRequests: GrantClient['ask'];
  readonly config: Config;
  readonly secrets: Secrets;
  readonly workerConfig: WorkerConfig;
  readonly events: Events;
  readonly origins: Origins;
  readonly passwords: PasswordHasher;
  readonly addresses: AddressPolicy;
  readonly server: Server;
  readonly maintenance: Pool;
  readonly locks: Pool;
  readonly consoleDatabase: Pool;
  readonly specifications: SpecificationService;
  readonly storage: StorageNode;
  readonly traffic: Traffic;
  readonly turns: BackgroundTurns;
  readonly readiness: Readiness;
}

/**
 * Creates the parts of a worker process, which handle all requests.
 * @param primary.tasks Runs tasks in the specification process.
 * @param primary.everyWorker Resolves once the other workers use the changes of an app.
 * @param primary.sendBus Sends messages for other workers.
 * @param primary.askRequests Asks for permission for requests of a client network.
 */
export async function composeWorker(
  config: Config,
  secrets: Secrets,
  workerConfig: WorkerConfig,
  folders: { readonly console: string; readonly portal: string },
  {
    tasks,
    everyWorker,
    log,
    sendBus,
    readFigures,
    askRequests,
  }: Pick<AdminContext, 'everyWorker' | 'readFigures'> & {
    readonly askRequests: GrantClient['ask'];
    readonly tasks: TaskRunner;
    readonly log: WorkerLog;
    readonly sendBus: SendMessage<BusToPrimary>;
  },
): Promise<Worker> {
  const events = new Events();
  const format = config.logFormat === 'json' ? 'json' : 'events';
  const stopLog = writeLog(events, { level: config.logLevel, format, output: log.output });
  const server = appServer(entryTarget(workerConfig.databaseUrl), config, secrets, workerConfig.missingRights);
  const origins = originsOf(config, workerConfig.url);
  const bus = new WorkerBus(workerConfig.busId, sendBus, (error) =>
    events.emit({ type: 'fault', requestId: null, where: 'realtime', error }),
  );
  const node: Node = {
    lostLines: log.lostLines,
    askRequests,
    config,
    secrets,
    workerConfig,
    events,
    origins,
    passwords: new PasswordHasher(config.workers),
    addresses: addressPolicy(config, workerConfig, origins),
    server,
    maintenance: smallPool(server.target, 4),
    locks: smallPool(server.target, 8),
    consoleDatabase: smallPool(superuserIn(server, databaseName(CONSOLE_REF)), 4),
    specifications: openSpecifications(tasks, origins, config, server),
    storage: openStorage(config),
    ...backgroundOf(),
    readiness: new Readiness(),
  };
  // The apps are composed before what signs in their members.
  const memberOf: MemberOf = async (ref, userId) =>
    mailedMember(await hosting.apps.get(ref), userId, auth.claimsForMail);
  const hosting = await composeApps(node, memberOf);
  const keyUses = new KeyUses(hosting.apps, events);
  const identities = new Identities(new ExternalKeys(node.addresses), keyUses);
  const probes = new ProbeRunner(node.specifications, events);
  const traces = new RequestTraces(hosting.apps, events);
  const { functions, functionLogs, functionAdmin } = openFunctions(node, hosting.apps);
  const observers = [
    new CallStatistics(hosting.apps, events),
    new ErrorStatistics(hosting.apps, events),
    traces,
    new StateChangeCleanup(hosting.apps, events),
    hosting.serverRoleWatcher,
    new TableAnalyzer(server, hosting.apps, events),
    keyUses,
    functionLogs,
  ];
  const auth: Auth = composeAuth(node, identities, keyUses);
  const plans = new PlanCache();
  const realtime = composeRealtime(bus, hosting.apps, identities, events, new LiveReads(plans));
  const realtimeUsage = (ref: string) => realtime.usageOf(ref);
  const adminContext = composeAdmin(node, hosting, auth, {
    ...{ identities, probes, traces, everyWorker, realtimeUsage, readFigures },
    functions: functionAdmin,
  });
  const parser = new BodyParser(new URL('./body-parser.js', import.meta.url));
  const http = composeHttp(node, hosting.apps, auth, {
    identities,
    adminContext,
    parser,
    plans,
    realtime,
    functions,
    folders,
  });
  const monitoring = composeMonitoring(node, hosting, http);
  await hosting.apps.start();
  for (const observer of observers) observer.start(node.turns);
  hosting.scheduledWork.start();
  return {
    http,
    onBound: (message) => hosting.bounds.receive(message),
    onNodes: (nodes) => hosting.setNodes(nodes),
    drain: () => {
      node.readiness.drain();
      http.drain();
    },
    catchUp: (ref) => hosting.apps.catchUp(ref),
    onBus: (message) => bus.receive(message),
    readiness: node.readiness,
    report: () => monitoring.figures.take(),
    close: () =>
      closeWorker(node, hosting, { http, realtime, bus, parser, functions, observers, probes, monitoring, stopLog }),
  };
}

/** Completes the requests in progress, writes what waits, and closes all connections. */
async function closeWorker(
  node: Node,
  hosting: Hosting,
  parts: {
    readonly http: HttpServer;
    readonly realtime: Realtime;
    readonly bus: WorkerBus;
    readonly parser: BodyParser;
    readonly functions: FunctionClient | null;
    readonly observers: readonly { stop(): Promise<void> | void }[];
    readonly probes: ProbeRunner;
    readonly monitoring: { readonly stop: () => Promise<void> };
    readonly stopLog: () => void;
  },
): Promise<void> {
  node.readiness.drain();
  parts.realtime.close();
  await parts.http.close();
  parts.functions?.close();
  parts.bus.close();
  parts.parser.close();
  node.storage.images.close();
  node.turns.stop();
  await hosting.scheduledWork.stop();
  await Promise.all([...parts.observers.map((observer) => observer.stop()), parts.probes.stop()]);
  await hosting.apps.close();
  await Promise.all([node.maintenance.close(), node.locks.close(), node.consoleDatabase.close()]);
  await parts.monitoring.stop();
  parts.stopLog();
}

/** Creates what counts requests, and what background work waits for. */
function backgroundOf(): Pick<Node, 'traffic' | 'turns'> {
  const traffic = new Traffic();
  return { traffic, turns: new BackgroundTurns(traffic) };
}

/** Creates a policy for requests of apps. Those to edge functions do not leave the machine. */
const addressPolicy = ({ httpAllowed }: Config, { functions }: WorkerConfig, origins: Origins): AddressPolicy =>
  new AddressPolicy(httpAllowed, (url) => (functions !== null && origins.isFunction(url) ? functions.node : null));

/** Returns how the processes that bundle edge functions start. */
const bundleProcesses = ({ extraCertificates, npmRegistry, jsrRegistry, httpAllowed }: Config): BundleProcesses => ({
  entry: new URL('./bundle-process.js', import.meta.url),
  certificates: extraCertificates,
  registries: { npmRegistry, jsrRegistry },
  httpAllowed,
});

/** Connects the worker with the process of the functions, and stores their output. */
function openFunctions({ workerConfig, config, events }: Node, apps: Apps) {
  const functionLogs = new FunctionLogs(apps, events);
  const functions = workerConfig.functions && new FunctionClient(workerConfig.functions.socketPath);
  functions?.readOutput(({ ref, line }) => functionLogs.add(ref, line));
  const functionAdmin: AdminContext['functions'] = {
    runs: functions !== null,
    bundles: bundleProcesses(config),
    deployments: new InFlight(),
    flushLogs: (ref) => functionLogs.flushApp(ref),
  };
  return { functions, functionLogs, functionAdmin };
}

/** Creates what counts the requests of a worker, and what sends their traces. */
function composeMonitoring(
  { config, events, passwords, traffic }: Node,
  { scheduledWork, budget }: Hosting,
  http: HttpServer,
): { figures: WorkerFigures; stop: () => Promise<void> } {
  const exporter =
    config.otlpUrl === null
      ? null
      : new SpanExporter({ url: config.otlpUrl, headers: config.otlpHeaders ?? {} }, version, (error) =>
          events.emit({ type: 'fault', requestId: null, where: 'sending traces', error }),
        );
  const figures = new WorkerFigures({
    gauges: () => ({
      ninefold_calls_in_flight: traffic.inFlight,
      ninefold_http_connections: http.traffic().connections,
      ninefold_pool_connections: budget.taken,
      ninefold_pool_waiting: budget.waits.waiting,
      ninefold_password_hashes_waiting: passwords.waiting,
      ninefold_jobs_running: scheduledWork.figures().running,
    }),
    counters: () => {
      const { runs } = scheduledWork.figures();
      return [
        ['ninefold_http_sent_bytes_total', http.traffic().sentBytes],
        ['ninefold_jobs_total', runs.succeeded, 'succeeded'],
        ['ninefold_jobs_total', runs.failed, 'failed'],
        ...(exporter?.counters() ?? []),
      ];
    },
    poolWaits: budget.waits.seconds,
    mails: () => scheduledWork.figures().queues,
  });
  figures.start(events);
  exporter?.start(events);
  return {
    figures,
    stop: async () => {
      figures.stop();
      await exporter?.stop();
    },
  };
}

/** The apps of a worker, and the work that starts when an app is opened. */
type Hosting = Awaited<ReturnType<typeof composeApps>>;

async function composeApps(node: Node, memberOf: MemberOf) {
  const { config, secrets, server, maintenance, locks, consoleDatabase, events, origins, specifications } = node;
  const serverLimit = await readConnectionLimit(maintenance);
  const shareOf = (nodes: number) => connectionShare(serverLimit, config.limits.nodeConnections, config.workers, nodes);
  const share = shareOf(node.workerConfig.nodes);
  const budget = new ConnectionBudget(share.max, share.idle);
  const registry = new Registry(consoleDatabase, secrets.masterKey);
  const servers = new ServerPools({ server, maintenance }, registry);
  const versions = new VersionRecorder({ specifications, events, turns: node.turns }, build);
  const serverRoleWatcher = new ServerRoleWatcher(consoleDatabase, events, (app) => versions.checkSoon(app), server);
  const bounds = new ExceededBounds();
  const poolLimits = {
    connections: config.limits.poolConnections,
    idleMilliseconds: config.limits.poolIdleSeconds * 1000,
    waitMilliseconds: limits.poolWaitSeconds.default * 1000,
    budget,
    isLoopback: servesOwnMachineOnly(config),
  };
  const apps: Apps = new Apps(server, registry, poolLimits, events, bounds, (app) => {
    versions.watch(app);
    serverRoleWatcher.watch(app);
    scheduledWork.watch(app);
  });
  const sendMailHook = callSendMailHook;
  const scheduledWork = new ScheduledWork(
    {
      server,
      apps,
      registry,
      bounds,
      console: consoleDatabase,
      events,
      origins,
      sendMailHook,
      memberOf,
      store: node.storage.store,
      servers,
      connections: share.scheduled,
    },
    addressPolicy(config, node.workerConfig, origins),
  );
  const { store } = node.storage;
  const lifecycle = new Lifecycle({ servers, locks, registry, apps, events, store });
  const setNodes = (nodes: number) => {
    const { max, idle } = shareOf(nodes);
    budget.resize(max, idle);
  };
  return { apps, registry, servers, bounds, versions, serverRoleWatcher, scheduledWork, lifecycle, budget, setNodes };
}

/** Creates the contexts in which calls of `/auth/v1` run. */
function composeAuth({ events, origins, passwords, addresses }: Node, identities: Identities, keyUses: KeyUses) {
  const shared = {
    events,
    origins,
    passwords,
    addresses,
    keyUses,
    providerClients: new ProviderClients(),
    leakedPasswords: new LeakedPasswordRange('https://api.pwnedpasswords.com/range/'),
  };
  const actingClaims = new ActingClaims();
  const contextOf = (app: App, identity: AuthContext['identity']) => authContextOf(app, shared, identity);
  const claims = async (app: App, user: User, address: string, identity: AuthContext['identity']) =>
    actingClaims.of(await contextOf(app, identity), user, { address, issuer: `${origins.appUrl(app.ref)}/auth/v1` });
  const claimsOf: AdminContext['claimsOf'] = (app, request, user) =>
    claims(app, user, request.address, () => identities.resolve(app, request));
  // A mail has no request, and so no address.
  const claimsForMail = (app: App, user: User) => claims(app, user, '', async () => serviceRole);
  return { shared, contextOf, claimsOf, claimsForMail };
}

type Auth = ReturnType<typeof composeAuth>;

const openSpecifications = (tasks: TaskRunner, origins: Origins, config: Config, server: Server) =>
  new SpecificationService(tasks, origins, nodeLimits(config), readBackupOf(config), server.missingRights);

/** Returns a function that reads what chapter 9 says of the node's backups. */
function readBackupOf({ home, backupTarget }: Config): () => Promise<BackupFigures | null> {
  if (backupTarget.kind === 'off') return async () => null;
  const backups = new BackupHome(home);
  return async () => {
    const state = await backups.readState();
    return state && backupFigures(state);
  };
}

/** Returns the backups of a node; null if it takes none. */
const backupsOf = (
  { home, backupTarget }: Config,
  { masterKey, postgresPassword }: Secrets,
): AdminContext['backups'] =>
  backupTarget.kind === 'off'
    ? null
    : { home: new BackupHome(home), secrets: { masterKey: masterKey.toString('base64url'), postgresPassword } };

function composeAdmin(
  node: Node,
  { apps, registry, servers, lifecycle, versions }: Hosting,
  { contextOf, claimsOf }: Auth,
  {
    identities,
    ...parts
  }: Pick<AdminContext, 'everyWorker' | 'realtimeUsage' | 'readFigures' | 'functions'> & {
    readonly identities: Identities;
    readonly probes: ProbeRunner;
    readonly traces: RequestTraces;
  },
): AdminContext {
  const { server, maintenance, events, origins, passwords, addresses, config, secrets, workerConfig } = node;
  const consoleAuth = async (app: App, identity: AuthContext['identity']): Promise<AuthContext> => ({
    ...(await contextOf(app, identity)),
    // The origin of the console is passed, because passkeys of builders belong to the pages of the console.
    appOrigin: origins.passkeyOrigin(),
  });
  return {
    apps,
    registry,
    lifecycle,
    server,
    servers,
    dumpTools: { folders: programFoldersOf(config), thread: new URL('./wasm-dump.js', import.meta.url) },
    maintenance,
    events,
    passwords: passwords.of(CONSOLE_REF),
    store: node.storage.store,
    backups: backupsOf(config, secrets),
    ...parts,
    operatorToken: secrets.operatorToken,
    setupToken: workerConfig.setupToken,
    identify: (app, request) => identities.resolve(app, request),
    claimsOf,
    importsInFlight: new InFlight(),
    importLocks: new ImportLocks(node.locks, maintenance),
    specify: node.specifications,
    versions,
    builders: {
      signIn: async (app, request) => {
        const { auth: settings } = await app.settings();
        const { record, database, commonHashes } = app;
        const signIn = { app: record, database, settings, events, passwords: passwords.of(CONSOLE_REF), commonHashes };
        return (await grantForPassword(signIn, request)).grant;
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
    callAuthAdmin: async (app, request) =>
      handleAuth(await contextOf(app, () => Promise.resolve(serviceRole)), request),
    decideRedirect: async (app, address) =>
      decideRedirect({ app: app.record, settings: (await app.settings()).auth, origins }, address),
    checkProvider: async (app, name) => checkCredentials(await contextOf(app, async () => serviceRole), name),
    accountForms: { email: exactEmail, phone: normalisePhone, id: normaliseId },
    origins,
    addresses,
    node: {
      version,
      workers: config.workers,
      startedAt: workerConfig.startedAt,
      embedded: workerConfig.embedded,
      lostLines: node.lostLines,
    },
  };
}

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Creates the realtime of all apps of this worker. */
function composeRealtime(bus: Bus, apps: Apps, identities: Identities, events: Events, reads: LiveReads): Realtime {
  const realtime = new Realtime({
    bus,
    find: (ref) => apps.find(ref),
    identify: (app, headers) => identities.resolve(app, { headers }),
    onChannel: (event) => events.emit({ type: 'channel', ...event }),
    onGap: (ref, reason) =>
      events.emit({ type: 'fault', requestId: null, where: `realtime of ${ref}`, error: new Error(reason) }),
    liveReadsOf: (app) => liveReadsOf(app, reads),
  });
  events.listen(['call'], ({ app, method, code }) => {
    if (app !== null && code === null && !readMethods.has(method)) realtime.onWrite(app);
  });
  return realtime;
}

function composeHttp(
  node: Node,
  apps: Apps,
  auth: Auth,
  parts: {
    readonly identities: Identities;
    readonly adminContext: AdminContext;
    readonly parser: BodyParser;
    readonly plans: PlanCache;
    readonly realtime: Realtime;
    readonly functions: FunctionClient | null;
    readonly folders: { readonly console: string; readonly portal: string };
  },
): HttpServer {
  const { identities, adminContext, parser, plans, realtime, functions, folders } = parts;
  const { config, secrets, events, origins, maintenance, specifications, traffic, storage, lostLines } = node;
  const { readiness, askRequests } = node;
  const documents = new OpenApiDocuments(specifications);
  const screens = new ScreensOfCallers(specifications);
  const shared = new SharedSpecifications(adminContext);
  const addresses = new AddressLimiter(config.limits.requestsPerAddress, askRequests);
  const functionParts = {
    client: functions,
    origins,
    server: node.server,
    node: node.workerConfig.functions?.node ?? { host: '127.0.0.1', port: config.port },
  };
  return buildServer({
    pipeline: new Pipeline({ apps, events, addresses, traffic, identities }),
    areas: [
      restApi({ parser, plans, claimsOf: auth.claimsOf, describe: conditionText }),
      authApi(auth.shared),
      storageApi({ ...storage, events, origins }),
      realtimeApi(realtime),
      functionsApi(functionParts),
      portalApi((app, caller, language) => screens.for(app, caller, language)),
    ],
    realtime,
    functions: functionParts,
    openApi: openApi((app, role) => documents.for(app, role)),
    authorise: (request, to) => authoriseBuilderProxy(adminContext, request, to),
    authoriseAs: (request, ref, as) => authoriseBuilderChannel(adminContext, request, ref, as),
    preparePage: (request) => {
      // Starts the specification process early, because a builder usually opens the specification soon.
      specifications.prepare();
      preparePage(adminContext, request).catch(() => undefined);
    },
    handleAdmin: (request, receive) => {
      specifications.prepare();
      return handleAdmin(adminContext, request, receive && ((bytes) => receive(boundOf(bytes))));
    },
    readShared: (request, secret) => shared.read(request, secret),
    isHealthy: () =>
      maintenance.run([{ text: 'select 1', params: [], planKey: 'health' }]).then(
        () => true,
        () => false,
      ),
    lostLines,
    readiness,
    readMetrics: () => adminContext.readFigures('metrics'),
    operatorToken: secrets.operatorToken,
    traces: new TraceSampler(config.otlpUrl === null ? 0 : config.otlpSampling),
    origins,
    trustedProxies: config.trustedProxies,
    webFolder: folders.console,
    portalFolder: folders.portal,
    clientSockets: config.descriptors.clientSockets,
    keepAliveSeconds: config.limits.keepAliveSeconds,
  });
}

export { ChangeClient, type ChangeMessage } from '../apps/app-changes.ts';
export type { BoundMessage } from '../apps/exceeded-bounds.ts';
export { GrantClient, type GrantMessage } from '../limits/grant-client.ts';
export { FiguresClient } from '../monitoring/figures-client.ts';
export type { FiguresMessage, WorkerReport } from '../monitoring/worker-report.ts';
export { logOutput } from '../observe/log.ts';
export type { BusToPrimary, BusToWorker } from '../realtime/bus/bus-message.ts';
export {
  PrimaryTaskClient,
  type TaskMessage,
  type TaskResultMessage,
} from '../specification/serve/process/task-client.ts';
