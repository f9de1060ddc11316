import type { RestSettings } from '../../../contract/settings.ts';
import type { Identity } from '../../identity/identity.ts';
import type { DescribePlan } from '../plan/plan.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { type Batch, beforeQuery } from './build-statements.ts';

/**
 * SQL with the objects of a schema on which the caller's role has any privilege, the columns that the role cannot use
 * in any data request, the types of parameters, and the comment on the schema, as one JSON value. As in PostgREST, the
 * name of a type has no schema if the search path of the request finds the type.
 */
const describeText = `
  SELECT json_build_object(
    'relations', (
      SELECT coalesce(json_agg(c.oid::int8), '[]') FROM pg_catalog.pg_class c
       WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (
             pg_has_role(c.relowner, 'USAGE')
          OR has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
          OR has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))),
    'hidden', (
      SELECT coalesce(json_object_agg(c.oid::int8, c.names), '{}') FROM (
        SELECT c.oid, json_agg(a.attname) AS names
          FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
           AND NOT has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE')
           AND NOT has_column_privilege(c.oid, a.attnum, 'SELECT, INSERT, UPDATE')
         GROUP BY c.oid) c),
    'functions', (
      SELECT coalesce(json_agg(p.oid::int8), '[]') FROM pg_catalog.pg_proc p
       WHERE p.pronamespace = n.oid AND has_function_privilege(p.oid, 'EXECUTE')),
    'types', (
      SELECT coalesce(json_object_agg(p.oid::int8, (
               SELECT json_agg(format_type(a.type, null) ORDER BY a.place)
                 FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY a (type, place))), '{}')
        FROM pg_catalog.pg_proc p
       WHERE p.pronamespace = n.oid AND EXISTS (
             SELECT FROM pg_catalog.pg_type y
              WHERE y.oid = ANY (p.proargtypes::oid[]) AND y.typnamespace <> 'pg_catalog'::regnamespace)),
    'comment', pg_catalog.obj_description(n.oid, 'pg_namespace'))
  FROM pg_catalog.pg_namespace n WHERE n.nspname = $1`;

/** Result of the query of `describeStatements`: object identifiers, names of columns and types, and the comment on the schema. */
export interface Described {
  readonly relations: readonly number[];
  /** The columns that the role cannot use, by the oid of their relation. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  readonly functions: readonly number[];
  /** The types of the parameters, by the oid of their function. Has only functions with a type outside `pg_catalog`. */
  readonly types: Readonly<Record<string, readonly string[]>>;
  readonly comment: string | null;
}

/** Returns the transaction that reads which objects the OpenAPI document may show. */
export function describeStatements(
  request: ApiRequest,
  plan: DescribePlan,
  identity: Identity,
  settings: RestSettings,
): Batch {
  const statements = beforeQuery(request, plan, identity, settings);
  const main = statements.length;
  statements.push({ text: describeText, params: [plan.schema], planKey: identity.role });
  return { statements, main, estimate: null, streams: false };
}
