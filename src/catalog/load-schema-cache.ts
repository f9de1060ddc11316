import { createHash } from 'node:crypto';
import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { readCatalogInParts } from './read-catalog.ts';
import { relationshipsOf, sqlName, viewKeys } from './relationships.ts';
import {
  type Column,
  type MediaHandler,
  nameKey,
  type Relation,
  type Routine,
  representationKey,
  ruleKey,
  type SchemaCache,
  type SqlName,
} from './schema-cache.ts';
import {
  type CatalogFacts,
  type ColumnFact,
  catalogQueries,
  type HandlerFact,
  type RelationFact,
  type RoutineFact,
} from './schema-cache-queries.ts';

/**
 * Reads the schema cache from one snapshot, in one round trip.
 * @param schemas The exposed schemas, the default one first.
 * @param extraSearchPath Schemas that are not exposed, but whose views are followed to their tables.
 * @throws DatabaseError
 * @throws ConnectionError
 */
export async function loadSchemaCache(
  database: Executor,
  schemas: readonly string[],
  extraSearchPath: readonly string[],
): Promise<SchemaCache> {
  const facts = await readCatalogInParts<CatalogFacts>(
    database,
    catalogQueries(schemas, extraSearchPath),
    limits.schemaLockMilliseconds.default,
  );
  const started = performance.now();
  const schemaCache = makeCatalog(facts, schemas);
  return { ...schemaCache, buildMilliseconds: performance.now() - started };
}

function makeCatalog(facts: CatalogFacts, schemas: readonly string[]): Omit<SchemaCache, 'buildMilliseconds'> {
  const constraints = facts.constraints ?? [];
  const keys = viewKeys(facts.views ?? [], constraints, (schema) => schemas.includes(schema));
  const tableKeys = new Map<string, readonly string[]>();
  for (const fact of constraints) {
    if (fact[0] === 'p') tableKeys.set(nameKey(sqlName(fact[3])), [...fact[5]].sort());
  }
  const relations = makeRelations(facts.relations ?? [], facts.columns ?? [], (relation, isView) =>
    (isView ? keys.primary : tableKeys).get(nameKey(relation)),
  );
  return {
    version: createHash('sha1')
      .update(JSON.stringify([schemas, facts]))
      .digest('hex'),
    schemas,
    relations,
    relationships: relationshipsOf(relations, constraints, keys, facts.computed ?? []),
    functions: makeRoutines(facts.routines ?? []),
    representations: new Map(
      (facts.representations ?? []).map(([from, to, fn]) => [representationKey(from, to), sqlName(fn)]),
    ),
    mediaHandlers: makeHandlers(facts.handlers ?? []),
    ruleComments: new Map(
      (facts.rule_comments ?? []).map(([schema, name, rule, isNotNull, comment]) => [
        ruleKey({ schema, name }, rule, isNotNull),
        comment,
      ]),
    ),
  };
}

const none: readonly string[] = [];

function makeRelations(
  relations: readonly RelationFact[],
  columns: readonly ColumnFact[],
  primaryKeyOf: (relation: SqlName, isView: boolean) => readonly string[] | undefined,
): Map<string, Relation> {
  // Many columns share few types, so all columns with the same type get the same string object. This keeps the cache
  // small.
  const types = new Map<string, string>();
  const shared = (type: string): string => {
    const known = types.get(type);
    if (known === undefined) types.set(type, type);
    return known ?? type;
  };
  const columnsOf = new Map<number, Map<string, Column>>();
  for (const [oid, name, baseType, type, comparedAs, nullable, byDefault, maxLength, enumValues, comment] of columns) {
    const list = columnsOf.get(oid) ?? new Map<string, Column>();
    columnsOf.set(oid, list);
    list.set(name, {
      name,
      baseType: shared(baseType),
      type: shared(type),
      comparedAs,
      nullable,
      default: byDefault,
      maxLength,
      enumValues: enumValues ?? none,
      comment,
    });
  }
  return new Map(
    relations.map(([oid, schema, name, isView, insertable, updatable, deletable, comment]) => {
      const relation: Relation = {
        oid,
        schema,
        name,
        isView,
        comment,
        insertable,
        updatable,
        deletable,
        primaryKey: primaryKeyOf({ schema, name }, isView) ?? none,
        columns: columnsOf.get(oid) ?? new Map(),
      };
      return [nameKey(relation), relation];
    }),
  );
}

const volatilities = { i: 'immutable', s: 'stable', v: 'volatile' } as const;

const splitSetting = (setting: string): readonly [string, string] => {
  const equals = setting.indexOf('=');
  return [setting.slice(0, equals), setting.slice(equals + 1)];
};

function makeRoutines(facts: readonly RoutineFact[]): Map<string, Routine[]> {
  const routines = new Map<string, Routine[]>();
  for (const [oid, schema, name, comment, parameters, type, set, composite, volatility, variadic, config] of facts) {
    const settings = (config ?? []).map(splitSetting);
    const routine: Routine = {
      oid,
      schema,
      name,
      comment,
      parameters: (parameters ?? []).map(([parameter, sqlType, unboundedType, required, isVariadic]) => ({
        name: parameter,
        type: sqlType,
        unboundedType,
        required,
        variadic: isVariadic,
      })),
      returns: { set, composite, type: sqlName(type) },
      volatility: volatilities[volatility],
      variadic,
      isolation: settings.find(([key]) => key === 'default_transaction_isolation')?.[1] ?? null,
      settings,
    };
    const overloads = routines.get(nameKey(routine));
    if (overloads) overloads.push(routine);
    else routines.set(nameKey(routine), [routine]);
  }
  for (const overloads of routines.values()) if (overloads.length > 1) overloads.sort(compareOverloads);
  return routines;
}

/**
 * Compares overloads by number of parameters, then by comment and parameters. PostgREST lists ambiguous overloads in
 * this order.
 */
function compareOverloads(a: Routine, b: Routine): number {
  const text = ({ comment, parameters }: Routine): string =>
    [comment ?? '', ...parameters.flatMap(({ name, type }) => [name, type])].join('\0');
  const [first, second] = [text(a), text(b)];
  return a.parameters.length - b.parameters.length || (first < second ? -1 : first > second ? 1 : 0);
}

function makeHandlers(facts: readonly HandlerFact[]): Map<string, MediaHandler[]> {
  const handlers = new Map<string, MediaHandler[]>();
  for (const handler of facts.map(makeHandler)) {
    const key = handler.target === null ? '' : nameKey(handler.target);
    handlers.set(key, [...(handlers.get(key) ?? []), handler]);
  }
  return handlers;
}

const makeHandler = ([fn, target, mediaType]: HandlerFact): MediaHandler => ({
  function: sqlName(fn),
  target: target[0] === 'pg_catalog' && target[1] === 'anyelement' ? null : sqlName(target),
  mediaType: mediaType.toLowerCase(),
  resolvedMediaType: mediaType === '*/*' ? 'application/octet-stream' : mediaType,
});
