import type { Relation, Relationship, SchemaCache, SqlName } from '../catalog/schema-cache.ts';
import { nameKey } from '../catalog/schema-cache.ts';
import type { Executor } from '../database/database.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson } from '../database/statement.ts';
import { type ErrorParts, NinefoldError } from '../errors/ninefold-error.ts';

/** Errors of the plan step whose hint or details name objects that the request itself does not name. */
const NAMING = new Set<string>(['PGRST200', 'PGRST201', 'PGRST202', 'PGRST203', 'PGRST205']);

/**
 * Returns the error as the role may see it: hint and details name only tables, columns, functions and relationships on
 * which the role has a privilege. Other errors are returned unchanged. The privileges are read only after a request has failed,
 * so successful requests have no cost.
 * @param planAgain Plans the request again with another schema cache.
 */
export async function withVisibleNames(
  error: unknown,
  context: { database: Executor; schemaCache: SchemaCache; role: string },
  planAgain: (schemaCache: SchemaCache) => unknown,
): Promise<unknown> {
  if (!(error instanceof NinefoldError) || !NAMING.has(error.code)) return error;
  const { code, message, headers, details } = error;
  try {
    planAgain(await visibleCatalog(context.database, context.schemaCache, context.role));
  } catch (again) {
    if (again instanceof NinefoldError && again.code === code) {
      const { hint } = again;
      return new NinefoldError(code, { message: again.message, details: again.details, hint, headers });
    }
  }
  const parts: ErrorParts = { headers, cause: error };
  // The message and the details of PGRST201 and PGRST203 name objects that the request does not name. So they are not
  // repeated in the error that the role sees.
  return repeatsRequest.has(code)
    ? new NinefoldError(code, { ...parts, message, details })
    : new NinefoldError(code, parts);
}

/** Errors whose message and details name only objects of the request. */
const repeatsRequest = new Set<string>(['PGRST200', 'PGRST202', 'PGRST205']);

/**
 * SQL with the objects on which a role has a privilege, and the columns of these relations on which it has none. $1 is the
 * role, $2 contains the oids of relations, $3 those of functions.
 */
const VISIBLE = `select pg_catalog.jsonb_build_object(
  'relations', coalesce((
    select pg_catalog.jsonb_agg(c.oid::bigint) from pg_catalog.pg_class c
    where c.oid = any ($2::oid[]) and pg_catalog.has_schema_privilege($1, c.relnamespace, 'usage')
      and (pg_catalog.has_table_privilege($1, c.oid, 'select, insert, update, delete')
        or pg_catalog.has_any_column_privilege($1, c.oid, 'select, insert, update'))), '[]'),
  'hidden', coalesce((
    select pg_catalog.jsonb_object_agg(r.oid, r.names) from (
      select c.oid::bigint, pg_catalog.jsonb_agg(a.attname) as names
      from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.oid = any ($2::oid[]) and not pg_catalog.has_table_privilege($1, c.oid, 'select, insert, update')
        and not pg_catalog.has_column_privilege($1, c.oid, a.attnum, 'select, insert, update')
      group by c.oid) r), '{}'),
  'functions', coalesce((
    select pg_catalog.jsonb_agg(p.oid::bigint) from pg_catalog.pg_proc p
    where p.oid = any ($3::oid[]) and pg_catalog.has_schema_privilege($1, p.pronamespace, 'usage')
      and pg_catalog.has_function_privilege($1, p.oid, 'execute')), '[]'))`;

interface Visible {
  readonly relations: readonly number[];
  /** Names of columns by the oid of their relation. */
  readonly hidden: Readonly<Record<string, readonly string[]>>;
  readonly functions: readonly number[];
}

