import { limits } from '../../contract/limits.ts';
import { Listener } from '../database/listener.ts';
import { type ErrorParts, NinefoldError } from '../errors/ninefold-error.ts';
import type { Events } from '../observe/events.ts';
import { App, type PoolLimits } from './app.ts';
import type { ExceededBounds } from './exceeded-bounds.ts';
import { newestAppFile } from './provisioning/schema-files.ts';
import { type SchemaRefusal, updateSchema } from './provisioning/update-schema.ts';
import { type AppRecord, CONSOLE_REF, databaseName, REF } from './registry/app-record.ts';
import type { Registry } from './registry/registry.ts';
import { type Server, serverOf, superuserIn } from './registry/server.ts';

/** Time for which an unknown ref is cached, so that guessing refs hardly loads the database. */
const UNKNOWN_MILLISECONDS = 1000;
const UNKNOWN_KEPT = 1000;

/**
 * Caches the apps that this worker has served, by ref. The console's database notifies the worker of changes by other
 * workers.
 */
export class Apps {
  readonly #server: Server;
  readonly #registry: Registry;
  readonly #limits: PoolLimits;
  readonly #events: Events;
  readonly #apps = new Map<string, Promise<App | null>>();
  readonly #unknown = new Map<string, number>();
  /**
   * Apps whose databases could not be updated to this version of Ninefold, each with the time and the result of the
   * last attempt.
   */
  readonly #updates = new Map<
    string,
    { at: number; found: SchemaRefusal | null; trying: Promise<SchemaRefusal | null> }
  >();
  readonly #onOpen: (app: App) => void;
  /** Refs of the apps that received a request since the last call of `takeServed`. */
  #served = new Set<string>();
  readonly #bounds: ExceededBounds;
  #listener: Listener | null = null;

  /** @param onOpen Called once for each app, before its first request. */
  constructor(
    server: Server,
    registry: Registry,
    limits: PoolLimits,
    events: Events,
    bounds: ExceededBounds,
    onOpen: (app: App) => void = () => undefined,
  ) {
    this.#bounds = bounds;
    this.#server = server;
    this.#registry = registry;
    this.#limits = limits;
    this.#events = events;
    this.#onOpen = onOpen;
  }

