import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { plannerSettings } from '../database/startup-settings.ts';
import { firstJson, plain, quoteIdentifier, type Statement } from '../database/statement.ts';
import { retryOnLockTimeout } from './read-catalog.ts';
import { filterConditions, orderConditions, type ScreenColumns, type ScreenCondition } from './screen-conditions.ts';

/** Errors that PostgreSQL raises for the requests of defined screens. */
export interface RefusalFacts {
  screen_refusals: ScreenRefusal[];
}

/** An error that PostgreSQL raises for a condition of a screen. */
export interface ScreenRefusal {
  route: string;
  part: 'filter' | 'order';
  /** The condition or term as it was defined. */
  shown: string;
  /** PostgreSQL's message. */
  message: string;
}

/** A defined screen with a filter or an order. */
interface AskingScreen {
  route: string;
  schema: string;
  relation: string;
  filter: string | null;
  order_by: string | null;
  columns: ScreenColumns;
  /**
   * The role that tests the screen's conditions. Null: the role that reads the catalog tests them, if it has USAGE on
   * the schema.
   */
  role: string | null;
}

/**
 * SQL with the screens that have a filter or an order. The SQL finds the relation by its schema and name in pg_class,
 * because a lookup by regclass needs USAGE on the schema. Columns are `unread` if reading a value would run code of the
 * app: a cast from text to a domain, or the CHECK of a domain within a row, array or range.
 */
const screensQuery = `select coalesce(json_agg(row_to_json(t) order by t.route), '[]') from (
  select s.route, n.nspname as schema, c.relname as relation, s.filter, s.order_by,
    coalesce((select json_object_agg(a.attname, case
        when b.typtype = 'd' and exists (select from pg_catalog.pg_cast k
          where k.castsource = 'text'::regtype and k.casttarget = b.oid and k.castfunc <> 0) then 'unread'
        when x.typtype = 'c' or e.typtype in ('c', 'd') or u.typtype in ('c', 'd') then 'unread'
        when x.oid = 'tsvector'::regtype then 'tsvector' when b.oid = 'json'::regtype then 'json' else 'plain' end)
      from pg_catalog.pg_attribute a join pg_catalog.pg_type b on b.oid = a.atttypid
      join pg_catalog.pg_type x on x.oid = coalesce(nullif(b.typbasetype, 0), b.oid)
      left join pg_catalog.pg_type e on e.oid = x.typelem
      left join pg_catalog.pg_range g on x.oid in (g.rngtypid, g.rngmultitypid)
      left join pg_catalog.pg_type u on u.oid = g.rngsubtype
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '{}') as columns,
    (select r.rolname from pg_catalog.pg_roles r
      where not has_schema_privilege(n.oid, 'USAGE') and has_schema_privilege(r.oid, n.oid, 'USAGE') and pg_has_role(r.oid, 'MEMBER')
        and (r.rolname = any (s.roles) or r.rolname in ('anon', 'authenticated', 'service_role'))
      order by r.rolname = any (s.roles) desc nulls last, r.rolname = 'authenticated' desc limit 1) as role
  from ninefold.screens s
  join (pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace) on format('%I.%I', n.nspname, c.relname) = s.entity
  where s.filter is not null or s.order_by is not null) t`;

/**
 * Prepares each query without running it: PREPARE parses each literal as the type that it is compared with, and
 * resolves each operator. An error affects only its own block. PREPARE locks tables, so it may time out.
 */
const ask = plain(`do $ask$
declare
  was_role text := pg_catalog.current_setting('role');
  was_path text := pg_catalog.current_setting('search_path');
  refusals jsonb := '[]';
  one jsonb;
  statement text;
begin
  for one in select value from pg_catalog.jsonb_array_elements(pg_catalog.current_setting('ninefold.asked')::jsonb) loop
    statement := 'prepare ninefold_asked as ' || (one ->> 'sql');
    begin
      if one ->> 'role' is not null then perform pg_catalog.set_config('role', one ->> 'role', true); end if;
      perform pg_catalog.set_config('search_path', one ->> 'path', true);
      execute statement;
      deallocate ninefold_asked;
      perform pg_catalog.set_config('search_path', was_path, true);
      perform pg_catalog.set_config('role', was_role, true);
      refusals := refusals || 'null'::jsonb;
    exception
      when lock_not_available then raise;
      when others then refusals := refusals || pg_catalog.jsonb_build_object('code', sqlstate, 'message', sqlerrm);
    end;
  end loop;
  perform pg_catalog.set_config('ninefold.refusals', refusals::text, true);
end
$ask$`);

/**
 * Returns true for the SQLSTATE of an error that the definition of the screen causes, so that the specification shows
 * it: invalid values (class 22), operators, functions or types that do not match, and a missing text search
 * configuration.
 */
const isReported = (code: string): boolean => /^(22...|42883|42804|42725|42704|42846)$/.test(code);

/**
 * Tests the filters and orders of all defined screens with one request to PostgreSQL. Runs nothing if no screen has
 * either.
 * @param extraSearchPath Schemas in which requests look names up after the schema of the relation.
 * @throws DatabaseError; 55P03 if a relation stays locked.
 */
export async function readScreenRefusals(
  executor: Executor,
  extraSearchPath: readonly string[],
  lockMilliseconds: number,
): Promise<ScreenRefusal[]> {
  const [, found] = await executor.run([
    withSettings('pg_catalog, pg_temp', lockMilliseconds),
    { text: screensQuery, params: [], planKey: 'catalog' },
  ]);
  const screens = (found && firstJson<AskingScreen[]>(found)) ?? [];
  const conditions = screens.flatMap((screen) => [
    ...filterConditions(screen.filter ?? '', screen.columns).map((each) => ({
      ...each,
      screen,
      part: 'filter' as const,
    })),
    ...orderConditions(screen.order_by ?? '', screen.columns).map((each) => ({
      ...each,
      screen,
      part: 'order' as const,
    })),
  ]);
  // Skips conditions with a NUL character: PostgreSQL does not accept it, and the API rejects such a request before it
  // runs.
  const asked = conditions.filter(({ sql }) => !sql.includes('\0')).slice(0, limits.screenConditions.default);
  if (asked.length === 0) return [];
  const text = JSON.stringify(asked.map((one) => queryOf(one.screen, one, extraSearchPath)));
  const refused = await retryOnLockTimeout(async () => {
    const results = await executor.run([
      withSettings('pg_catalog, pg_temp', lockMilliseconds),
      { text: `select pg_catalog.set_config('ninefold.asked', $1, true)`, params: [text] },
      ask,
      plain(`select pg_catalog.current_setting('ninefold.refusals')`),
    ]);
    const last = results.at(-1);
    return (last && firstJson<({ code: string; message: string } | null)[]>(last)) ?? [];
  });
  return asked.flatMap(({ screen, part, shown }, i): ScreenRefusal[] => {
    const refusal = refused[i];
    return refusal && isReported(refusal.code) ? [{ route: screen.route, part, shown, message: refusal.message }] : [];
  });
}

const withSettings = (path: string, lockMilliseconds: number): Statement => ({
  text: `select pg_catalog.set_config('search_path', $1, true), pg_catalog.set_config('lock_timeout', $2, true), ${plannerSettings}`,
  params: [path, String(lockMilliseconds)],
});

const queryOf = ({ schema, relation, role }: AskingScreen, { sql }: ScreenCondition, extra: readonly string[]) => ({
  sql: `select from ${quoteIdentifier(schema)}.${quoteIdentifier(relation)} ${sql}`,
  role,
  path: [schema, ...extra].map(quoteIdentifier).join(', '),
});
