import {
  type ColumnPair,
  type ComputedRelationship,
  type JunctionRelationship,
  type KeyRelationship,
  nameKey,
  type Relation,
  type Relationship,
  type SqlName,
  sameName,
} from './schema-cache.ts';
import type { ComputedFact, ConstraintFact, ViewFact } from './schema-cache-queries.ts';
import { viewColumnOrigins } from './view-columns.ts';

/**
 * Derives relationships from foreign keys, also through views and junction tables (PostgREST docs, "Resource
 * Embedding").
 */

/** Converts a pair of a schema and a name to a SqlName. */
export const sqlName = ([schema, name]: readonly [string, string]): SqlName => ({ schema, name });

/** A key of a table as a view shows it: for each column of the key, the columns of the view that show it. */
interface ViewKey {
  readonly view: SqlName;
  readonly columns: readonly (readonly string[])[];
}

/** The keys of tables that views show with all their columns. */
export interface ViewKeys {
  /** The keys that are the referencing side of a foreign key, by the oid of the table and name of the constraint. */
  readonly foreign: ReadonlyMap<string, readonly ViewKey[]>;
  /**
   * The keys that are the referenced side of a foreign key, by the oid of the referencing table and name of the
   * constraint.
   */
  readonly referenced: ReadonlyMap<string, readonly ViewKey[]>;
  /** Primary key columns by `nameKey` of the view. */
  readonly primary: ReadonlyMap<string, readonly string[]>;
}

const constraintKey = (fact: ConstraintFact): string => `${fact[2]} ${fact[1]}`;

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/**
 * Traces every column of the exposed views to columns of tables, and finds the keys of which a view shows all columns.
 */
export function viewKeys(
  views: readonly ViewFact[],
  constraints: readonly ConstraintFact[],
  isExposed: (schema: string) => boolean,
): ViewKeys {
  const foreign = new Map<string, ViewKey[]>();
  const referenced = new Map<string, ViewKey[]>();
  const primary = new Map<string, string[]>();
  const origins = new Map(views.map((view) => [view[0], viewColumnOrigins(view[4])]));
  const byTable = new Map<string, ConstraintFact[]>();
  const byForeignTable = new Map<string, ConstraintFact[]>();
  for (const fact of constraints) {
    if (fact[0] === 'u') continue;
    push(byTable, String(fact[2]), fact);
    if (fact[6] !== null) push(byForeignTable, String(fact[6]), fact);
  }

  for (const [oid, schema, name, columnNames] of views) {
    if (!isExposed(schema)) continue;
    const view = { schema, name };
    const shown = new Map<string, Map<number, string[]>>();
    const note = (table: number, column: number, viewColumn: string): void => {
      const key = String(table);
      const columns = shown.get(key) ?? new Map<number, string[]>();
      shown.set(key, columns);
      const list = columns.get(column) ?? [];
      columns.set(column, list);
      if (!list.includes(viewColumn)) list.push(viewColumn);
    };
    for (const origin of origins.get(oid) ?? []) {
      const viewColumn = columnNames[String(origin.column)];
      if (viewColumn === undefined) continue;
      follow(origins, origin.table, origin.tableColumn, [oid], (table, column) => note(table, column, viewColumn));
    }
    for (const [table, columns] of shown) {
      const find = (numbers: readonly number[] | null): ViewKey | null => {
        const list = (numbers ?? []).map((number) => columns.get(number) ?? []);
        return list.every((names) => names.length > 0) ? { view, columns: list } : null;
      };
      for (const fact of byTable.get(table) ?? []) {
        const key = find(fact[4]);
        if (!key) continue;
        if (fact[0] === 'f') push(foreign, constraintKey(fact), key);
        else for (const names of key.columns) push(primary, nameKey(view), names[0] as string);
      }
      for (const fact of byForeignTable.get(table) ?? []) {
        const key = find(fact[8]);
        if (key) push(referenced, constraintKey(fact), key);
      }
    }
  }
  return { foreign, referenced, primary };
}

