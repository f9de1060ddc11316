import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../../contract/limits.ts';
import { ConnectionError, DatabaseError } from '../../database/database-error.ts';
import type { Pool } from '../../database/pool.ts';
import { quoteIdentifier as id, plain, rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Events } from '../../observe/events.ts';
import {
  APP_LOCK,
  type AppRecord,
  authenticatorRole,
  databaseName,
  isAttached,
  ownerRole,
  serverRole,
} from '../registry/app-record.ts';
import type { Registry } from '../registry/registry.ts';
import { superuserIn } from '../registry/server.ts';
import { InstallError } from '../transfer/install.ts';
import { DumpError, type DumpTools } from '../transfer/pg-dump.ts';
import type { TransferResult } from '../transfer/transfer-database.ts';
import type { Lifecycle } from './lifecycle.ts';
import { provisionFromServer, unprovision } from './provision.ts';
import { type OpenServer, OWN, type ServerPools } from './server-pools.ts';

/** Pause between two looks for sessions that have not ended. */
const LOOK_MILLISECONDS = 20;

export interface MoveParts {
  readonly servers: ServerPools;
  readonly registry: Registry;
  readonly lifecycle: Pick<Lifecycle, 'withAppLocks'>;
  readonly events: Events;
  readonly tools: DumpTools;
  /** Resolves once all workers of all nodes use the changed record of an app. */
  readonly everyWorker: (ref: string) => Promise<void>;
}

/** The result of a move: what was copied, and how long no call was served. */
export interface MoveResult extends TransferResult {
  readonly closedMilliseconds: number;
}

/**
 * Moves an app to another PostgreSQL server. No node serves the app meanwhile: calls get `app_moving`, and its logins are closed
 * before the copy begins, so no acknowledged write is lost. The record is switched in one transaction. If the node ends before that,
 * the next start opens the app where it was.
 * @param to Ref of the target, `own` for the server of the console.
 * @throws NinefoldError app_unknown, server_unknown, app_busy, app_move_failed
 */
export async function moveApp(parts: MoveParts, ref: string, to: string): Promise<MoveResult | null> {
  const { servers, registry, lifecycle, events, everyWorker, tools } = parts;
  const place = await servers.find(to);
  return lifecycle.withAppLocks([ref], async () => {
    const record = await registry.find(ref);
    if (!record) throw new NinefoldError('app_unknown');
    if (record.serverRef === place.serverRef) return null;
    const [source, target] = [servers.of(record), servers.of(place)];
    refuseUnmovable(record, source, target);
    const started = performance.now();
    await registry.servers.setMoving(ref, place.serverRef ?? '');
    await everyWorker(ref);
    try {
      await closeLogins(source, ref);
      const connection = superuserIn(source.server, record.database);
      const result = await provisionFromServer(target.server, target.maintenance, record, { connection, tools }, false);
      await registry.servers.switchApp(ref, record.serverRef ?? null, place.serverRef ?? null);
      await everyWorker(ref);
      const closedMilliseconds = performance.now() - started;
      events.emit({ type: 'app', what: 'moved', app: ref, milliseconds: closedMilliseconds });
      return { ...result, closedMilliseconds };
    } catch (error) {
      await undoMove(parts, record, target);
      throw asMoveFailure(error);
    }
  });
}

/**
 * Opens apps whose moves were interrupted where they were, and removes what was copied. A move in progress, on any node, holds its
 * app's lock and is skipped.
 */
export async function mendMoves(parts: Pick<MoveParts, 'servers' | 'registry' | 'everyWorker'>): Promise<void> {
  const { servers, registry } = parts;
  for (const { app, to } of await registry.servers.moving()) {
    await servers.own.maintenance.transaction(async (tx) => {
      const [locked] = await tx.run([
        { text: `select pg_catalog.pg_try_advisory_xact_lock(${APP_LOCK}) as mine`, params: [app] },
      ]);
      const record = await registry.find(app);
      if (!record || !locked || rowsAsText(locked)[0]?.mine !== 't') return;
      await undoMove(parts, record, servers.of(await servers.find(to || OWN)));
    });
  }
}

/** Deletes the databases that apps left a day ago. */
export async function deleteLeftDatabases({
  servers,
  registry,
}: Pick<MoveParts, 'servers' | 'registry'>): Promise<void> {
  for (const { server: ref, app } of await registry.servers.leftDatabases(limits.leftDatabaseSeconds.default)) {
    const { server, maintenance } = servers.of(await servers.find(ref || OWN));
    await unprovision(maintenance, server, { ref: app, database: databaseName(app) });
    await registry.servers.forgetLeft(ref, app);
  }
}

async function undoMove(
  { servers, registry, everyWorker }: Pick<MoveParts, 'servers' | 'registry' | 'everyWorker'>,
  record: AppRecord,
  target: OpenServer,
): Promise<void> {
  // What stays at a target that cannot be reached is removed when the app moves there again.
  await unprovision(target.maintenance, target.server, record).catch((error: unknown) => {
    if (!(error instanceof DatabaseError || error instanceof ConnectionError || error instanceof NinefoldError))
      throw error;
  });
  await setLogins(servers.of(record).maintenance, record.ref, 'login');
  await registry.servers.setMoving(record.ref, null);
  await everyWorker(record.ref);
}

function refuseUnmovable(record: AppRecord, source: OpenServer, target: OpenServer): void {
  const reason = isAttached(record)
    ? 'the app is on a database that existed before it'
    : [source, target].some(({ server }) => server.missingRights.length > 0)
      ? 'the login of one of the two servers is no superuser'
      : null;
  if (reason !== null) throw new NinefoldError('app_move_failed', { message: `The app was not moved: ${reason}.` });
}

const loginsOf = (ref: string): string[] => [ownerRole(ref), authenticatorRole(ref), serverRole(ref)];

async function setLogins(maintenance: Pool, ref: string, state: 'login' | 'nologin'): Promise<void> {
  await maintenance.run(loginsOf(ref).map((role) => plain(`alter role ${id(role)} ${state}`)));
}

/** Closes the logins of an app, and waits until its sessions have ended. */
async function closeLogins({ maintenance }: OpenServer, ref: string): Promise<void> {
  await setLogins(maintenance, ref, 'nologin');
  const until = performance.now() + limits.appClosingSeconds.default * 1000;
  for (;;) {
    const [left] = await maintenance.run([
      {
        text: `select pg_catalog.count(*) as left, pg_catalog.count(pg_catalog.pg_terminate_backend(a.pid)) as ended
               from pg_catalog.pg_stat_activity a
               where a.datname = $1 and a.backend_type = 'client backend' and a.pid <> pg_catalog.pg_backend_pid()`,
        params: [databaseName(ref)],
      },
    ]);
    if (!left || rowsAsText(left)[0]?.left === '0') return;
    if (performance.now() > until) {
      throw new NinefoldError('app_session_stuck', { retryAfter: limits.sessionLoopSeconds.default });
    }
    await delay(LOOK_MILLISECONDS);
  }
}

function asMoveFailure(error: unknown): unknown {
  const isKnown =
    error instanceof DatabaseError ||
    error instanceof ConnectionError ||
    error instanceof InstallError ||
    error instanceof DumpError;
  if (!isKnown) return error;
  return new NinefoldError('app_move_failed', { message: `The app was not moved: ${error.message}`, cause: error });
}
