import type {
  JoinCondition,
  Placement,
  PlannedOrder,
  PlannedSelect,
  ReadNode,
  SpreadColumn,
  TableRef,
} from '../plan/plan.ts';
import type { RowRange } from '../request/api-request.ts';
import { isAllRows, limitOf } from '../request/row-range.ts';
import { conditionText, fieldText } from './condition.ts';
import { columnText, identifier, type Params, qualified } from './text.ts';

/** Name, within the statement, of the rows that a write or a function call returns. */
export const SOURCE = 'pgrst_source';

const tableOf = (node: ReadNode): TableRef => (node.alias === null ? node.relation : { alias: node.alias });

const aliased = (text: string, alias: string | null): string =>
  alias === null ? text : `${text} AS ${identifier(alias)}`;

function aggregated(text: string, item: Pick<PlannedSelect, 'aggregate' | 'aggregateCast'>): string {
  if (item.aggregate === null) return text;
  return casted(`${item.aggregate}(${text})`, item.aggregateCast);
}

const casted = (text: string, type: string | null): string =>
  type === null ? text : `CAST(${text} AS ${castType(type)})`;

function selectText(table: TableRef, item: PlannedSelect, params: Params): string {
  const field = fieldText(table, item.field, params);
  const presented = item.field.transform ? `${qualified(item.field.transform)}(${field})` : field;
  return aliased(aggregated(casted(presented, item.cast), item), item.alias);
}

/** Returns the query of a relation with everything embedded in it. */
export function readText(node: ReadNode, params: Params): string {
  const table = tableOf(node);
  const grouped = isGrouped(node);
  const { placement } = node.embedding ?? {};
  const columns = node.select.map((item) => selectText(table, item, params));
  if (columns.length === 0 && node.children.length === 0) columns.push(columnText(table, '*'));
  for (const column of node.orderColumns) columns.push(selectText(table, column, params));
  if (placement?.kind === 'spread-arrays') {
    for (const { relation, select } of placement.orderSelects) {
      columns.push(selectText(relation === null ? table : { alias: relation }, select, params));
    }
  }
  for (const child of node.children) columns.push(...placedColumns(child));
  let text = `SELECT ${columns.join(', ')}${fromText(node)}`;
  for (const child of node.children) text += joinText(child, params);
  text += whereText(node, table, params);
  if (grouped) text += groupText(node, table, params);
  text += orderText(table, node.order, params);
  return text + rangeText(node.range, params);
}

/** Returns true if the query has aggregates, so that its rows are groups of rows. */
export const isGrouped = (node: ReadNode): boolean =>
  node.select.some((item) => item.aggregate !== null) ||
  node.children.some((child) => {
    const placement = child.embedding?.placement;
    return placement?.kind === 'spread' && placement.columns.some((column) => column.aggregate !== null);
  });

/**
 * Returns the columns that show an embedded relation in its parent. Each is of type jsonb, so that it can be grouped
 * and compared.
 */
function placedColumns(child: ReadNode): string[] {
  const { alias, placement } = child.embedding ?? {};
  if (alias === undefined || !placement) return [];
  switch (placement.kind) {
    case 'hidden':
      return [];
    case 'spread':
    case 'spread-arrays':
      return placement.columns.map((column) => spreadText(alias, column, placement));
    case 'object':
      return [`${objectText(alias, child)} AS ${identifier(placement.name)}`];
    case 'array':
      return [`COALESCE(${columnText({ alias }, alias)}, '[]') AS ${identifier(placement.name)}`];
  }
}

/** Returns the row of a to-one relation without columns that were selected only for ordering. */
function objectText(alias: string, { orderColumns }: ReadNode): string {
  const row = `row_to_json(${identifier(alias)}.*)::jsonb`;
  const hidden = orderColumns.map((column) => column.alias).join(',');
  return hidden === '' ? row : `(${row} - '{${hidden}}'::text[])`;
}

function spreadText(alias: string, column: SpreadColumn, placement: Placement): string {
  if (placement.kind === 'spread-arrays') return columnText({ alias }, column.alias ?? column.name);
  return aliased(aggregated(columnText({ alias }, column.name), column), column.alias);
}

/**
 * Returns the GROUP BY clause with all columns that are not aggregates: by position if the column has another name,
 * otherwise by name.
 */
function groupText(node: ReadNode, table: TableRef, params: Params): string {
  const terms: string[] = [];
  let position = 0;
  const add = (aggregate: unknown, term?: string): void => {
    position += 1;
    if (aggregate === null) terms.push(term ?? String(position));
  };
  for (const { aggregate, alias, field } of node.select) {
    const isPlain = aggregate === null && field.path.length === 0 && (alias ?? field.name) === field.name;
    add(aggregate, isPlain ? fieldText(table, field, params) : undefined);
  }
  for (const child of node.children) {
    const placement = child.embedding?.placement;
    if (placement?.kind === 'spread' || placement?.kind === 'spread-arrays') {
      for (const column of placement.columns) add(column.aggregate);
    } else if (placement && placement.kind !== 'hidden') {
      add(null);
    }
  }
  return terms.length ? ` GROUP BY ${terms.join(', ')}` : '';
}

