import { limits } from '../../contract/limits.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { loadCatalog } from '../catalog/load.ts';
import type { ConnectionBudget } from '../database/connection-budget.ts';
import { isPassing } from '../database/database-error.ts';
import { Listener } from '../database/listener.ts';
import { Pool } from '../database/pool.ts';
import { firstJson, rowsAsText, type Statement } from '../database/statement.ts';
import type { Target } from '../database/target.ts';
import type { Events } from '../observe/events.ts';
import { type AppRecord, authenticatorRole } from './app-record.ts';
import type { Secrets } from './app-secrets.ts';
import { asServer } from './as-server.ts';
import { defaultSettings, readSettings, type Settings, storedSettings } from './settings.ts';

/** Notifications of an app's database, and of its listener. */
export type Notification =
  | { type: 'schema' }
  | { type: 'settings' }
  | { type: 'session-revoked'; ids: string[] }
  | { type: 'sessions-revoked-all' }
  /** Somebody looks for the story of a call; somebody has written it down. */
  | { type: 'story-wanted' | 'story-kept'; id: string }
  /** Somebody looks at the logs; a worker tells a part of the calls that it remembers. */
  | { type: 'log-wanted'; id: string }
  | { type: 'log-told'; id: string; worker: string; lines: unknown[] }
  /** Jobs were scheduled or changed, or HTTP requests or mails wait. */
  | { type: 'scheduled-work' }
  /** From now on everything is heard; what happened before may not have been. */
  | { type: 'listening' }
  /** From now on things may happen unheard. */
  | { type: 'deaf' };

const OWN_SCHEMAS = `select nspname as name from pg_catalog.pg_namespace
  where nspname <> 'information_schema' and nspname !~ '^pg_' order by nspname`;

/** Any statement opens a connection. */
const CONNECT: Statement = { text: '', params: [], preparedFor: '' };

export interface PoolLimits {
  connections: number;
  idleMilliseconds: number;
  waitMilliseconds: number;
  /** Returns the error with which the app's calls are refused, or null. */
  refusal?: (() => Error | null) | undefined;
  /** Returns true if the app's database may not grow. */
  isFull?: (() => boolean) | undefined;
  /** True on a node that serves its own machine only. */
  isLoopback?: boolean;
  /** Bounds the connections of all apps of this worker together. */
  budget?: ConnectionBudget;
}

/**
 * One app as a worker serves it: its pool, what it remembers of the schema and the settings, and the ear that keeps both
 * true. Without calls it closes every connection and forgets everything; the next call opens it again.
 */
export class App {
  readonly record: AppRecord;
  /** The secret settings. A change of one replaces the app, as a change of the record does. */
  readonly secrets: Secrets;
  readonly database: Pool;
  /** The settings of an app that sets none. */
  readonly defaults: Settings;
  readonly #target: Target;
  readonly #events: Events;
  readonly #budget: Pick<PoolLimits, 'budget'>;
  readonly #isFull: () => boolean;
  readonly #subscribers = new Set<(notification: Notification) => void>();
  #ear: Listener | null = null;
  #opening: Promise<void> | null = null;
  #isListening = false;
  #catalog: Promise<Catalog> | null = null;
  #wholeCatalog: Promise<Catalog> | null = null;
  #settings: Promise<Settings> | null = null;

