import { limits } from '../../../contract/limits.ts';
import { ConnectionError } from '../../database/database-error.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import { ownerConnection } from '../app-connections.ts';
import type { Apps } from '../apps.ts';
import type { BackgroundTurns } from '../maintenance/background-turns.ts';
import { CONSOLE_REF, isAttached } from '../registry/app-record.ts';
import { type Server, withPool } from '../registry/server.ts';
import { runAsServerRole } from '../run-as-server-role.ts';

/** Query for the tables of the app's owner that have data but no statistics in PostgreSQL. */
const UNANALYZED_TABLES = `select coalesce(json_agg(format('%I.%I', n.nspname, c.relname)), '[]')
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  join pg_catalog.pg_database d on d.datdba = c.relowner and d.datname = current_database()
  where c.relkind in ('r', 'm') and c.relpersistence <> 't'
    and pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid) = 0
    and pg_stat_get_live_tuples(c.oid) = 0
    and pg_stat_get_last_analyze_time(c.oid) is null and pg_stat_get_last_autoanalyze_time(c.oid) is null
    and pg_relation_size(c.oid) between 1 and $1::bigint`;

/**
 * Runs ANALYZE on tables whose statistics PostgreSQL has lost, as in a copied database and after a crash of the server,
 * because the specification shows the estimated numbers of rows. Does not do this in attached databases, because their
 * owners maintain them.
 */
export class TableAnalyzer {
  readonly #server: Server;
  readonly #apps: Apps;
  readonly #events: Events;
  /** Apps that were checked. Each is checked once, so that the check does not keep the app open. */
  readonly #seen = new Set<string>();
  #isStopping = false;

  constructor(server: Server, apps: Apps, events: Events) {
    this.#server = server;
    this.#apps = apps;
    this.#events = events;
  }

  start(turns: BackgroundTurns): void {
    this.#events.listen(['app'], (event) => {
      if (event.app === CONSOLE_REF) return;
      if (event.what === 'cloned' || event.what === 'restored') void turns.run(() => this.#look(event.app, true));
      // After this time, PostgreSQL has collected the statistics of recent writes in other sessions. A check before
      // that would find tables without statistics although the statistics are on their way.
      const after = limits.analyseAfterMilliseconds.default;
      if (event.what === 'opened' && !this.#seen.has(event.app)) {
        this.#seen.add(event.app);
        setTimeout(() => void turns.run(() => this.#look(event.app, false)), after).unref();
      }
      if (event.what === 'deleted') this.#seen.delete(event.app);
    });
  }

  stop(): void {
    this.#isStopping = true;
  }

  /**
   * @param isIdleToo True to check an app without connections. If false, such an app is checked after its next request.
   */
  async #look(ref: string, isIdleToo: boolean): Promise<void> {
    if (this.#isStopping) return;
    try {
      const app = await this.#apps.find(ref);
      if (!app.isOpen && !isIdleToo) {
        this.#seen.delete(ref);
        return;
      }
      if (!isAttached(app.record)) await this.#count(app);
    } catch (error) {
      // The app was closed or deleted in the meantime.
      if (error instanceof ConnectionError || error instanceof NinefoldError) return;
      this.#events.emit({ type: 'fault', requestId: null, where: `the row counts of app ${ref}`, error });
    }
  }

  async #count(app: App): Promise<void> {
    const [result] = await runAsServerRole(app.serverDatabase, [
      { text: UNANALYZED_TABLES, params: [String(limits.analysedTableBytes.default)] },
    ]);
    const tables = (result && firstJson<string[]>(result)) ?? [];
    if (tables.length === 0) return;
    // Runs as the owner, because ANALYZE runs functions of the app for expression indexes.
    await withPool(ownerConnection(this.#server.target, app.record), (owner) =>
      owner.script(
        `set statement_timeout = ${limits.analyseMilliseconds.default}; analyze (skip_locked) ${tables.join(', ')}`,
      ),
    );
  }
}