  /** Starts to receive notifications of changed and deleted apps. */
  async start(): Promise<void> {
    this.#listener = new Listener(superuserIn(this.#server, databaseName(CONSOLE_REF)), ['ninefold'], {
      onNotification: (_, payload) => {
        const ref = changedRef(payload);
        if (ref) void this.#replace(ref);
      },
      onConnected: () => this.#checkAll(),
      onLost: () => undefined,
    });
    await this.#listener.start();
  }

  /** Waits until every notification about an app that was committed before this call has been received. */
  async catchUp(ref: string): Promise<void> {
    await this.#listener?.catchUp();
    await (await this.#apps.get(ref)?.catch(() => null))?.catchUp();
  }

  /**
   * Returns an app for a builder or operator, with every change that was committed before this call. Another worker may
   * have made such a change, for example if a page reads after it has written.
   * @throws NinefoldError app_unknown; app_moving; app_outdated with the schema file that failed and the reason.
   */
  async get(ref: string): Promise<App> {
    await this.catchUp(ref);
    const app = await this.find(ref);
    if (app.record.isMoving) throw appMoving();
    if (isCurrent(app.record)) return app;
    const refusal = await this.#update(app, true);
    if (refusal === null) return this.find(ref);
    const { step, reason } = refusal;
    const what = step === null ? 'cannot be updated' : `has not taken the step ${step} of Ninefold’s own schema`;
    throw outdated({ message: `The database of the app ${what}: ${reason}`, details: refusal });
  }

  /**
   * Returns an app for its own requests.
   * @throws NinefoldError app_unknown, app_limit_exceeded, app_moving, app_outdated (without details)
   */
  async serve(ref: string): Promise<App> {
    const refusal = this.#bounds.refusal(ref);
    if (refusal) throw refusal;
    const app = await this.find(ref);
    this.#served.add(ref);
    if (app.record.isMoving) throw appMoving();
    if (isCurrent(app.record)) return app;
    if ((await this.#update(app, false)) !== null) throw outdated();
    return this.find(ref);
  }

  /** Returns the refs of the apps that received a request since the last call of this method. */
  takeServed(): ReadonlySet<string> {
    const served = this.#served;
    this.#served = new Set();
    return served;
  }

  /**
   * Returns an app whatever the state of its schema, to repair or delete it.
   * @throws NinefoldError app_unknown
   */
  async find(ref: string): Promise<App> {
    if (this.#listener?.isCurrent === false) await this.#listener.ensureCurrent();
    const app = await (this.#apps.get(ref) ?? this.#load(ref));
    if (!app) throw new NinefoldError('app_unknown');
    return app;
  }

  /**
   * Returns the limit error if the app's session was ended because of a limit; otherwise returns the error unchanged.
   */
  explain(ref: string, error: unknown): Promise<unknown> {
    return this.#bounds.explain(ref, error);
  }

  /** Removes an app from the caches and closes its connections. */
  async forget(ref: string): Promise<void> {
    this.#unknown.delete(ref);
    const app = this.#apps.get(ref);
    this.#apps.delete(ref);
    await (await app)?.close();
  }

  async close(): Promise<void> {
    this.#listener?.close();
    await Promise.all([...this.#apps.keys()].map((ref) => this.forget(ref)));
  }

  /**
   * Tries to update an outdated database, at most once per interval. Returns the reason of a failure; null if the
   * database is up to date.
   * @param patient True to wait for the attempt that is running or due. False to return the result of the last attempt,
   * if there is one.
   */
  async #update({ record }: App, patient: boolean): Promise<SchemaRefusal | null> {
    const { ref } = record;
    const last = this.#updates.get(ref);
    const isDue = last === undefined || performance.now() - last.at > limits.schemaRetryMilliseconds.default;
    if (!isDue) return patient || last.found === null ? last.trying : last.found;
    const update = {
      at: performance.now(),
      found: last?.found ?? null,
      trying: updateSchema(serverOf(this.#server, record), this.#registry, record, this.#events).then(async (found) => {
        if (found === null) {
          this.#updates.delete(ref);
          await this.forget(ref);
        } else {
          update.at = performance.now();
          update.found = found;
        }
        return found;
      }),
    };
    this.#updates.set(ref, update);
    return patient || update.found === null ? update.trying : update.found;
  }

  async #load(ref: string): Promise<App | null> {
    if (!REF.test(ref)) return null;
    const unknownUntil = this.#unknown.get(ref);
    if (unknownUntil !== undefined && unknownUntil > performance.now()) return null;
    const loading = this.#registry.find(ref).then(async (record) => {
      if (!record) return null;
      const secrets = await this.#registry.secrets.read(ref);
      const poolLimits = {
        ...this.#limits,
        refusal: () => (record.isMoving ? appMoving() : this.#bounds.refusal(ref)),
        pollsSchema: serverOf(this.#server, record).missingRights.includes('eventTriggers'),
        isFull: () => this.#bounds.isFull(ref),
      };
      const app = new App(record, secrets, this.#server.target, poolLimits, this.#events);
      this.#onOpen(app);
      return app;
    });
    this.#apps.set(ref, loading);
    const app = await loading.catch((error: unknown) => {
      this.#apps.delete(ref);
      throw error;
    });
    if (!app) {
      this.#apps.delete(ref);
      if (this.#unknown.size >= UNKNOWN_KEPT) this.#unknown.clear();
      this.#unknown.set(ref, performance.now() + UNKNOWN_MILLISECONDS);
    }
    return app;
  }

  /**
   * Makes the next request load the app's record again. Running requests complete with the previous record. If the app
   * was deleted, they are ended.
   */
  async #replace(ref: string): Promise<void> {
    this.#unknown.delete(ref);
    const replaced = this.#apps.get(ref);
    if (!replaced) return;
    this.#apps.delete(ref);
    const app = await replaced.catch(() => null);
    const record = await this.#registry.find(ref).catch(() => undefined);
    if (record === null) await app?.close();
    else app?.retire();
  }

  /**
   * Checks all apps after a lost connection, because notifications of deleted apps and revoked keys may have been
   * missed.
   */
  async #checkAll(): Promise<void> {
    for (const [ref, loading] of [...this.#apps]) {
      const record = await this.#registry.find(ref).catch(() => undefined);
      if (record === null) await this.forget(ref);
      else if (record && JSON.stringify(record) !== JSON.stringify((await loading)?.record)) await this.#replace(ref);
    }
    this.#unknown.clear();
  }
}

/** Returns the error of calls to an app while it moves to another server. */
export const appMoving = (): NinefoldError =>
  new NinefoldError('app_moving', { retryAfter: limits.appMoveRetrySeconds.default });

const outdated = (parts: ErrorParts = {}): NinefoldError =>
  new NinefoldError('app_outdated', {
    ...parts,
    retryAfter: Math.ceil(limits.schemaRetryMilliseconds.default / 1000),
  });

function changedRef(payload: string): string | null {
  try {
    const value: unknown = JSON.parse(payload);
    const isApp =
      typeof value === 'object' && value !== null && 'type' in value && value.type === 'app' && 'ref' in value;
    return isApp && typeof value.ref === 'string' ? value.ref : null;
  } catch {
    return null;
  }
}

/** Returns true if an app's database has the schema of this version. */
export const isCurrent = (record: Pick<AppRecord, 'schemaFile'>): boolean => record.schemaFile === newestAppFile;