function fromText(node: ReadNode): string {
  const argument = node.embedding?.argument;
  const alias = node.alias === null ? '' : ` AS ${identifier(node.alias)}`;
  if (argument) {
    const row = `${identifier(argument.row)}::${qualified(argument.function.table)}`;
    return ` FROM ${qualified(argument.function.function)}(${row})${alias}`;
  }
  const source = node.source === 'result' ? SOURCE : qualified(node.relation);
  const relationship = node.embedding?.relationship;
  const junction = relationship?.kind === 'many-to-many' ? `, ${qualified(relationship.junction)}` : '';
  return ` FROM ${source}${alias}${junction}`;
}

const joinConditionText = ({ left, right }: JoinCondition): string =>
  `${columnText(left.table, left.column)} = ${columnText(right.table, right.column)}`;

function whereText(node: ReadNode, table: TableRef, params: Params): string {
  const conditions = node.where.map((condition) => conditionText(table, condition, params, null));
  for (const condition of node.embedding?.conditions ?? []) conditions.push(joinConditionText(condition));
  return conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
}

/** Returns the lateral subquery with an embedded relation's rows for one row of its parent. */
function joinText(child: ReadNode, params: Params): string {
  const { embedding } = child;
  if (!embedding) return '';
  const alias = identifier(embedding.alias);
  const rows = readText(child, params);
  const inner = embedding.join === 'inner';
  const join = inner ? ' INNER JOIN LATERAL' : ' LEFT JOIN LATERAL';
  const { placement, relationship } = embedding;
  const toOne = placement.kind === 'object' || placement.kind === 'spread';
  const hiddenToOne = placement.kind === 'hidden' && isAtMostOne(relationship);
  if (toOne || hiddenToOne) return `${join} (${rows}) AS ${alias} ON TRUE`;
  const columns = [`json_agg(${alias})::jsonb AS ${alias}`];
  if (placement.kind === 'spread-arrays') {
    const order = orderText({ alias: embedding.alias }, placement.order, params);
    for (const column of placement.columns) {
      const value = columnText({ alias: embedding.alias }, column.name);
      columns.push(`COALESCE(json_agg(${value}${order}), '[]')::jsonb AS ${identifier(column.alias ?? column.name)}`);
    }
  }
  const condition = inner ? `${alias} IS NOT NULL` : 'TRUE';
  return `${join} (SELECT ${columns.join(', ')} FROM (${rows}) AS ${alias}) AS ${alias} ON ${condition}`;
}

const isAtMostOne = (relationship: NonNullable<ReadNode['embedding']>['relationship']): boolean =>
  relationship.kind === 'many-to-one' ||
  relationship.kind === 'one-to-one' ||
  (relationship.kind === 'computed' && relationship.toOne);

function orderText(table: TableRef, order: readonly PlannedOrder[], params: Params): string {
  if (order.length === 0) return '';
  const terms = order.map(({ field, relation, direction, nulls }) => {
    const text = fieldText(relation === null ? table : { alias: relation }, field, params);
    const way = direction === null ? '' : direction === 'asc' ? ' ASC' : ' DESC';
    return text + way + (nulls === null ? '' : nulls === 'first' ? ' NULLS FIRST' : ' NULLS LAST');
  });
  return ` ORDER BY ${terms.join(', ')}`;
}

function rangeText(range: RowRange, params: Params): string {
  if (isAllRows(range)) return '';
  const limit = limitOf(range);
  const limitText = limit === null ? '' : ` LIMIT ${params.bind(String(limit))}`;
  return range.lower === 0n ? limitText : `${limitText} OFFSET ${params.bind(String(range.lower))}`;
}

/**
 * Returns a query with one row for each row that matches the filters, regardless of limits. Of the embedded relations,
 * only those with an inner join matter, because they filter the rows.
 * @param columns Selected columns; by default a constant, for counting.
 */
export function countText(node: ReadNode, params: Params, columns = '1'): string {
  const table = tableOf(node);
  const conditions = node.where.map((condition) =>
    conditionText(table, condition, params, (child) => countText(child, params)),
  );
  for (const condition of node.embedding?.conditions ?? []) conditions.push(joinConditionText(condition));
  for (const child of node.children) {
    if (child.embedding?.join === 'inner') conditions.push(`EXISTS (${countText(child, params)})`);
  }
  const where = conditions.length ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${columns}${fromText(node)}${where}`;
}

/**
 * Types whose usual spelling is SQL grammar rather than a name in pg_type, so that they do not work in quotes
 * (PostgreSQL manual, table "Data Types").
 */
const grammarTypes: Readonly<Record<string, string>> = {
  bigint: 'int8',
  bit: 'bit',
  'bit varying': 'varbit',
  boolean: 'bool',
  char: 'character',
  character: 'character',
  'character varying': 'varchar',
  dec: 'numeric',
  decimal: 'numeric',
  'double precision': 'float8',
  float: 'float8',
  int: 'int4',
  integer: 'int4',
  nchar: 'character',
  'national character': 'character',
  'national character varying': 'varchar',
  real: 'float4',
  smallint: 'int2',
  'time with time zone': 'timetz',
  'time without time zone': 'time',
  'timestamp with time zone': 'timestamptz',
  'timestamp without time zone': 'timestamp',
};

/** Returns the type of `::name` in `select` as SQL text: a fixed word, or the name in lower case and quoted. */
function castType(name: string): string {
  const folded = name.toLowerCase().replace(/ +/g, ' ').trim();
  return Object.hasOwn(grammarTypes, folded) ? (grammarTypes[folded] as string) : identifier(folded);
}
