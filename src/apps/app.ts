import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import { loadSchemaCache } from '../catalog/load-schema-cache.ts';
import type { SchemaCache } from '../catalog/schema-cache.ts';
import type { ConnectionBudget } from '../database/connection-budget.ts';
import type { ConnectionConfig } from '../database/connection-config.ts';
import { isTransient } from '../database/database-error.ts';
import { Listener } from '../database/listener.ts';
import { Pool } from '../database/pool.ts';
import { firstJson, rowsAsText, type Statement } from '../database/statement.ts';
import { RefreshedValue } from '../limits/refreshed-value.ts';
import { type RateRefusal, SharedRuns } from '../limits/shared-runs.ts';
import type { Events } from '../observe/events.ts';
import { authenticatorConnection, ownerConnection, serverConnection } from './app-connections.ts';
import { type ActiveFunctions, readActiveFunctions } from './functions/function-store.ts';
import { LoadPause } from './maintenance/load-pause.ts';
import { rethrowAsAppDamaged } from './provisioning/damaged-app.ts';
import type { AppRecord } from './registry/app-record.ts';
import type { Secrets } from './registry/app-secrets.ts';
import { becomeAuthAdmin } from './run-as-server-role.ts';
import { SchemaPoll } from './schema-poll.ts';
import { defaultSettings, readSettings, type Settings, storedSettings } from './settings.ts';
import { readActiveSite } from './site-store.ts';
import { HookDurations } from './statistics/hook-durations.ts';

/** Pause between two attempts to open an app after a transient error. */
const RETRY_MILLISECONDS = 50;

/** Notifications of an app's database and of its listener. */
export type Notification =
  | { type: 'schema' }
  | { type: 'settings' }
  | { type: 'session-revoked'; ids: string[] }
  | { type: 'sessions-revoked-all' }
  /** `trace-wanted`: a worker asks for the trace of a request. `trace-stored`: a worker has stored it. */
  | { type: 'trace-wanted' | 'trace-stored'; id: string }
  /** A worker reads the log of requests. So every worker writes its buffered lines to the database. */
  | { type: 'log-wanted' }
  /** Jobs were scheduled or changed, or HTTP requests or mails are queued. */
  | { type: 'scheduled-work' }
  /** The listener is connected. Previous notifications may have been missed. */
  | { type: 'listening' }
  /** The listener is disconnected and may miss notifications. */
  | { type: 'disconnected' };

const OWN_SCHEMAS = `select nspname as name from pg_catalog.pg_namespace
  where nspname <> 'information_schema' and nspname !~ '^pg_' order by nspname`;

/** Maximum number of connections of a worker to an app's database as the app's server role. */
const SERVER_CONNECTIONS = 2;
/**
 * Time without use after which such a connection closes. It stays open between the writes of statistics of a busy app.
 */
const SERVER_IDLE_MILLISECONDS = 5000;

/** An empty statement, which opens a connection. */
const CONNECT: Statement = { text: '', params: [], planKey: '' };

/** Limits of the connections and requests of an app. */
export interface PoolLimits {
  connections: number;
  idleMilliseconds: number;
  waitMilliseconds: number;
  /** Returns the error that rejects the app's requests, or null. */
  refusal?: (() => Error | null) | undefined;
  /** Returns true if the app's database may not grow. */
  isFull?: (() => boolean) | undefined;
  /** True on a node that other machines cannot reach. */
  isLoopback?: boolean;
  /** True if the server refuses event triggers, so that no notification tells of a change of the schema. */
  pollsSchema?: boolean;
  /** Limits the connections of all apps of this worker together. */
  budget?: ConnectionBudget;
}

/**
 * One app in a worker: its pool, its cached schema and settings, and the listener that invalidates both caches. Without
 * requests, the app closes all connections and empties its caches; the next request opens it.
 */