/**
 * Calls `found` for each relation from which a column of a view comes, through nested views.
 * @param path The views on the way to this one. A view in this list is not followed again, so that cycles end.
 */
function follow(
  origins: ReadonlyMap<number, ReturnType<typeof viewColumnOrigins>>,
  table: number,
  column: number,
  path: readonly number[],
  found: (table: number, column: number) => void,
): void {
  found(table, column);
  if (path.includes(table)) return;
  for (const origin of origins.get(table) ?? []) {
    if (origin.column === column) follow(origins, origin.table, origin.tableColumn, [...path, table], found);
  }
}

/** Returns the Cartesian product of the lists. */
function combinations(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (chosen, list) => chosen.flatMap((start) => list.map((name) => [...start, name])),
    [[]],
  );
}

const zip = (a: readonly string[], b: readonly string[]): ColumnPair[] => a.map((name, i) => [name, b[i] as string]);
const swap = (pairs: readonly ColumnPair[]): ColumnPair[] => pairs.map(([a, b]) => [b, a]);

const sameSet = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((number) => b.includes(number));

/**
 * Returns foreign keys as relationships between tables, and between the views over them: many-to-one, or one-to-one if
 * the columns are unique.
 */
function foreignKeyRelationships(constraints: readonly ConstraintFact[], keys: ViewKeys): KeyRelationship[] {
  const uniques = new Map<number, number[][]>();
  for (const fact of constraints) {
    if (fact[0] === 'f') continue;
    const list = uniques.get(fact[2]) ?? [];
    list.push(fact[4]);
    uniques.set(fact[2], list);
  }
  const own: KeyRelationship[] = [];
  const throughViews: KeyRelationship[] = [];
  for (const fact of constraints) {
    const [type, constraint, oid, tableName, numbers, columns, foreignOid, foreignName, , foreignColumns, isOwn] = fact;
    if (type !== 'f' || !foreignName || !foreignColumns || !isOwn) continue;
    const table = sqlName(tableName);
    const foreignTable = sqlName(foreignName);
    const kind = uniques.get(oid)?.some((unique) => sameSet(unique, numbers)) ? 'one-to-one' : 'many-to-one';
    const add = (list: KeyRelationship[], from: ViewKey | null, to: ViewKey | null): void => {
      for (const here of from ? combinations(from.columns) : [columns]) {
        for (const there of to ? combinations(to.columns) : [foreignColumns]) {
          const start = from?.view ?? table;
          const end = to?.view ?? foreignTable;
          list.push({
            kind,
            table: start,
            foreignTable: end,
            isSelf: from || to ? from !== null && to !== null && sameName(start, end) : oid === foreignOid,
            constraint,
            columns: zip(here, there),
            tableIsView: from !== null,
            foreignTableIsView: to !== null,
            isParent: false,
          });
        }
      }
    };
    const from = keys.foreign.get(constraintKey(fact)) ?? [];
    const to = keys.referenced.get(constraintKey(fact)) ?? [];
    add(own, null, null);
    for (const view of from) add(throughViews, view, null);
    for (const view of to) add(throughViews, null, view);
    for (const view of from) for (const other of to) add(throughViews, view, other);
  }
  return [...own, ...throughViews];
}

