import type { SqlName } from '../catalog/schema-cache.ts';
import { FIRST_NORMAL_OID } from '../catalog/sql-fragments.ts';
import type { Executor } from '../database/database.ts';
import { firstJson, type Statement } from '../database/statement.ts';
import { tokens } from '../sql-reader/body/tokens.ts';
import { runsDynamicSql } from '../sql-reader/body/writes.ts';

/** Steps from a read to its last table. Views, policies and functions may be nested in any depth. */
const MAX_STEPS = 20;
/** Tables and functions that are followed. The time of a read of the catalog grows with their number. */
const MAX_OBJECTS = 2000;

/** The relations and functions that a query names. */
export interface ReadRoots {
  readonly relations: readonly SqlName[];
  /** Functions by name. All overloads count. The schema is null if search_path decides about it. */
  readonly functions: readonly { readonly schema: string | null; readonly name: string }[];
}

/** The tables on which the result of a query depends. */
export interface ReadSources {
  /** Tables, their partitions and the tables above them. */
  readonly tables: readonly SqlName[];
  /** False if the result may depend on something else, such as the time or SQL that a function builds at run time. */
  readonly isComplete: boolean;
}

interface Found {
  readonly relations: readonly {
    readonly oid: number;
    readonly schema: string;
    readonly name: string;
    readonly kind: string;
    readonly isSystem: boolean;
    readonly isTimed: boolean;
    readonly relations: readonly number[];
    readonly functions: readonly number[];
  }[];
  readonly functions: readonly {
    readonly oid: number;
    readonly language: string;
    readonly source: string;
    readonly isTimed: boolean;
    readonly relations: readonly number[];
    readonly functions: readonly number[];
  }[];
}