export class App {
  readonly record: AppRecord;
  /** The secret settings. If one of them or the record changes, the worker creates a new App in place of this one. */
  readonly secrets: Secrets;
  /** Connections as the app's authenticator, which run requests and statements on schema auth. */
  readonly database: Pool;
  /** Connections as the app's server role, for Ninefold's own tables (`runAsServerRole`). */
  readonly serverDatabase: Pool;
  /**
   * One connection as the app's owner, for trials of migrations. It stays open between two trials, because the first
   * reading of the catalog on a connection takes three times as long as the next one.
   */
  readonly trialDatabase: Pool;
  /**
   * Combines the counts of concurrent calls of the auth API by the same client, so that one statement counts all of
   * these calls.
   */
  readonly rateCounts = new SharedRuns<RateRefusal | null>();
  /** The common schemes of the members' password hashes. */
  readonly commonHashes = new RefreshedValue<readonly string[]>(limits.commonHashSeconds.default * 1000);
  readonly hookDurations = new HookDurations();
  /** Settings of an app without stored values. */
  readonly defaults: Settings;
  readonly #target: ConnectionConfig;
  readonly #owner: ConnectionConfig;
  readonly #events: Events;
  readonly #budget: Pick<PoolLimits, 'budget'>;
  readonly #isFull: () => boolean;
  readonly #subscribers = new Set<(notification: Notification) => void>();
  /** Time that a request waits for a connection: the setting db_pool_acquisition_timeout as it was last read. */
  #waitMilliseconds: number;
  readonly #poll: SchemaPoll | null;
  #listener: Listener | null = null;
  #opening: Promise<void> | null = null;
  #isClosed = false;
  #isListening = false;
  #schemaCache: Promise<SchemaCache> | null = null;
  #fullSchemaCache: Promise<SchemaCache> | null = null;
  #settings: Promise<Settings> | null = null;
  readonly #loadPause = new LoadPause();
  #activeSite: Promise<string | null> | null = null;
  #activeFunctions: Promise<ActiveFunctions> | null = null;