/** Returns many-to-many relationships: two foreign keys of a relation whose columns all belong to its primary key. */
function junctionRelationships(
  relations: ReadonlyMap<string, Relation>,
  keys: readonly KeyRelationship[],
): JunctionRelationship[] {
  const byTable = new Map<string, KeyRelationship[]>();
  for (const key of keys) {
    if (key.kind === 'many-to-one' && relations.has(nameKey(key.table))) push(byTable, nameKey(key.table), key);
  }
  const found: JunctionRelationship[] = [];
  for (const [junctionKey, list] of byTable) {
    const primaryKey = relations.get(junctionKey)?.primaryKey ?? [];
    const inKey = list.filter((key) => key.columns.every(([column]) => primaryKey.includes(column)));
    for (const source of inKey) {
      for (const target of inKey) {
        if (source.constraint === target.constraint) continue;
        found.push({
          kind: 'many-to-many',
          table: source.foreignTable,
          foreignTable: target.foreignTable,
          isSelf: sameName(source.foreignTable, target.foreignTable),
          junction: source.table,
          constraints: [source.constraint, target.constraint],
          sourceColumns: swap(source.columns),
          targetColumns: swap(target.columns),
          tableIsView: source.foreignTableIsView,
          foreignTableIsView: target.foreignTableIsView,
        });
      }
    }
  }
  return found;
}

const inverse = (key: KeyRelationship): KeyRelationship => ({
  kind: key.kind === 'one-to-one' ? 'one-to-one' : 'one-to-many',
  table: key.foreignTable,
  foreignTable: key.table,
  isSelf: key.isSelf,
  constraint: key.constraint,
  columns: swap(key.columns),
  tableIsView: key.foreignTableIsView,
  foreignTableIsView: key.tableIsView,
  isParent: key.kind === 'one-to-one',
});

/**
 * Returns all relationships between exposed relations, by `nameKey` of the relation at which they start. A computed
 * relationship replaces a relationship of a foreign key if the name of its function is the name of the relation to
 * which the foreign key leads.
 */
export function relationshipsOf(
  relations: ReadonlyMap<string, Relation>,
  constraints: readonly ConstraintFact[],
  keys: ViewKeys,
  computed: readonly ComputedFact[],
): Map<string, Relationship[]> {
  const foreignKeys = foreignKeyRelationships(constraints, keys);
  const all: Relationship[] = [
    ...foreignKeys,
    ...junctionRelationships(relations, foreignKeys),
    ...foreignKeys.map(inverse),
  ];
  const functions = computed.map(
    ([fn, table, foreignTable, toOne]): ComputedRelationship => ({
      kind: 'computed',
      function: sqlName(fn),
      table: sqlName(table),
      foreignTable: sqlName(foreignTable),
      isSelf: table[0] === foreignTable[0] && table[1] === foreignTable[1],
      toOne,
    }),
  );
  const replaced = new Set(functions.map((fn) => `${nameKey(fn.table)} ${nameKey(fn.function)}`));
  const byTable = new Map<string, Relationship[]>();
  const exposed = (name: SqlName): boolean => relations.has(nameKey(name));
  for (const relationship of all) {
    if (!exposed(relationship.table) || !exposed(relationship.foreignTable)) continue;
    if (replaced.has(`${nameKey(relationship.table)} ${nameKey(relationship.foreignTable)}`)) continue;
    push(byTable, nameKey(relationship.table), relationship);
  }
  for (const fn of functions) {
    if (exposed(fn.table) && exposed(fn.foreignTable)) push(byTable, nameKey(fn.table), fn);
  }
  for (const list of byTable.values()) list.sort(compare);
  return byTable;
}

const order = ['one-to-many', 'many-to-one', 'one-to-one', 'many-to-many', 'computed'] as const;

/**
 * Compares relationships by relation, kind and constraint. PostgREST lists the candidates of an ambiguous request in
 * this order.
 */
function compare(a: Relationship, b: Relationship): number {
  return (
    compareText(a.foreignTable.schema, b.foreignTable.schema) ||
    compareText(a.foreignTable.name, b.foreignTable.name) ||
    order.indexOf(a.kind) - order.indexOf(b.kind) ||
    compareText(sortText(a), sortText(b))
  );
}

function sortText(relationship: Relationship): string {
  switch (relationship.kind) {
    case 'computed':
      return relationship.function.name;
    case 'many-to-many':
      return [relationship.junction.schema, relationship.junction.name, ...relationship.constraints].join('\0');
    default:
      return [relationship.constraint, ...relationship.columns.flat()].join('\0');
  }
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
