import type { App, Notification } from '../../apps/app.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { ChangeFeed, ChangeRequest, ChangeSink, ChangeSubscription } from './change-feed.ts';
import { Follower, followedTables } from './change-follower.ts';
import { groupFollowers, type TableFollowers } from './change-groups.ts';
import type { ChangeLog, LogReader } from './change-log.ts';
import type { Change } from './change-reader.ts';
import type { ReadChange } from './change-view.ts';
import { deliverChanges } from './deliver-changes.ts';
import { askMembers } from './member-questions.ts';
import { type PublishedTable, type RoleAccess, readPublishedTables, readRoleAccess } from './published-tables.ts';
import { readRowImage } from './row-image.ts';
import { seeChanges } from './see-changes.ts';
import { imageQuery } from './sight.ts';

/** Time after which privileges are read again. Memberships in roles change without a notification. */
const ACCESS_MILLISECONDS = 60_000;

/** The parts of an app that its changes need. */
export type ChangesApp = Pick<App, 'serverDatabase' | 'dedicatedPool' | 'subscribe' | 'isReady' | 'ready' | 'catchUp'>;

/** The catalog as subscribers are grouped by it. */
interface Catalog {
  readonly tables: readonly PublishedTable[];
  /** Published tables by their OID and by those of their partitions. */
  readonly byPart: ReadonlyMap<number, PublishedTable>;
  readonly access: Map<string, RoleAccess>;
  readonly readAt: number;
}

/** Delivers the changes of one app to the subscribers of one worker. */
export class AppChanges implements ChangeFeed, LogReader {
  readonly #app: ChangesApp;
  readonly #log: ChangeLog;
  readonly #followers = new Set<Follower>();
  readonly #unsubscribe: () => void;
  #pool: Pool | null = null;
  #ownerPool: Pool | null = null;
  #catalog: Promise<Catalog> | null = null;
  #groups: Map<number, TableFollowers> | null = null;
  /** Number of subscribers that wait until their changes are followed. */
  #pending = 0;
  #isClosed = false;

  constructor(app: ChangesApp, log: ChangeLog) {
    this.#app = app;
    this.#log = log;
    this.#unsubscribe = app.subscribe((notification) => this.#onNotification(notification));
  }

  async subscribe(
    requests: readonly ChangeRequest[],
    identity: Identity,
    sink: ChangeSink,
  ): Promise<ChangeSubscription> {
    const follower = new Follower(requests, identity, sink);
    this.#pending++;
    try {
      await this.#resolve(follower, await this.#readCatalog());
      await this.#checkFilters(follower);
      await this.#log.add(this);
      await this.#log.watch(follower.entries.map(({ table }) => table));
      // The catalog may have changed meanwhile.
      await this.#resolve(follower, await this.#readCatalog());
      if (this.#isClosed) throw new NinefoldError('RealtimeRestarting');
      this.#followers.add(follower);
      this.#groups = null;
    } finally {
      this.#pending--;
      this.#stopIfUnused();
    }
    sink.onReady();
    return {
      setIdentity: (next) => void this.#setIdentity(follower, next),
      close: () => {
        follower.isEnded = true;
        this.#remove(follower);
      },
    };
  }

  poke(): void {
    this.#log.poke();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const follower of this.#followers) follower.isEnded = true;
    this.#followers.clear();
    this.#stopIfUnused();
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
    // A table can be published or dropped without a change of a row.
    if (this.#followers.size > 0) this.#currentGroups().catch(() => this.#log.poke());
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

  #stopIfUnused(): void {
    if (this.#followers.size > 0 || this.#pending > 0) return;
    this.#log.remove(this);
    void this.#pool?.close();
    void this.#ownerPool?.close();
    this.#pool = null;
    this.#ownerPool = null;
  }

  #remove(follower: Follower): void {
    if (!this.#followers.delete(follower)) return;
    this.#groups = null;
    this.#stopIfUnused();
  }

  async onChanges(changes: readonly Change[]): Promise<void> {
    // A policy that changed before these rows must decide about them.
    if (this.#app.isReady) await this.#app.catchUp();
    const { catalog, groups } = await this.#currentGroups();
    const read = changes.flatMap((change): ReadChange[] => {
      const table = catalog.byPart.get(change.relation);
      if (!table || !groups.has(table.oid) || !isPublished(table, change)) return [];
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
    const sights = await seeChanges(this.#membersPool(), () => this.#ownersPool(), read, groups);
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
    this.#groups = groups;
    this.#log.watch([...groups.values()].map(({ table }) => table)).catch((error: Error) => this.onGap(error.message));
    return { catalog, groups };
  }

  #membersPool(): Pool {
    this.#pool ??= this.#app.dedicatedPool();
    return this.#pool;
  }

  #ownersPool(): Pool {
    this.#ownerPool ??= this.#app.dedicatedPool('owner');
    return this.#ownerPool;
  }

  #endWith(follower: Follower, error: unknown): void {
    if (!(error instanceof NinefoldError)) throw error;
    follower.end(error.message);
    this.#remove(follower);
  }

  *neededTables(): Iterable<number> {
    for (const { entries } of this.#followers) for (const { table } of entries) yield table.oid;
  }

  onGap(reason: string): void {
    for (const follower of [...this.#followers]) {
      follower.end(reason);
      this.#remove(follower);
    }
  }
}

const events: Readonly<Partial<Record<Change['operation'], PublishedTable['events'][number]>>> = {
  I: 'INSERT',
  U: 'UPDATE',
  D: 'DELETE',
};

/** Returns false for an operation that the publication leaves out. */
function isPublished(table: PublishedTable, { operation }: Change): boolean {
  const event = events[operation];
  return event === undefined || table.events.includes(event);
}
