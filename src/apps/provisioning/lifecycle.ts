import { randomBytes } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { Database } from '../../database/database.ts';
import { ConnectionError, DatabaseError, LOCK_NOT_AVAILABLE } from '../../database/database-error.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ByteStore } from '../../files/byte-store.ts';
import type { Events } from '../../observe/events.ts';
import { authenticatorConnection, serverConnection } from '../app-connections.ts';
import type { Apps } from '../apps.ts';
import { type CopyBytes, copyAppBytes, deleteAppBytes, deleteCopiedUploads } from '../files/app-bytes.ts';
import { makeKeys } from '../keys/make-keys.ts';
import { APP_LOCK, type AppRecord, CONSOLE_REF, databaseName, REF } from '../registry/app-record.ts';
import type { Registry } from '../registry/registry.ts';
import { withPool } from '../registry/server.ts';
import { renameRoles } from '../transfer/rename-roles.ts';
import type { TransferResult, TransferSource } from '../transfer/transfer-database.ts';
import { Checkpoints } from './checkpoints.ts';
import { attach, provision, provisionFromServer, unprovision } from './provision.ts';
import { newestAppFile } from './schema-files.ts';
import type { ServerPools } from './server-pools.ts';

const RESERVED = new Set([CONSOLE_REF, 'admin', 'ninefold', 'template']);

/** Matches the databases of the server itself, of Ninefold, and of apps. They cannot be attached. */
const OWN_DATABASES = /^(postgres|template[01]|ninefold_(?:template|maintenance)|app_.*)$/;

/** The schema file that creates the tables of files. The names of schema files begin with a number. */
const FIRST_WITH_FILES = '0018_files';

/** An app that an earlier release created has no files yet. */
const hasFiles = (record: Pick<AppRecord, 'schemaFile'>): boolean => record.schemaFile >= FIRST_WITH_FILES;

const password = () => randomBytes(24).toString('base64url');

/**
 * Returns a record with new keys and passwords.
 * @throws NinefoldError app_ref_invalid
 */
export function newRecord(
  ref: string,
  options: { name?: string; jwtSecret?: string; database?: string } = {},
): AppRecord {
  if (!REF.test(ref)) throw new NinefoldError('app_ref_invalid', { details: { ref } });
  return {
    ...makeKeys(ref, options.jwtSecret === undefined ? {} : { jwtSecret: options.jwtSecret }),
    name: options.name ?? ref,
    database: options.database ?? databaseName(ref),
    schemaFile: newestAppFile,
    ownerPassword: password(),
    authenticatorPassword: password(),
    createdAt: new Date().toISOString(),
  };
}

/** Creates, copies and deletes apps. */
export class Lifecycle {
  readonly #servers: ServerPools;
  readonly #locks: Database;
  readonly #registry: Registry;
  readonly #apps: Apps;
  readonly #events: Events;
  readonly #checkpoints: Checkpoints;
  readonly #store: ByteStore;

  constructor(parts: {
    servers: ServerPools;
    /** Connections that hold the locks of apps while the apps are changed. They run no other statements. */
    locks: Database;
    registry: Registry;
    apps: Apps;
    events: Events;
    /** Holds the bytes of files. */
    store: ByteStore;
  }) {
    this.#servers = parts.servers;
    this.#locks = parts.locks;
    this.#registry = parts.registry;
    this.#apps = parts.apps;
    this.#events = parts.events;
    this.#checkpoints = new Checkpoints(parts.servers.own.server, parts.events);
    this.#store = parts.store;
  }