/** Returns the schema cache with only those objects on which a role has a privilege. */
async function visibleCatalog(database: Executor, schemaCache: SchemaCache, role: string): Promise<SchemaCache> {
  const relations = [...schemaCache.relations];
  const functions = [...schemaCache.functions];
  const [result] = await database.run([
    {
      text: VISIBLE,
      params: [
        role,
        `{${relations.map(([, { oid }]) => oid).join(',')}}`,
        `{${functions.flatMap(([, overloads]) => overloads.map(({ oid }) => oid)).join(',')}}`,
      ],
      planKey: '',
    },
  ]);
  const found = result && firstJson<Visible>(result);
  const oids = { relations: new Set(found?.relations), functions: new Set(found?.functions) };
  const seenRelations = new Map(
    relations
      .filter(([, { oid }]) => oids.relations.has(oid))
      .map(([key, relation]) => [key, withoutColumns(relation, found?.hidden[relation.oid])]),
  );
  const seenFunctions = new Map(
    functions.flatMap(([key, overloads]) => {
      const seen = overloads.filter(({ oid }) => oids.functions.has(oid));
      return seen.length > 0 ? [[key, seen] as const] : [];
    }),
  );
  // A request never names junctions and functions of unexposed schemas, so these are hidden too.
  const isSeen = (name: SqlName) => seenRelations.has(nameKey(name));
  const isSeenRelationship = (relationship: Relationship) =>
    isSeen(relationship.table) &&
    isSeen(relationship.foreignTable) &&
    (relationship.kind !== 'many-to-many' || isSeen(relationship.junction)) &&
    (relationship.kind !== 'computed' || seenFunctions.has(nameKey(relationship.function))) &&
    columnsOf(relationship).every(([name, column]) => seenRelations.get(nameKey(name))?.columns.has(column) === true);
  const relationships = new Map(
    [...schemaCache.relationships].map(([key, list]) => [key, list.filter(isSeenRelationship)] as const),
  );
  return { ...schemaCache, relations: seenRelations, functions: seenFunctions, relationships };
}

/** Returns the relation without the columns of these names. */
export function withoutColumns(relation: Relation, hidden: readonly string[] | undefined): Relation {
  if (hidden === undefined) return relation;
  return { ...relation, columns: new Map([...relation.columns].filter(([name]) => !hidden.includes(name))) };
}

/** Returns the columns that a relationship joins, each with its relation. */
function columnsOf(relationship: Relationship): readonly (readonly [SqlName, string])[] {
  const { kind, table, foreignTable } = relationship;
  if (kind === 'computed') return [];
  if (kind !== 'many-to-many') {
    return relationship.columns.flatMap(([own, other]) => [[table, own] as const, [foreignTable, other] as const]);
  }
  const { junction, sourceColumns, targetColumns } = relationship;
  return [
    ...sourceColumns.flatMap(([own, joined]) => [[table, own] as const, [junction, joined] as const]),
    ...targetColumns.flatMap(([other, joined]) => [[foreignTable, other] as const, [junction, joined] as const]),
  ];
}

/**
 * Returns PostgreSQL's error about an unknown column without its hint, unless the role may read every column in the
 * hint, in every exposed table with the name before the dot.
 */
export async function withVisibleColumns(
  error: unknown,
  context: { database: Executor; schemaCache: SchemaCache; role: string },
): Promise<unknown> {
  if (!(error instanceof DatabaseError) || error.sqlstate !== '42703' || !error.fields.hint) return error;
  const named = [...error.fields.hint.matchAll(/column "([^"]+)"/g)].map(([, name = '']) => name);
  const columns = named.flatMap((name) => {
    const dot = name.lastIndexOf('.');
    const [table, column] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)];
    const oids = [...context.schemaCache.relations.values()].filter((relation) => relation.name === table);
    return oids.filter((relation) => relation.columns.has(column)).map(({ oid }) => ({ oid, column }));
  });
  const isVisible = named.length > 0 && columns.length >= named.length;
  if (isVisible && (await canRead(context, columns).catch(() => false))) return error;
  const { hint: _, ...fields } = error.fields;
  return new DatabaseError(fields, error.statement);
}

async function canRead(
  { database, role }: { database: Executor; role: string },
  columns: readonly { oid: number; column: string }[],
): Promise<boolean> {
  const [result] = await database.run([
    {
      text: `select pg_catalog.to_jsonb(pg_catalog.bool_and(pg_catalog.has_column_privilege($1, c.oid::oid, c."column", 'select, insert, update')))
        from pg_catalog.jsonb_to_recordset($2::jsonb) as c(oid bigint, "column" text)`,
      params: [role, JSON.stringify(columns)],
      planKey: '',
    },
  ]);
  return result !== undefined && firstJson<boolean>(result) === true;
}
