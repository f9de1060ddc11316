import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { quoteLiteral } from '../database/statement.ts';
import type { GrantFact } from './entities.ts';
import { readCatalog } from './read-catalog.ts';
import type { RoutineFact } from './routines.ts';
import { codeText, functionGrants, list } from './sql-fragments.ts';

/** Functions that the setting db_pre_request can refer to. */
export interface PreRequestFacts {
  pre_requests: PreRequestFact[];
}

/**
 * A function whose name is the last part of the setting, in any schema, including PostgreSQL's own functions and those
 * of extensions.
 */
export interface PreRequestFact {
  schema: string;
  kind: RoutineFact['kind'];
  /** True if a call without arguments resolves to the function. */
  fits: boolean;
  result: string;
  volatility: RoutineFact['volatility'];
  language: string;
  /** Body of functions in SQL and PL/pgSQL; empty for other languages. */
  body: string;
  grants: GrantFact[];
}

/**
 * Reads the functions whose name is the last part of the setting; returns none if it is not set.
 * @param setting Value of db_pre_request.
 * @throws DatabaseError
 */
export async function readPreRequests(executor: Executor, setting: string | null): Promise<PreRequestFact[]> {
  const name = setting?.split('.').at(-1);
  // PostgreSQL does not accept a NUL character in a string, so no function can have this name.
  if (name === undefined || name.includes('\0')) return [];
  const { pre_requests } = await readCatalog<PreRequestFacts>(
    executor,
    { pre_requests: query(name) },
    limits.catalogLockMilliseconds.default,
  );
  return pre_requests;
}

const query = (name: string): string =>
  list(`
    select n.nspname as schema, p.prokind as kind, p.pronargs = p.pronargdefaults as fits, format_type(p.prorettype, null) as result,
      p.provolatile as volatility, l.lanname as language,
      ${codeText} as body, ${functionGrants} as grants
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    join pg_catalog.pg_language l on l.oid = p.prolang
    where p.proname = ${quoteLiteral(name)} order by n.nspname, p.oid`);
