import { limits } from '../../contract/limits.ts';
import { ConnectionError } from '../database/database-error.ts';
import { firstJson } from '../database/statement.ts';
import type { Events } from '../observe/events.ts';
import type { App } from './app.ts';
import { CONSOLE_REF, isAttached } from './app-record.ts';
import { asServer } from './as-server.ts';
import { ownerOf } from './owner.ts';
import { type Server, withPool } from './server.ts';

/** Tables of the app's owner that hold something, of which PostgreSQL has seen nothing since its statistics began. */
const UNSEEN = `select coalesce(json_agg(format('%I.%I', n.nspname, c.relname)), '[]')
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_database d on d.datdba = c.relowner and d.datname = current_database()
  where c.relkind in ('r', 'm') and c.relpersistence <> 't'
    and pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid) = 0
    and pg_stat_get_live_tuples(c.oid) = 0
    and pg_stat_get_last_analyze_time(c.oid) is null and pg_stat_get_last_autoanalyze_time(c.oid) is null
    and pg_relation_size(c.oid) between 1 and $1::bigint`;

/**
 * Has PostgreSQL count the rows of an app again where it has lost count, as in a copy of a database and after a crash of the server: what the
 * specification says of rows are its counts. The database of somebody else is left to its owner.
 */
export class RowCounts {
  readonly #server: Server;
  readonly #events: Events;

  constructor(server: Server, events: Events) {
    this.#server = server;
    this.#events = events;
  }

  /** Looks at an app that has just been opened, beside its calls. */
  watch(app: App): void {
    if (app.ref === CONSOLE_REF || isAttached(app.record)) return;
    this.#count(app).catch((error: unknown) => {
      // The app was closed or deleted meanwhile.
      if (error instanceof ConnectionError) return;
      this.#events.emit({ type: 'fault', requestId: null, where: `the row counts of app ${app.ref}`, error });
    });
  }

  async #count(app: App): Promise<void> {
    const [result] = await asServer(app.database, [
      { text: UNSEEN, params: [String(limits.analysedTableBytes.default)] },
    ]);
    const tables = (result && firstJson<string[]>(result)) ?? [];
    if (tables.length === 0) return;
    // As the owner: PostgreSQL runs functions of the app for its indexes on expressions.
    await withPool(ownerOf(this.#server, app.record), (owner) =>
      owner.script(
        `set statement_timeout = ${limits.analyseMilliseconds.default}; analyze (skip_locked) ${tables.join(', ')}`,
      ),
    );
  }
}