  /** `server` says where; the app's own authenticator is who. */
  constructor(record: AppRecord, secrets: Secrets, server: Target, limits: PoolLimits, events: Events) {
    this.record = record;
    this.defaults = defaultSettings(limits.isLoopback ?? false);
    this.secrets = secrets;
    this.#events = events;
    this.#isFull = limits.isFull ?? (() => false);
    this.#budget = limits.budget ? { budget: limits.budget } : {};
    this.#target = {
      host: server.host,
      port: server.port,
      socketFolder: server.socketFolder,
      tls: server.tls,
      database: record.database,
      user: authenticatorRole(record.ref),
      password: record.authenticatorPassword,
      applicationName: 'ninefold',
    };
    this.database = new Pool(this.#target, {
      max: limits.connections,
      idleMilliseconds: limits.idleMilliseconds,
      waitMilliseconds: limits.waitMilliseconds,
      onIdle: () => this.#rest(),
      ...(limits.refusal && { refusal: limits.refusal }),
      // The listener.
      companions: 1,
      ...this.#budget,
    });
  }

  get ref(): string {
    return this.record.ref;
  }

  /** True while the app's database has the size of the limit appDatabaseBytes or more: it may not grow. */
  get isFull(): boolean {
    return this.#isFull();
  }

  /** True while the app has a connection on which it listens to its database. `isReady` says whether that was proven lately. */
  get isOpen(): boolean {
    return this.#isListening;
  }

  /**
   * True while the app listens to its database, and did prove so lately. Only then may anything remembered be trusted; `ready`
   * makes it so.
   */
  get isReady(): boolean {
    return this.#isListening && this.#ear?.isCurrent === true;
  }

  /** Opens the app where it rests, and has its listener prove that it is current. Throws ConnectionError or DatabaseError. */
  async ready(): Promise<void> {
    if (this.#isListening && (await this.#ear?.prove())) return;
    this.#opening ??= this.database
      .admitted(() => this.#open())
      .finally(() => {
        this.#opening = null;
      });
    await this.#opening;
  }

  /** The exposed schema as it stands; loaded at the first call and again after each change. */
  catalog(): Promise<Catalog> {
    this.#catalog ??= this.#remember(
      async () => {
        const { rest } = await this.settings();
        return this.#loadCatalog(rest.db_schemas, rest.db_extra_search_path);
      },
      () => {
        this.#catalog = null;
      },
    );
    return this.#catalog;
  }

  /** The whole schema, exposed or not, the exposed parts first: what a builder looks at. */
  wholeCatalog(): Promise<Catalog> {
    this.#wholeCatalog ??= this.#remember(
      async () => {
        const { rest } = await this.settings();
        const [found] = await this.database.run([{ text: OWN_SCHEMAS, params: [], preparedFor: '' }]);
        const schemas = found ? rowsAsText(found).map((row) => row.name ?? '') : [];
        return this.#loadCatalog([...new Set([...rest.db_schemas, ...schemas])], rest.db_extra_search_path);
      },
      () => {
        this.#wholeCatalog = null;
      },
    );
    return this.#wholeCatalog;
  }

  /** The settings as they stand. */
  settings(): Promise<Settings> {
    if (this.#settings !== null) return this.#settings;
    const reading = this.#remember(
      async () => {
        const [result] = await asServer(this.database, [storedSettings]);
        return readSettings((result && firstJson<Record<string, unknown>>(result)) ?? {}, this.defaults);
      },
      () => {
        this.#settings = null;
      },
    );
    this.#settings = reading;
    const obey = ({ rest }: Settings) => {
      // A reading that a change has overtaken must not undo what a later one has set.
      if (this.#settings === reading) this.database.waitMilliseconds = rest.db_pool_acquisition_timeout * 1000;
    };
    reading.then(obey, () => undefined);
    return reading;
  }

  /** Returns a pool of one connection beside the app's pool, for long work. The caller closes it. */
  apart(): Pool {
    return new Pool(this.#target, {
      max: 1,
      idleMilliseconds: limits.poolIdleSeconds.default * 1000,
      waitMilliseconds: this.database.waitMilliseconds,
      ...this.#budget,
    });
  }

  /** Calls `subscriber` for everything the database tells; returns the function that ends it. */
  subscribe(subscriber: (notification: Notification) => void): () => void {
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /** Closes every connection as soon as no call uses it any more. */
  retire(): void {
    this.database.retire();
  }

  async close(): Promise<void> {
    void this.#rest();
    await this.database.close();
  }

  async #open(): Promise<void> {
    const ear = new Listener(this.#target, ['ninefold', 'pgrst'], {
      onNotification: (channel, payload) => this.#hear(channel, payload),
      onConnected: () => {
        this.#isListening = true;
        this.#tell({ type: 'listening' });
      },
      onLost: () => {
        this.#isListening = false;
        this.#tell({ type: 'deaf' });
      },
    });
    this.#ear?.close();
    this.#ear = ear;
    // The pool connects while the listener does. A failure is reported by the first statement of the call.
    void this.database.run([CONNECT]).catch(() => undefined);
    await this.#startPatiently(ear);
    this.#events.emit({ type: 'app', what: 'opened', app: this.ref });
    // The pool notices that nobody calls only once it has had a connection.
    await this.settings();
  }

  /** While the database is closed, because it is being copied, waits as long as a call waits for a connection. */
  async #startPatiently(ear: Listener): Promise<void> {
    const until = performance.now() + this.database.waitMilliseconds;
    for (;;) {
      try {
        await ear.start();
        return;
      } catch (error) {
        if (!isPassing(error) || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Resolves once the server has ended the listener's connection. */
  async #rest(): Promise<void> {
    if (!this.#ear) return;
    const ended = this.#ear.end();
    this.#ear = null;
    this.#isListening = false;
    this.#tell({ type: 'deaf' });
    this.#events.emit({ type: 'app', what: 'closed', app: this.ref });
    await ended;
  }

  #hear(channel: string, payload: string): void {
    const notification = channel === 'pgrst' ? fromPgrst(payload) : parseNotification(payload);
    if (notification) this.#tell(notification);
  }

  #tell(notification: Notification): void {
    const { type } = notification;
    if (type === 'settings' || type === 'listening' || type === 'deaf') this.#settings = null;
    if (this.#settings === null || type === 'schema') {
      this.#catalog = null;
      this.#wholeCatalog = null;
    }
    for (const subscriber of this.#subscribers) subscriber(notification);
  }

  async #loadCatalog(schemas: readonly string[], extraSearchPath: readonly string[]): Promise<Catalog> {
    const started = performance.now();
    const catalog = await loadCatalog(this.database, schemas, extraSearchPath);
    const milliseconds = performance.now() - started;
    this.#events.emit({ type: 'app', what: 'catalog-loaded', app: this.ref, milliseconds });
    return catalog;
  }

  /** A load that fails is not remembered, so that the next call tries again. */
  #remember<T>(load: () => Promise<T>, forget: () => void): Promise<T> {
    const loading = load();
    loading.catch(forget);
    return loading;
  }
}

/** PostgREST's own notifications (https://docs.postgrest.org/en/stable/references/schema_cache.html#schema-reloading). */
function fromPgrst(payload: string): Notification | null {
  if (payload === 'reload schema' || payload === '') return { type: 'schema' };
  return payload === 'reload config' ? { type: 'settings' } : null;
}

/** Any role of the app may send a notification: what is not one of ours is ignored. */
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
      return { type: value.type };
    case 'jobs':
    case 'http':
    case 'mail':
      return { type: 'scheduled-work' };
    case 'story-wanted':
    case 'story-kept':
    case 'log-wanted':
      return 'id' in value && typeof value.id === 'string' ? { type: value.type, id: value.id } : null;
    case 'log-told':
      return 'id' in value &&
        typeof value.id === 'string' &&
        'worker' in value &&
        typeof value.worker === 'string' &&
        'lines' in value &&
        Array.isArray(value.lines)
        ? { type: value.type, id: value.id, worker: value.worker, lines: value.lines }
        : null;
    case 'session-revoked': {
      const ids =
        'ids' in value && Array.isArray(value.ids) ? value.ids.filter((each) => typeof each === 'string') : [];
      return { type: 'session-revoked', ids };
    }
    default:
      return null;
  }
}
