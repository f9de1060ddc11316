import type { App, Notification } from '../../apps/app.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { ChangeFeed, ChangeRequest, ChangeSink, ChangeSubscription } from './change-feed.ts';
import { Follower, followedTables } from './change-follower.ts';
import { groupFollowers, type TableFollowers } from './change-groups.ts';
import { type Change, ChangeReader } from './change-reader.ts';
import type { ReadChange } from './change-view.ts';
import { deliverChanges } from './deliver-changes.ts';
import { askMembers } from './member-questions.ts';
import { type PublishedTable, type RoleAccess, readPublishedTables, readRoleAccess } from './published-tables.ts';
import { readRowImage } from './row-image.ts';
import { seeChanges } from './see-changes.ts';
import { imageQuery } from './sight.ts';
import { Emptying, renewWatch, waitForWriters } from './watch.ts';

/** Pause between two reads if nobody pokes. */
const POLL_MILLISECONDS = 200;
/** Time between two renewals of the lease. A longer one is a gap, because triggers may have written nothing. */
const RENEW_MILLISECONDS = 10_000;
const MAX_RENEW_MILLISECONDS = 50_000;
/** Time between two deletions of old changes. */
const EMPTY_MILLISECONDS = 15_000;
/** Time after which privileges are read again. Memberships in roles change without a notification. */
const ACCESS_MILLISECONDS = 60_000;
/** Time for which reads may fail before the subscribers join again. */
const MAX_FAILING_MILLISECONDS = 10_000;

/** The parts of an app that its changes need. */
export type ChangesApp = Pick<App, 'serverDatabase' | 'dedicatedPool' | 'subscribe' | 'isReady' | 'ready'>;

/** The catalog as subscribers are grouped by it. */
interface Catalog {
  readonly tables: readonly PublishedTable[];
  /** Published tables by their OID and by those of their partitions. */
  readonly byPart: ReadonlyMap<number, PublishedTable>;
  readonly access: Map<string, RoleAccess>;
  readonly readAt: number;
}

/** The changes of one app in one worker. Without subscribers, it has no timer, no connection and no lease. */
export class AppChanges implements ChangeFeed {
  readonly #app: ChangesApp;
  readonly #followers = new Set<Follower>();
  readonly #unsubscribe: () => void;
  #pool: Pool | null = null;
  #catalog: Promise<Catalog> | null = null;
  #groups: Map<number, TableFollowers> | null = null;
  /** The tables that the triggers write changes of, with the time of the last renewal. */
  readonly #watched = new Set<number>();
  #renewedAt = 0;
  #reader: ChangeReader | null = null;
  #wake: (() => void) | null = null;
  #isPoked = false;
  #isClosed = false;

  constructor(app: ChangesApp) {
    this.#app = app;
    this.#unsubscribe = app.subscribe((notification) => this.#onNotification(notification));
  }

  async subscribe(
    requests: readonly ChangeRequest[],
    identity: Identity,
    sink: ChangeSink,
  ): Promise<ChangeSubscription> {
    const follower = new Follower(requests, identity, sink);
    await this.#resolve(follower, await this.#readCatalog());
    await this.#checkFilters(follower);
    await this.#watch(follower.entries.map(({ table }) => table));
    if (this.#isClosed) throw new NinefoldError('RealtimeRestarting');
    await this.#start();
    // The catalog may have changed meanwhile.
    await this.#resolve(follower, await this.#readCatalog());
    this.#followers.add(follower);
    this.#groups = null;
    follower.sink.onReady();
    return {
      setIdentity: (next) => void this.#setIdentity(follower, next),
      close: () => {
        follower.isEnded = true;
        this.#remove(follower);
      },
    };
  }

  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const follower of this.#followers) follower.isEnded = true;
    this.#followers.clear();
    this.#stop();
  }