  /**
   * Creates an app with its own database.
   * @param options.builder Id of the builder who becomes its owner.
   * @param options.server Ref of its PostgreSQL server, `own` for that of the console; by default the one with the fewest apps.
   * @param options.exposesNewTables False if calls reach new objects of the schema public only after a GRANT.
   * @param options.fill Writes data into the database before the app is visible; if it throws, no app is created.
   * @throws NinefoldError app_ref_invalid, app_ref_reserved, app_exists, app_busy
   * @throws The errors of `fill`.
   */
  async create(
    ref: string,
    options: {
      name?: string;
      jwtSecret?: string;
      builder?: string | null;
      server?: string;
      exposesNewTables?: boolean;
      fill?: (record: AppRecord) => Promise<void>;
    } = {},
  ): Promise<AppRecord> {
    const place =
      options.server === undefined ? await this.#servers.emptiest() : await this.#servers.find(options.server);
    const record = { ...newAppRecord(ref, options), ...place };
    return this.withAppLocks([ref], () =>
      this.#make(record, options.builder ?? null, 'created', async () => {
        await this.#checkpoints.wait();
        const { server, maintenance } = this.#servers.of(record);
        await provision(server, maintenance, record, options);
        this.#checkpoints.countApp();
        await options.fill?.(record);
      }),
    );
  }

  /**
   * Creates an app on an existing database of the server, which stays when the app is deleted.
   * @param options.anonRole Role of requests without a token.
   * @throws NinefoldError as `create`, app_database_unknown, app_database_unfit
   */
  async attach(
    ref: string,
    database: string,
    options: { name?: string; jwtSecret?: string; anonRole?: string | null } = {},
  ): Promise<AppRecord> {
    if (OWN_DATABASES.test(database) || database === this.#servers.own.server.target.database) {
      throw new NinefoldError('app_database_unfit', {
        details: { database, reason: 'it is kept for the server itself' },
      });
    }
    const record = newAppRecord(ref, { ...options, database });
    return this.withAppLocks([ref], () =>
      this.#make(record, null, 'created', async () => {
        const other = (await this.#registry.list()).find((app) => app.database === database);
        if (other) {
          const reason = `it is the database of the app ${other.ref}`;
          throw new NinefoldError('app_database_unfit', { details: { database, reason } });
        }
        const { server, maintenance } = this.#servers.own;
        await attach(server, maintenance, record, database, options.anonRole ?? null);
      }),
    );
  }

  /**
   * Copies an app with its schema, rows and members, but with new keys and without sessions.
   * @throws NinefoldError as `create`, app_unknown, clone_refused
   */
  async clone(
    source: string,
    ref: string,
    options: { name?: string; builder?: string | null } = {},
  ): Promise<AppRecord> {
    const from = await this.#find(source);
    const { serverRef, host } = from;
    const place = serverRef !== undefined && host ? { serverRef, host } : {};
    const record = { ...newAppRecord(ref, options), ...place, schemaFile: from.schemaFile };
    return this.withAppLocks([source, ref], () =>
      this.#make(record, options.builder ?? null, 'cloned', async () => {
        await this.#checkpoints.wait();
        // Files are copied before the database too, because the source may delete them during the copy.
        // Without a connection to the source, the copy afterwards has to be enough.
        await this.#copyFiles(from, from, ref).catch((error: unknown) => {
          if (!(error instanceof DatabaseError || error instanceof ConnectionError)) throw error;
        });
        const { server, maintenance } = this.#servers.of(record);
        await provision(server, maintenance, record, { from: from.database });
        this.#checkpoints.countApp();
        await this.#copyFiles(record, from, ref);
        await withPool(serverConnection(this.#servers.own.server.target, record), deleteCopiedUploads);
        await this.#deletePersonalState(record);
      }),
    );
  }

  /**
   * Copies an app from a server that nobody uses, such as one that was started from a backup: with its schema, rows, members and
   * files, but with new keys and without sessions, as `clone` does. The app need not exist on this node.
   * @param source The app's database there. Its roles get the names of the copy, so the server is useless afterwards.
   * @param ref Ref of the copy.
   * @throws NinefoldError as `create`, clone_refused
   * @throws The errors of `transferDatabase`
   */
  async copyFromServer(
    source: TransferSource & {
      readonly ref: string;
      /** Last schema file of the app there. */
      readonly schemaFile: string;
      /** Copies the bytes of files from the keys of `source.ref`; by default from the store of this node. */
      readonly copyBytes?: CopyBytes;
    },
    ref: string,
    options: { name?: string; builder?: string | null } = {},
  ): Promise<{ record: AppRecord; copied: TransferResult; missingFiles: number }> {
    const record = { ...newAppRecord(ref, options), schemaFile: source.schemaFile };
    let copied: TransferResult | null = null;
    let missingFiles = 0;
    await this.withAppLocks([source.ref, ref], () =>
      this.#make(record, options.builder ?? null, 'restored', async () => {
        await this.#checkpoints.wait();
        await renameRoles(source.connection, source.ref, ref);
        const { server, maintenance } = this.#servers.own;
        copied = await provisionFromServer(server, maintenance, record, source, true);
        this.#checkpoints.countApp();
        missingFiles = await this.#copyFiles(record, source, ref, source.copyBytes);
        if (hasFiles(record))
          await withPool(serverConnection(this.#servers.own.server.target, record), deleteCopiedUploads);
        await this.#deletePersonalState(record);
      }),
    );
    if (!copied) throw new Error('the copy has no result');
    return { record, copied, missingFiles };
  }

  /**
   * Deletes an app with all its data. The record is deleted last: if the deletion fails, the app is still known and the
   * deletion can be repeated.
   * @param confirm The ref of the app, as a confirmation.
   * @throws NinefoldError app_confirmation_wrong, app_unknown, app_busy, app_session_stuck
   */
  async delete(ref: string, confirm: string): Promise<void> {
    const record = await this.#find(ref);
    if (confirm !== ref) throw new NinefoldError('app_confirmation_wrong');
    await this.withAppLocks([ref], async () => {
      await this.#apps.forget(ref);
      const { server, maintenance } = this.#servers.of(record);
      await unprovision(maintenance, server, record);
      await deleteAppBytes(this.#store, ref);
      await this.#registry.remove(ref);
      await this.#apps.forget(ref);
    });
    this.#events.emit({ type: 'app', what: 'deleted', app: ref });
  }

  async #find(ref: string): Promise<AppRecord> {
    const record = ref === CONSOLE_REF ? null : await this.#registry.find(ref);
    if (!record) throw new NinefoldError('app_unknown');
    return record;
  }

  /**
   * Copies the files that a database names to the app `to`. Returns the number of files without bytes.
   * @param copy Copies the bytes of the app `from`; by default from the store of this node.
   */
  async #copyFiles(database: AppRecord, from: Pick<AppRecord, 'ref'>, to: string, copy?: CopyBytes): Promise<number> {
    if (!hasFiles(database)) return 0;
    return withPool(serverConnection(this.#servers.own.server.target, database), (pool) =>
      copyAppBytes(pool, this.#store, from.ref, to, copy),
    );
  }

  async #make(
    record: AppRecord,
    builder: string | null,
    what: 'created' | 'cloned' | 'restored',
    makeDatabase: () => Promise<void>,
  ): Promise<AppRecord> {
    const started = performance.now();
    const { ref } = record;
    if (await this.#registry.find(ref)) throw new NinefoldError('app_exists');
    try {
      await makeDatabase();
      await this.#registry.insert(record, builder);
    } catch (error) {
      // If this fails too, for example because the disk is full, the rest stays. It is removed when an app with the
      // same ref is created.
      await deleteAppBytes(this.#store, ref).catch(() => undefined);
      const { server, maintenance } = this.#servers.of(record);
      await unprovision(maintenance, server, record).catch((left: unknown) =>
        this.#events.emit({
          type: 'fault',
          requestId: null,
          where: `removing what was made of app ${ref}`,
          error: left,
        }),
      );
      throw error;
    }
    await this.#apps.forget(ref);
    this.#events.emit({ type: 'app', what, app: ref, milliseconds: performance.now() - started });
    return record;
  }

  /**
   * Deletes the sessions in a copy, so that refresh tokens of the source do not work there, and the queued mails, which
   * the source sends. Runs with the copy's own login role, because the app may have triggers on these tables, and they
   * must not run as the superuser.
   * @throws NinefoldError clone_refused with the message of a failing trigger
   */
  async #deletePersonalState(record: AppRecord): Promise<void> {
    const timeout = String(limits.builderStatementMilliseconds.default);
    const ended = withPool(authenticatorConnection(this.#servers.own.server.target, record), (pool) =>
      pool.run([
        { text: `select pg_catalog.set_config('statement_timeout', $1, true)`, params: [timeout] },
        { text: 'set local role supabase_auth_admin', params: [] },
        { text: 'delete from auth.sessions', params: [] },
        { text: 'delete from auth.refresh_tokens', params: [] },
        { text: 'delete from auth.one_time_tokens', params: [] },
        { text: 'delete from auth.flow_state', params: [] },
        { text: 'delete from ninefold.mails', params: [] },
      ]),
    );
    await ended.catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
      throw new NinefoldError('clone_refused', { message: error.message, cause: error });
    });
  }

  /**
   * Runs `work` while holding the locks of apps across all nodes. Waits until other work on these apps ends.
   * @throws NinefoldError app_busy if the wait takes too long
   */
  withAppLocks<T>(refs: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#locks.transaction(async (tx) => {
      try {
        await tx.run([
          {
            text: `select pg_catalog.set_config('lock_timeout', $1, true)`,
            params: [String(limits.appLockMilliseconds.default)],
          },
          // The locks are always taken in the same order, to avoid deadlocks.
          ...[...refs].sort().map((ref) => ({
            text: `select pg_catalog.pg_advisory_xact_lock(${APP_LOCK})`,
            params: [ref],
          })),
        ]);
      } catch (error) {
        if (error instanceof DatabaseError && error.sqlstate === LOCK_NOT_AVAILABLE)
          throw new NinefoldError('app_busy', { cause: error });
        throw error;
      }
      return work();
    });
  }
}

function newAppRecord(ref: string, options: { name?: string; jwtSecret?: string; database?: string }): AppRecord {
  if (RESERVED.has(ref)) throw new NinefoldError('app_ref_reserved', { details: { ref } });
  return newRecord(ref, options);
}
