import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ChangeLog, LogReader, WatchedTable } from './change-log.ts';
import type { Change } from './change-reader.ts';

/** Attempts to add the trigger to a table that others lock, and the pause between two. */
const ATTEMPTS = 20;
const PAUSE_MILLISECONDS = 300;
/** SQLSTATEs after which an attempt is repeated: the table is locked, or another worker adds the trigger. */
const REPEATED = new Set(['55P03', '40P01', '42710', '40001', 'XX000']);

/** A table by its name. */
export interface TouchedTable {
  readonly schema: string;
  readonly name: string;
}

/** Tables that one caller watches. */
interface Watch {
  /** OIDs of the tables and of the tables below them. */
  readonly parts: ReadonlySet<number>;
  readonly onTouched: () => void;
}

const FIND = `select pg_catalog.json_agg(pg_catalog.json_build_object('oid', c.oid::pg_catalog.int8,
    'canFollow', c.relkind in ('r', 'p') and c.oid >= 16384 and n.nspname !~ '^(ninefold|pg_)'
      or n.nspname = 'ninefold' and c.relname = 'notifications',
    'parts', (with recursive below (relation) as (
        select c.oid union select i.inhrelid from pg_catalog.pg_inherits i join below b on b.relation = i.inhparent
      ) select pg_catalog.json_agg(b.relation::pg_catalog.int8) from below b)))
  from pg_catalog.json_to_recordset($1::pg_catalog.json) as t (schema pg_catalog.text, name pg_catalog.text)
  join pg_catalog.pg_namespace n on n.nspname = t.schema join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = t.name`;

const FOLLOW = 'select ninefold.follow_touches(r::pg_catalog.oid) from pg_catalog.unnest($1::pg_catalog.int8[]) r';

/**
 * Reports tables whose rows a committed transaction has changed, also tables that are not published. A gap and a change of the schema count
 * as a change of every table.
 */
export class TouchedTables implements LogReader {
  readonly #app: Pick<App, 'serverDatabase' | 'subscribe'>;
  readonly #log: ChangeLog;
  readonly #watches = new Set<Watch>();
  readonly #unsubscribe: () => void;
  #pending = 0;

  constructor(app: Pick<App, 'serverDatabase' | 'subscribe'>, log: ChangeLog) {
    this.#app = app;
    this.#log = log;
    this.#unsubscribe = app.subscribe(({ type }) => {
      if (type === 'schema' || type === 'listening') this.#report(() => true);
    });
  }

  /**
   * Calls `onTouched` after each change of one of the tables that commits after the returned promise resolves. Adds a trigger to tables
   * that have none. After a change of the schema the caller watches again, because tables can have been replaced.
   * @returns a function that ends the watch
   * @throws NinefoldError RealtimeDisabledForConfiguration for a relation that is no table
   */
  async watch(tables: readonly TouchedTable[], onTouched: () => void): Promise<() => void> {
    this.#pending++;
    try {
      const found = await this.#find(tables);
      await this.#addTriggers(found);
      await this.#log.add(this);
      // Each part has a trigger of its own, so each is watched.
      const parts = [...new Set(found.flatMap((table) => table.parts))];
      await this.#log.watch(parts.map((oid) => ({ oid, parts: [oid] })));
      const watch = { parts: new Set(parts), onTouched };
      this.#watches.add(watch);
      return () => {
        this.#watches.delete(watch);
        this.#stopIfUnused();
      };
    } finally {
      this.#pending--;
      this.#stopIfUnused();
    }
  }

  close(): void {
    this.#unsubscribe();
    this.#watches.clear();
    this.#stopIfUnused();
  }

  async onChanges(changes: readonly Change[]): Promise<void> {
    const changed = new Set(changes.map(({ relation }) => relation));
    this.#report(({ parts }) => [...changed].some((relation) => parts.has(relation)));
  }

  *neededTables(): Iterable<number> {
    for (const { parts } of this.#watches) yield* parts;
  }

  onGap(): void {
    this.#report(() => true);
  }

  #report(isTouched: (watch: Watch) => boolean): void {
    for (const watch of [...this.#watches]) if (isTouched(watch)) watch.onTouched();
  }

  #stopIfUnused(): void {
    if (this.#watches.size === 0 && this.#pending === 0) this.#log.remove(this);
  }

  async #find(tables: readonly TouchedTable[]): Promise<WatchedTable[]> {
    const [result] = await runAsServerRole(this.#app.serverDatabase, [
      { text: FIND, params: [JSON.stringify(tables)] },
    ]);
    const found = (result && firstJson<(WatchedTable & { canFollow: boolean })[]>(result)) ?? [];
    if (found.length < tables.length || found.some(({ canFollow }) => !canFollow)) {
      throw new NinefoldError('RealtimeDisabledForConfiguration', {
        message: `The changes of one of these relations cannot be followed: ${tables.map(({ schema, name }) => `${schema}.${name}`).join(', ')}`,
      });
    }
    return found;
  }

  async #addTriggers(tables: readonly WatchedTable[]): Promise<void> {
    const oids = tables.map(({ oid }) => oid);
    for (let attempt = 1; ; attempt++) {
      try {
        await runAsServerRole(this.#app.serverDatabase, [{ text: FOLLOW, params: [`{${oids.join(',')}}`] }]);
        return;
      } catch (error) {
        const isRepeated = error instanceof DatabaseError && REPEATED.has(error.sqlstate);
        if (!isRepeated || attempt === ATTEMPTS) throw error;
        await delay(PAUSE_MILLISECONDS);
      }
    }
  }
}
