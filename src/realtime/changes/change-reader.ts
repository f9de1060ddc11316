import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { rowsAsText } from '../../database/statement.ts';

/** Rows and bytes of one read. More of them are announced as a gap. */
const MAX_ROWS = 20_000;
const MAX_BYTES = 48 * 1024 * 1024;
/** Time after which rows that no worker has read may be deleted. */
const MAX_SILENCE_MILLISECONDS = 30_000;

/** One row of ninefold.changes. */
export interface Change {
  readonly relation: number;
  /** A row was inserted, updated or deleted; truncated; too many rows; changed, for live lists. */
  readonly operation: 'I' | 'U' | 'D' | 'T' | 'M' | 'L';
  /** The time of the change in ISO 8601. */
  readonly at: string;
  readonly isTooLarge: boolean;
  readonly old: string | null;
  readonly new: string | null;
}

/** The changes since the previous read, in the order of their rows; or the reason why changes may be missing. */
export type ReadResult = { readonly changes: readonly Change[] } | { readonly gap: string };

const NAME = 'insert into ninefold.changes_since default values on conflict do nothing';
const START =
  'select pg_catalog.pg_current_snapshot() as snapshot, (select s.id from ninefold.changes_since s) as since';

// A transaction that the last snapshot does not show has an id from xmax on, or is one of those that were running.
const READ = `with fresh as materialized (
    select c.* from ninefold.changes c where c.xid >= pg_catalog.pg_snapshot_xmax($1::pg_catalog.pg_snapshot)
    union all
    select c.* from ninefold.changes c where c.xid = any (array(select pg_catalog.pg_snapshot_xip($1::pg_catalog.pg_snapshot)))
  ), total as (select pg_catalog.count(*) as rows, coalesce(pg_catalog.sum(f.size), 0) as bytes from fresh f)
  select pg_catalog.pg_current_snapshot() as snapshot, (select s.id from ninefold.changes_since s) as since,
    t.rows > $2::pg_catalog.int8 or t.bytes > $3::pg_catalog.int8 as is_too_much,
    f.relation, f.operation, f.is_too_large, f.old, f.new,
    pg_catalog.to_char(f.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
  from total t left join fresh f on t.rows <= $2::pg_catalog.int8 and t.bytes <= $3::pg_catalog.int8
  order by f.id`;

/** Reads the changes that became visible since its last read. */
export class ChangeReader {
  readonly #app: Pick<App, 'serverDatabase'>;
  #snapshot: string | null = null;
  #since: string | null = null;
  #readAt = 0;

  constructor(app: Pick<App, 'serverDatabase'>) {
    this.#app = app;
  }

  /** Begins at the current snapshot: later reads return what is not visible in it. */
  async start(): Promise<void> {
    const at = performance.now();
    const [, result] = await runAsServerRole(this.#app.serverDatabase, [
      { text: NAME, params: [] },
      { text: START, params: [] },
    ]);
    const [row] = result ? rowsAsText(result) : [];
    this.#snapshot = row?.snapshot ?? null;
    this.#since = row?.since ?? null;
    this.#readAt = at;
  }

  /** Returns the changes since the last read. */
  async read(): Promise<ReadResult> {
    const at = performance.now();
    const params = [this.#snapshot, String(MAX_ROWS), String(MAX_BYTES)];
    const [result] = await runAsServerRole(this.#app.serverDatabase, [{ text: READ, params }]);
    const rows = result ? rowsAsText(result) : [];
    const [first] = rows;
    const silence = at - this.#readAt;
    const hasCrashed = first?.since !== this.#since;
    this.#snapshot = first?.snapshot ?? null;
    this.#since = first?.since ?? null;
    this.#readAt = at;
    if (hasCrashed) {
      await this.start();
      return { gap: 'The database has restarted, so changes may be missing.' };
    }
    if (first?.is_too_much === 't') return { gap: 'Too many rows changed at once, so changes are missing.' };
    if (silence > MAX_SILENCE_MILLISECONDS)
      return { gap: 'The changes were not read for a while, so some may be missing.' };
    return { changes: rows.filter(({ relation }) => relation !== null).map(changeOf) };
  }
}

const changeOf = (row: Record<string, string | null>): Change => ({
  relation: Number(row.relation),
  operation: row.operation as Change['operation'],
  at: row.at ?? '',
  isTooLarge: row.is_too_large === 't',
  old: row.old ?? null,
  new: row.new ?? null,
});