/** Functions of PostgreSQL whose result changes without a change of a table, and functions that run SQL from text. */
const UNKNOWN_WORDS = new Set([
  ...['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'timeofday', 'age', 'random'],
  ...['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp', 'gen_random_uuid'],
  ...['query_to_xml', 'table_to_xml', 'cursor_to_xml', 'schema_to_xml', 'database_to_xml', 'ts_stat', 'nextval'],
]);

/** Such functions in a parse tree, by their fixed oids (pg_proc.dat), and CURRENT_DATE and the like. */
const UNKNOWN_IN_TREE = `'SQLVALUEFUNCTION|:funcid (1299|2647|2648|2649|274|1386|2059|1598|3432|1574|2923|2924|2925) '`;

/** Returns SQL that selects the relations or the functions on which an object depends. It follows an operator to its function. */
const uses = (catalog: string, what: 'relations' | 'functions', from: string): string =>
  what === 'relations'
    ? `select d.refobjid::int8 as used ${from} join pg_depend d on d.classid = '${catalog}'::regclass and d.objid = x.oid
         where d.refclassid = 'pg_class'::regclass`
    : `select p.oid::int8 as used ${from} join pg_depend d on d.classid = '${catalog}'::regclass and d.objid = x.oid
         left join pg_operator o on d.refclassid = 'pg_operator'::regclass and o.oid = d.refobjid
         join pg_proc p on d.refclassid in ('pg_proc'::regclass, 'pg_operator'::regclass) and p.oid = coalesce(o.oprcode::oid, d.refobjid)`;

const list = (query: string): string => `coalesce((select json_agg(distinct u.used) from (${query}) u), '[]')`;

const rules = 'from (select r.oid from pg_rewrite r where r.ev_class = c.oid) x';
const policies = `from (select y.oid from pg_policy y where y.polrelid = c.oid and y.polcmd in ('r', '*')) x`;
const itself = 'from (select f.oid) x';

/**
 * SQL with the facts about relations and functions. $1 and $2 have their oids, $3 has names that the source of functions
 * contains, $4 and $5 the names of roots as JSON.
 */
const FACTS = `select json_build_object(
  'relations', coalesce((select json_agg(json_build_object(
      'oid', c.oid::int8, 'schema', n.nspname, 'name', c.relname, 'kind', c.relkind,
      'isSystem', n.nspname ~ '^(pg_|ninefold)' or n.nspname = 'information_schema',
      'isTimed', exists (select from pg_policy y where y.polrelid = c.oid and y.polqual::text ~ ${UNKNOWN_IN_TREE})
        or exists (select from pg_rewrite r where r.ev_class = c.oid and r.ev_type = '1' and r.ev_action::text ~ ${UNKNOWN_IN_TREE}),
      'relations', ${list(`${uses('pg_rewrite', 'relations', rules)} union ${uses('pg_policy', 'relations', policies)}
        union select i.inhrelid::int8 from pg_inherits i where i.inhparent = c.oid
        union select i.inhparent::int8 from pg_inherits i where i.inhrelid = c.oid`)},
      'functions', ${list(`${uses('pg_rewrite', 'functions', rules)} union ${uses('pg_policy', 'functions', policies)}`)}))
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and (c.oid = any ($1::oid[])
      or (c.relname = any ($3::text[]) and n.nspname !~ '^pg_' and n.nspname <> 'information_schema')
      or exists (select from json_array_elements($4::json) a where a ->> 'schema' = n.nspname and a ->> 'name' = c.relname))), '[]'),
  'functions', coalesce((select json_agg(json_build_object(
      'oid', f.oid::int8, 'language', l.lanname, 'source', f.prosrc,
      'isTimed', coalesce(f.prosqlbody::text ~ ${UNKNOWN_IN_TREE}, false),
      'relations', ${list(uses('pg_proc', 'relations', itself))},
      'functions', ${list(`${uses('pg_proc', 'functions', itself)}
        union select g.step::oid::int8 from pg_aggregate a cross join lateral (values (a.aggtransfn), (a.aggfinalfn)) g(step)
          where a.aggfnoid = f.oid and g.step::oid <> 0`)}))
    from pg_proc f join pg_namespace n on n.oid = f.pronamespace join pg_language l on l.oid = f.prolang
    where f.oid >= ${FIRST_NORMAL_OID} and (f.oid = any ($2::oid[]) or (f.proname = any ($3::text[]) and n.nspname <> 'ninefold')
      or exists (select from json_array_elements($5::json) a
        where a ->> 'name' = f.proname and coalesce(a ->> 'schema', nullif(n.nspname, 'ninefold')) = n.nspname))
      and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = f.oid and e.deptype = 'e')), '[]'))`;

const SEARCH_PATH: Statement = {
  text: `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)`,
  params: [],
  planKey: 'read-sources-path',
};

/**
 * Returns the tables that a query reads: the named ones, those of views, of policies, and of functions. A function counts
 * each table that its source names, so there may be too many tables, but never too few if the result is complete.
 * @throws DatabaseError
 * @throws ConnectionError
 */
export async function readSources(database: Executor, roots: ReadRoots): Promise<ReadSources> {
  const search = new Search();
  let request = { relations: [] as number[], functions: [] as number[], names: [] as string[] };
  for (let step = 0; step < MAX_STEPS; step++) {
    const isFirst = step === 0;
    const [, result] = await database.run([
      SEARCH_PATH,
      {
        text: FACTS,
        params: [
          literal(request.relations.map(String)),
          literal(request.functions.map(String)),
          literal(request.names),
          isFirst ? JSON.stringify(roots.relations.map(({ schema, name }) => ({ schema, name }))) : '[]',
          isFirst ? JSON.stringify(roots.functions) : '[]',
        ],
        planKey: 'read-sources',
      },
    ]);
    search.add((result && firstJson<Found>(result)) ?? { relations: [], functions: [] });
    request = search.next();
    if (request.relations.length + request.functions.length + request.names.length === 0) return search.result;
    if (search.size > MAX_OBJECTS) break;
  }
  return { ...search.result, isComplete: false };
}

/** The objects that were found, and those that are still to be read. */
class Search {
  readonly #tables: SqlName[] = [];
  /** Objects that were requested, and those whose facts were read. */
  readonly #requested = new Set<number>();
  readonly #read = new Set<number>();
  readonly #names = new Set<string>();
  #relations = new Set<number>();
  #functions = new Set<number>();
  #words = new Set<string>();
  #isComplete = true;

  get size(): number {
    return this.#read.size + this.#names.size;
  }

  get result(): ReadSources {
    return { tables: this.#tables, isComplete: this.#isComplete };
  }

  add({ relations, functions }: Found): void {
    for (const { oid, schema, name, kind, isSystem, isTimed, ...used } of relations) {
      if (this.#read.has(oid)) continue;
      this.#read.add(oid);
      // A refresh of a materialized view and a change of a foreign table fire no trigger.
      const isTable = (kind === 'r' || kind === 'p') && !isSystem;
      if (isTable) this.#tables.push({ schema, name });
      if (isTimed || (!isTable && kind !== 'v')) this.#isComplete = false;
      // The query of a materialized view runs when it is refreshed, and not when it is read.
      if (kind !== 'm' && !isSystem) this.#follow(used);
    }
    for (const { oid, language, source, isTimed, ...used } of functions) {
      if (this.#read.has(oid)) continue;
      this.#read.add(oid);
      this.#follow(used);
      const isRead = language === 'sql' || language === 'plpgsql';
      if (isTimed || !isRead || (language === 'plpgsql' && runsDynamicSql(source))) this.#isComplete = false;
      if (isRead) this.#followWords(source);
    }
  }

  /** Returns the objects to read next. */
  next(): { relations: number[]; functions: number[]; names: string[] } {
    const unseen = (oids: Set<number>) => [...oids].filter((oid) => !this.#requested.has(oid) && !this.#read.has(oid));
    const names = [...this.#words].filter((name) => !this.#names.has(name));
    for (const name of names) this.#names.add(name);
    const next = { relations: unseen(this.#relations), functions: unseen(this.#functions), names };
    for (const oid of [...next.relations, ...next.functions]) this.#requested.add(oid);
    this.#relations = new Set();
    this.#functions = new Set();
    this.#words = new Set();
    return next;
  }

  #follow(used: { readonly relations: readonly number[]; readonly functions: readonly number[] }): void {
    for (const oid of used.relations) this.#relations.add(oid);
    for (const oid of used.functions) if (oid >= FIRST_NORMAL_OID) this.#functions.add(oid);
  }

  #followWords(source: string): void {
    for (const { kind, text } of tokens(source)) {
      if (kind === 'symbol') continue;
      // EXECUTE runs SQL in a string.
      if (kind === 'string') {
        this.#followWords(text);
        continue;
      }
      if (UNKNOWN_WORDS.has(text)) this.#isComplete = false;
      this.#words.add(text);
    }
  }
}

/** Returns a list as PostgreSQL's array literal. */
const literal = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`;
