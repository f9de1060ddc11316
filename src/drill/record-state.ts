import { setTimeout as delay } from 'node:timers/promises';
import { databaseName } from '../apps/registry/app-record.ts';
import { superuserIn } from '../apps/registry/server.ts';
import type { DrillRecord } from '../backup/backup-home.ts';
import { RawSession } from '../database/raw-session.ts';
import { plain, rowsAsText } from '../database/statement.ts';
import type { SpecificationService } from '../specification/serve/specification-service.ts';
import type { AppsOfServer } from './apps-of-server.ts';
import { countRows } from './row-counts.ts';

/** Attempts to find a moment at which no transaction runs, and the pause between two. */
const ATTEMPTS = 60;
const PAUSE_MILLISECONDS = 25;

/** Writes a mark and removes old ones. Returns its id. */
export async function writeMark(apps: AppsOfServer): Promise<number> {
  const [result] = await apps.console.run([
    plain('insert into node.backup_marks default values returning id'),
    plain(`delete from node.backup_marks where at < now() - interval '2 days'`),
  ]);
  return Number(result && rowsAsText(result)[0]?.id);
}

/**
 * Records what a restore to this moment must show for one random app: its rows, and the hash of its specification. The
 * moment is a position of the WAL at which no transaction is in progress, so that the snapshot of the app has exactly the
 * transactions before the position.
 * @returns null if there is no app, or the server was never idle.
 */
export async function recordState(
  apps: AppsOfServer,
  specifications: SpecificationService,
): Promise<DrillRecord | null> {
  const refs = await apps.refs();
  const app = refs[Math.floor(Math.random() * refs.length)];
  if (app === undefined) return null;
  const mark = await writeMark(apps);
  const hash = await specificationHash(apps, specifications, app);
  const session = await RawSession.open(superuserIn(apps.server, databaseName(app)));
  const found = await countAtPosition(session).finally(() => session.close());
  await writeMark(apps);
  if (found === null) return null;
  // A change of the schema in between belongs to another moment.
  if ((await specificationHash(apps, specifications, app)) !== hash) return null;
  return { app, mark, specification: hash, ...found };
}

/** Derives the specification of an app and returns its hash. */
const specificationHash = (apps: AppsOfServer, specifications: SpecificationService, ref: string): Promise<string> =>
  apps.with(ref, async (app) => (await specifications.cells(app)).hash);

const POSITION = 'pg_catalog.pg_current_wal_insert_lsn() as lsn';
/** Takes the snapshot of the transaction before it reads the position. */
const QUIET_POSITION = `select ${POSITION}, pg_catalog.pg_snapshot_xmin(s) = pg_catalog.pg_snapshot_xmax(s) as quiet,
    pg_catalog.to_char(pg_catalog.clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
  from pg_catalog.pg_current_snapshot() s`;

/** Counts the rows of a database at a position of the WAL. Returns null if the server was never idle. */
async function countAtPosition(session: RawSession): Promise<Pick<DrillRecord, 'lsn' | 'at' | 'rows'> | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const [before] = await session.query(`select ${POSITION}`);
    await session.query('begin isolation level repeatable read, read only');
    try {
      const [{ lsn, quiet, at } = {}] = await session.query(QUIET_POSITION);
      // Equal positions before and after the snapshot mean that no transaction committed in between.
      if (quiet === 't' && lsn && at && lsn === before?.lsn) return { lsn, at, rows: await countRows(session, null) };
    } finally {
      await session.query('rollback');
    }
    await delay(PAUSE_MILLISECONDS);
  }
  return null;
}