  async #setIdentity(follower: Follower, identity: Identity): Promise<void> {
    follower.identity = identity;
    this.#groups = null;
    await this.#resolve(follower, await this.#readCatalog()).catch((error) => this.#endWith(follower, error));
    this.#groups = null;
  }

  #onNotification({ type }: Notification): void {
    if (type !== 'schema' && type !== 'listening') return;
    this.#catalog = null;
    this.#groups = null;
  }

  #readCatalog(): Promise<Catalog> {
    this.#catalog ??= (async () => {
      const readAt = performance.now();
      const tables = await readPublishedTables(this.#app);
      const byPart = new Map(tables.flatMap((table) => table.parts.map((part) => [part, table] as const)));
      return { tables, byPart, access: new Map<string, RoleAccess>(), readAt };
    })();
    const reading = this.#catalog;
    reading.catch(() => {
      if (this.#catalog === reading) this.#catalog = null;
    });
    return reading;
  }

  async #accessOf(catalog: Catalog, role: string): Promise<RoleAccess> {
    const known = catalog.access.get(role);
    if (known) return known;
    const read = await readRoleAccess(this.#app, role);
    if (!read)
      throw new NinefoldError('RealtimeDisabledForConfiguration', { message: `role "${role}" does not exist` });
    catalog.access.set(role, read);
    return read;
  }

  async #resolve(follower: Follower, catalog: Catalog): Promise<void> {
    const access = await this.#accessOf(catalog, follower.identity.role);
    follower.entries = followedTables(follower.requests, catalog.tables, access);
  }

  /** Lets PostgreSQL read the values of the filters, with no row. */
  async #checkFilters({ entries, identity }: Follower): Promise<void> {
    const questions = entries.flatMap(({ table, filter }) =>
      filter === null
        ? []
        : [
            {
              as: identity,
              text: imageQuery(table, filter.condition),
              params: ['[]', ...filter.values],
              searchPath: filter.searchPath,
            },
          ],
    );
    for (const answer of await askMembers(this.#membersPool(), questions)) {
      if (answer instanceof DatabaseError) {
        throw new NinefoldError('RealtimeDisabledForConfiguration', { message: answer.message, cause: answer });
      }
    }
  }

  async #watch(tables: readonly PublishedTable[]): Promise<void> {
    const added = tables.filter(({ oid }) => !this.#watched.has(oid));
    if (added.length === 0) return;
    await renewWatch(
      this.#app,
      added.map(({ oid }) => oid),
    );
    await waitForWriters(
      this.#app,
      added.flatMap(({ parts }) => parts),
    );
    for (const { oid } of added) this.#watched.add(oid);
  }

  async #start(): Promise<void> {
    if (this.#reader) return;
    const reader = new ChangeReader(this.#app);
    this.#reader = reader;
    this.#renewedAt = performance.now();
    await reader.start();
    void this.#run(reader);
  }

  #stop(): void {
    this.#reader = null;
    this.#watched.clear();
    this.#wake?.();
    void this.#pool?.close();
    this.#pool = null;
  }

  #remove(follower: Follower): void {
    if (!this.#followers.delete(follower)) return;
    this.#groups = null;
    if (this.#followers.size === 0) this.#stop();
  }

  async #run(reader: ChangeReader): Promise<void> {
    const emptying = new Emptying(this.#app);
    let readAt = performance.now();
    let emptiedAt = 0;
    while (this.#reader === reader) {
      await this.#pause();
      if (this.#reader !== reader) return;
      try {
        await this.#renew();
        const result = await reader.read();
        readAt = performance.now();
        if ('gap' in result) this.#endAll(result.gap);
        else if (result.changes.length > 0) await this.#deliver(result.changes);
        if (performance.now() - emptiedAt > EMPTY_MILLISECONDS) {
          emptiedAt = performance.now();
          await emptying.run();
        }
      } catch (error) {
        if (performance.now() - readAt > MAX_FAILING_MILLISECONDS) {
          this.#endAll(`The database cannot be read: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    }
  }

  /** Waits for the next poll or poke. */
  async #pause(): Promise<void> {
    if (!this.#isPoked) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, POLL_MILLISECONDS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wake = null;
    }
    this.#isPoked = false;
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    if (now - this.#renewedAt < RENEW_MILLISECONDS) return;
    if (now - this.#renewedAt > MAX_RENEW_MILLISECONDS)
      this.#endAll('The changes were not read for a while, so some may be missing.');
    await renewWatch(this.#app, [...this.#watched]);
    this.#renewedAt = now;
  }

  async #deliver(changes: readonly Change[]): Promise<void> {
    const { catalog, groups } = await this.#currentGroups();
    const read = changes.flatMap((change): ReadChange[] => {
      const table = catalog.byPart.get(change.relation);
      if (!table || !groups.has(table.oid)) return [];
      return [
        {
          change,
          table,
          old: change.old === null ? null : readRowImage(change.old),
          new: change.new === null ? null : readRowImage(change.new),
        },
      ];
    });
    if (read.length === 0) return;
    const sights = await seeChanges(this.#membersPool(), read, groups);
    deliverChanges(read, groups, sights);
    for (const follower of [...this.#followers]) if (follower.isEnded) this.#remove(follower);
  }

  /** Returns the groups of the subscribers by the current policies and privileges. */
  async #currentGroups(): Promise<{ catalog: Catalog; groups: Map<number, TableFollowers> }> {
    // While the listener is disconnected, policies may have changed without a notification.
    if (!this.#app.isReady) await this.#app.ready();
    let catalog = await this.#readCatalog();
    if (performance.now() - catalog.readAt > ACCESS_MILLISECONDS) {
      this.#catalog = null;
      this.#groups = null;
      catalog = await this.#readCatalog();
    }
    if (this.#groups) return { catalog, groups: this.#groups };
    for (const follower of [...this.#followers]) {
      await this.#resolve(follower, catalog).catch((error) => this.#endWith(follower, error));
    }
    const groups = groupFollowers(this.#followers, (role) => catalog.access.get(role));
    await this.#watch([...groups.values()].map(({ table }) => table));
    this.#groups = groups;
    return { catalog, groups };
  }

  #membersPool(): Pool {
    this.#pool ??= this.#app.dedicatedPool();
    return this.#pool;
  }

  #endWith(follower: Follower, error: unknown): void {
    if (!(error instanceof NinefoldError)) throw error;
    follower.end(error.message);
    this.#remove(follower);
  }

  #endAll(reason: string): void {
    for (const follower of [...this.#followers]) {
      follower.end(reason);
      this.#remove(follower);
    }
  }
}
