import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { rowsAsText } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';

/** Time for which triggers write changes after a renewal. */
const LEASE_SECONDS = 60;
/** Age after which changes are deleted. Readers that are slower announce a gap. */
const KEPT_MILLISECONDS = 60_000;
/** Time that a new subscription waits for transactions that began to write before, and the pause between two looks. */
const WRITERS_MILLISECONDS = 10_000;
const LOOK_MILLISECONDS = 10;
/** Key of the advisory lock of the worker that deletes changes. */
const EMPTY_LOCK = 9_009_020;

const LEASE = `select pg_catalog.setval('ninefold.watched_until',
    greatest((select s.last_value from ninefold.watched_until s), pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())::pg_catalog.int8 + $1::pg_catalog.int8))`;
const WATCH = `insert into ninefold.watched as w (relation, until)
  select r::pg_catalog.oid, pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => $2::pg_catalog.float8)
  from pg_catalog.unnest($1::pg_catalog.int8[]) r order by 1
  on conflict (relation) do update set until = excluded.until`;
// The trigger of a table names its bit. Workers take turns, because each must see the rows of the others.
const BITS_TURN = 'lock table ninefold.watched in share row exclusive mode';
const BITS = `select pg_catalog.setval('ninefold.watched_bits',
  (pg_catalog.date_part('epoch', pg_catalog.max(w.until))::pg_catalog.int8 + 1 << 31) | pg_catalog.bit_or(
    pg_catalog.substring(pg_catalog.left(pg_catalog.encode(g.tgargs, 'escape'), 10), '^[0-9]+')::pg_catalog.int8 & 2147483647))
  from ninefold.watched w join pg_catalog.pg_trigger g on g.tgrelid = w.relation and g.tgname = 'ninefold_changed_rows'
  where w.until > pg_catalog.clock_timestamp() having pg_catalog.count(*) > 0`;
const WRITERS = `select distinct l.virtualtransaction as id from pg_catalog.pg_locks l
  where l.locktype = 'relation' and l.relation = any ($1::pg_catalog.int8[]::pg_catalog.oid[]) and l.granted
    and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    and l.database = (select d.oid from pg_catalog.pg_database d where d.datname = pg_catalog.current_database())`;
const SNAPSHOT = 'select pg_catalog.pg_current_snapshot() as snapshot';
const EMPTY = `with taken as materialized (select pg_catalog.pg_try_advisory_xact_lock(${EMPTY_LOCK}) as is_taken),
  ended as (delete from ninefold.watched w using taken t where t.is_taken and w.until < pg_catalog.clock_timestamp())
  delete from ninefold.changes c using taken t where t.is_taken and pg_catalog.pg_visible_in_snapshot(c.xid, $1::pg_catalog.pg_snapshot)`;

// The lease has ended, so every reader that still exists announces a gap.
const EMPTY_UNREAD = `delete from ninefold.changes
  where (select s.last_value from ninefold.watched_until s) < pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())`;

type ServerDatabase = Pick<App, 'serverDatabase'>;

const list = (oids: readonly number[]): string => `{${oids.join(',')}}`;

/** Tells the triggers that a worker watches these tables. */
export async function renewWatch({ serverDatabase }: ServerDatabase, tables: readonly number[]): Promise<void> {
  await runAsServerRole(serverDatabase, [
    { text: BITS_TURN, params: [] },
    { text: LEASE, params: [String(LEASE_SECONDS)] },
    { text: WATCH, params: [list(tables), String(LEASE_SECONDS)] },
    { text: BITS, params: [] },
  ]);
}

/**
 * Waits until every transaction has ended that holds a lock for writing on one of the tables. Such a transaction may have
 * written before the triggers knew that a worker watches the table.
 * @param relations OIDs of the tables and of their partitions.
 * @throws NinefoldError RealtimeRestarting if one of them does not end
 */
export async function waitForWriters({ serverDatabase }: ServerDatabase, relations: readonly number[]): Promise<void> {
  const until = performance.now() + WRITERS_MILLISECONDS;
  let waitedFor: ReadonlySet<string> | null = null;
  for (;;) {
    const [result] = await runAsServerRole(serverDatabase, [{ text: WRITERS, params: [list(relations)] }]);
    const running = new Set((result ? rowsAsText(result) : []).map(({ id }) => id ?? ''));
    waitedFor = new Set([...running].filter((id) => waitedFor === null || waitedFor.has(id)));
    if (waitedFor.size === 0) return;
    if (performance.now() > until) {
      throw new NinefoldError('RealtimeRestarting', {
        message:
          'A transaction has been writing to the table for a long time. Changes can be followed after it has ended.',
      });
    }
    await delay(LOOK_MILLISECONDS);
  }
}

/** Deletes changes that every reader has read or has missed. */
export class Emptying {
  readonly #app: ServerDatabase;
  readonly #snapshots: { readonly snapshot: string; readonly at: number }[] = [];

  constructor(app: ServerDatabase) {
    this.#app = app;
  }

  /** Deletes all changes if no worker of any node reads them. */
  async start(): Promise<void> {
    await runAsServerRole(this.#app.serverDatabase, [{ text: EMPTY_UNREAD, params: [] }]);
  }

  /** Deletes the changes that were visible a minute ago. The caller repeats this call every few seconds. */
  async run(): Promise<void> {
    const at = performance.now();
    let old: string | null = null;
    while (this.#snapshots[0] && at - this.#snapshots[0].at >= KEPT_MILLISECONDS) {
      old = this.#snapshots.shift()?.snapshot ?? null;
    }
    const [taken] = await runAsServerRole(this.#app.serverDatabase, [
      { text: SNAPSHOT, params: [] },
      ...(old === null ? [] : [{ text: EMPTY, params: [old] }]),
    ]);
    const snapshot = taken && rowsAsText(taken)[0]?.snapshot;
    if (snapshot) this.#snapshots.push({ snapshot, at });
  }
}