  /** @param server The server, with any login. */
  constructor(record: AppRecord, secrets: Secrets, server: ConnectionConfig, limits: PoolLimits, events: Events) {
    this.record = record;
    this.#waitMilliseconds = limits.waitMilliseconds;
    this.defaults = defaultSettings(limits.isLoopback ?? false);
    this.secrets = secrets;
    this.#events = events;
    this.#isFull = limits.isFull ?? (() => false);
    this.#budget = limits.budget ? { budget: limits.budget } : {};
    this.#target = authenticatorConnection(server, record);
    this.#owner = ownerConnection(server, record);
    this.database = new Pool(this.#target, {
      max: limits.connections,
      idleMilliseconds: limits.idleMilliseconds,
      waitMilliseconds: () => this.#waitMilliseconds,
      onIdle: () => this.#becomeIdle(),
      ...(limits.refusal && { refusal: limits.refusal }),
      // The pool's companion is the listener's connection. It stays open as long as the pool has a connection.
      companions: 1,
      ...this.#budget,
    });
    this.serverDatabase = new Pool(serverConnection(server, record), {
      max: SERVER_CONNECTIONS,
      idleMilliseconds: Math.min(limits.idleMilliseconds, SERVER_IDLE_MILLISECONDS),
      waitMilliseconds: () => this.#waitMilliseconds,
      ...(limits.refusal && { refusal: limits.refusal }),
      ...this.#budget,
    });
    this.trialDatabase = this.dedicatedPool('owner');
    this.#poll = limits.pollsSchema
      ? new SchemaPoll(
          this.serverDatabase,
          () => this.dedicatedPool('owner'),
          () => this.#notifySubscribers({ type: 'schema' }),
        )
      : null;
  }

  get ref(): string {
    return this.record.ref;
  }

  /** True while the app's database has reached the limit appDatabaseBytes, so that it may not grow. */
  get isFull(): boolean {
    return this.#isFull();
  }

  /** True while the app has a listener connection. `isReady` additionally requires a recent heartbeat. */
  get isOpen(): boolean {
    return this.#isListening;
  }

  /**
   * True while the listener is connected and had a recent heartbeat. Only then may caches be used; `ready` waits until
   * this is true.
   */
  get isReady(): boolean {
    return this.#isListening && this.#listener?.isCurrent === true;
  }

  /**
   * Opens the app if it is idle, and sends a heartbeat if necessary.
   * @throws ConnectionError
   * @throws DatabaseError
   */
  async ready(): Promise<void> {
    if (this.#isListening && (await this.#listener?.prove())) return;
    this.#opening ??= this.database
      .admitted(() => this.#open())
      .finally(() => {
        this.#opening = null;
      });
    await this.#opening;
  }

  /** Waits until every notification that was committed before this call has been received, if the app is open. */
  async catchUp(): Promise<void> {
    if (!this.#isListening) return;
    await this.#listener?.catchUp();
    await this.#poll?.look();
  }

  /** Returns the schema cache of the exposed schemas. It is loaded by the first request, and after each change. */
  schemaCache(): Promise<SchemaCache> {
    this.#schemaCache ??= this.#remember(
      async () => {
        const { rest } = await this.settings();
        return this.#loadSchemaCache(rest.db_schemas, rest.db_extra_search_path);
      },
      () => {
        this.#schemaCache = null;
      },
    );
    return this.#schemaCache;
  }

  /** Returns the schema cache of all schemas, the exposed ones first, for builders. */
  fullSchemaCache(): Promise<SchemaCache> {
    this.#fullSchemaCache ??= this.#remember(
      async () => {
        const { rest } = await this.settings();
        const [found] = await this.database.run([{ text: OWN_SCHEMAS, params: [], planKey: '' }]);
        const schemas = found ? rowsAsText(found).map((row) => row.name ?? '') : [];
        return this.#loadSchemaCache([...new Set([...rest.db_schemas, ...schemas])], rest.db_extra_search_path);
      },
      () => {
        this.#fullSchemaCache = null;
      },
    );
    return this.#fullSchemaCache;
  }

  /** Returns the current settings. */
  settings(): Promise<Settings> {
    if (this.#settings !== null) return this.#settings;
    const reading = this.#remember(
      async () => {
        // The connections of requests read the settings, so that opening an app needs no connection of the server role.
        const [, result] = await this.database.run([becomeAuthAdmin, storedSettings]).catch(rethrowAsAppDamaged);
        return readSettings((result && firstJson<Record<string, unknown>>(result)) ?? {}, this.defaults);
      },
      () => {
        this.#settings = null;
      },
    );
    this.#settings = reading;
    reading.then(
      ({ rest }) => {
        // If a newer change has started another read of the settings, this read must not override the newer value.
        if (this.#settings === reading) this.#waitMilliseconds = rest.db_pool_acquisition_timeout * 1000;
      },
      () => undefined,
    );
    return reading;
  }

  /** Returns the id of the published version of the app's own front end; null if the app has none. */
  activeSite(): Promise<string | null> {
    this.#activeSite ??= this.#remember(
      () => readActiveSite(this.serverDatabase),
      () => {
        this.#activeSite = null;
      },
    );
    return this.#activeSite;
  }

  /** Returns the edge functions that run, with their sealed secrets. */
  activeFunctions(): Promise<ActiveFunctions> {
    this.#activeFunctions ??= this.#remember(
      () => readActiveFunctions(this.serverDatabase, this.record),
      () => {
        this.#activeFunctions = null;
      },
    );
    return this.#activeFunctions;
  }

  /**
   * Returns a pool with one connection in addition to the app's pool, for long work. The caller closes it.
   * @param login The login role: the authenticator, or the app's owner, who may name every object of the app.
   */
  dedicatedPool(login: 'authenticator' | 'owner' = 'authenticator'): Pool {
    return new Pool(login === 'owner' ? this.#owner : this.#target, {
      max: 1,
      idleMilliseconds: limits.poolIdleSeconds.default * 1000,
      waitMilliseconds: this.database.waitMilliseconds,
      ...this.#budget,
    });
  }

  /** Adds a subscriber to all notifications. Returns a function that removes it. */
  subscribe(subscriber: (notification: Notification) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Keeps the listener connection open while no request uses the app. Returns a function that ends this. */
  hold(): () => void {
    return this.database.keepCompanions();
  }

  /** Closes each connection as soon as no request uses it. */
  retire(): void {
    this.database.retire();
    this.serverDatabase.retire();
    this.trialDatabase.retire();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    void this.#becomeIdle();
    await Promise.all([this.database.close(), this.serverDatabase.close(), this.trialDatabase.close()]);
  }

  async #open(): Promise<void> {
    const listener = new Listener(this.#target, ['ninefold', 'pgrst'], {
      onNotification: (channel, payload) => this.#onNotify(channel, payload),
      onConnected: () => {
        this.#isListening = true;
        this.#notifySubscribers({ type: 'listening' });
      },
      onLost: () => {
        this.#isListening = false;
        this.#notifySubscribers({ type: 'disconnected' });
      },
    });
    this.#listener?.close();
    this.#listener = listener;
    // The pool connects in parallel to the listener. An error is ignored, because the first statement of the request
    // reports it.
    void this.database.run([CONNECT]).catch(() => undefined);
    await this.#startWithRetry(listener);
    this.#poll?.start();
    // The app may have been deleted in the meantime. Without this, its listener would reconnect without an end.
    if (this.#isClosed) await this.#becomeIdle();
    this.#events.emit({ type: 'app', what: 'opened', app: this.ref });
    // Uses the pool once, because the pool detects idleness only after it has had a connection.
    await this.settings();
  }

  /** Starts the listener. While the database is closed for a copy, retries for the wait time of the pool. */
  async #startWithRetry(listener: Listener): Promise<void> {
    const until = performance.now() + this.database.waitMilliseconds;
    for (;;) {
      try {
        await listener.start();
        return;
      } catch (error) {
        if (!isTransient(error) || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
      }
    }
  }

  /** Closes the listener. Resolves once the server has closed its connection. */
  async #becomeIdle(): Promise<void> {
    if (!this.#listener) return;
    this.#poll?.stop();
    const ended = this.#listener.end();
    this.#listener = null;
    this.#isListening = false;
    this.#notifySubscribers({ type: 'disconnected' });
    this.#events.emit({ type: 'app', what: 'closed', app: this.ref });
    await ended;
  }

  #onNotify(channel: string, payload: string): void {
    const notification = channel === 'pgrst' ? fromPgrst(payload) : parseNotification(payload);
    if (notification) this.#notifySubscribers(notification);
  }

  #notifySubscribers(notification: Notification): void {
    const { type } = notification;
    if (type === 'settings' || type === 'listening' || type === 'disconnected') {
      this.#settings = null;
      this.#activeSite = null;
      this.#activeFunctions = null;
    }
    if (this.#settings === null || type === 'schema') {
      this.#schemaCache = null;
      this.#fullSchemaCache = null;
    }
    for (const subscriber of this.#subscribers) subscriber(notification);
  }

  async #loadSchemaCache(schemas: readonly string[], extraSearchPath: readonly string[]): Promise<SchemaCache> {
    const pause = this.#loadPause.remaining(performance.now());
    if (pause > 0) await delay(pause);
    const started = performance.now();
    const schemaCache = await loadSchemaCache(this.database, schemas, extraSearchPath);
    const ended = performance.now();
    this.#loadPause.record(schemaCache.buildMilliseconds, ended);
    const milliseconds = ended - started;
    this.#events.emit({ type: 'app', what: 'catalog-loaded', app: this.ref, milliseconds });
    return schemaCache;
  }

  /** Caches the result of a load. A failed load is not cached, so that the next request retries. */
  #remember<T>(load: () => Promise<T>, forget: () => void): Promise<T> {
    const loading = load();
    loading.catch(forget);
    return loading;
  }
}

/**
 * Converts PostgREST's own notifications
 * (https://docs.postgrest.org/en/stable/references/schema_cache.html#schema-reloading).
 */
function fromPgrst(payload: string): Notification | null {
  if (payload === 'reload schema' || payload === '') return { type: 'schema' };
  return payload === 'reload config' ? { type: 'settings' } : null;
}

/** Parses a notification. Any role of the app may send one, so unknown ones are ignored. */
export function parseNotification(payload: string): Notification | null {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return null;
  switch (value.type) {
    case 'schema':
    case 'settings':
    case 'sessions-revoked-all':
    case 'log-wanted':
      return { type: value.type };
    case 'jobs':
    case 'http':
    case 'mail':
      return { type: 'scheduled-work' };
    case 'trace-wanted':
    case 'trace-stored':
      return 'id' in value && typeof value.id === 'string' ? { type: value.type, id: value.id } : null;
    case 'session-revoked': {
      const ids =
        'ids' in value && Array.isArray(value.ids) ? value.ids.filter((each) => typeof each === 'string') : [];
      return { type: 'session-revoked', ids };
    }
    default:
      return null;
  }
}
