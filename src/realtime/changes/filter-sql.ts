import { quoteIdentifier } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type FilterCondition, operatorSql, readFilter } from './change-filter.ts';
import type { PublishedColumn, PublishedTable } from './published-tables.ts';
import type { RowImage } from './row-image.ts';

/** A filter of one table. */
export interface TableFilter {
  /** SQL with the values as parameters from $2 on. */
  readonly condition: string;
  readonly values: readonly string[];
  /** Schemas that contain the operators of the columns. */
  readonly searchPath: string;
  /** Evaluates the filter without PostgreSQL; null if PostgreSQL might decide in another way. */
  readonly test: ((image: RowImage) => boolean) | null;
}

/**
 * Reads the filter of a table, and joins it with the condition of the publication. Returns null if every row passes.
 * @param columns The columns that the caller may select. A filter on another column would reveal its values.
 * @throws NinefoldError RealtimeDisabledForConfiguration
 */
export function tableFilter(
  table: PublishedTable,
  columns: readonly string[],
  text: string | null,
): TableFilter | null {
  const conditions = readFilter(text ?? '');
  if (conditions.length === 0 && table.condition === null) return null;
  const values: string[] = [];
  const schemas = new Set(['pg_catalog']);
  const tests: (((image: RowImage) => boolean) | null)[] = [];
  const parts = conditions.map((condition) => {
    const column = table.columns.find(({ name }) => name === condition.column);
    if (!column?.isPublished || !columns.includes(condition.column)) {
      throw new NinefoldError('RealtimeDisabledForConfiguration', {
        message: `invalid column for filter ${condition.column}`,
      });
    }
    schemas.add(column.typeSchema);
    tests.push(testOf(column, condition));
    return conditionSql(column, condition, values);
  });
  if (table.condition !== null) parts.push(`(${table.condition})`);
  const test =
    table.condition !== null || tests.includes(null) ? null : (image: RowImage) => tests.every((each) => each?.(image));
  return { condition: parts.join(' and '), values, searchPath: [...schemas].map(quoteIdentifier).join(', '), test };
}

const patterns = new Set(['like', 'ilike', 'match', 'imatch']);

function conditionSql(
  column: PublishedColumn,
  { operator, isNegated, values: given }: FilterCondition,
  values: string[],
): string {
  const name = quoteIdentifier(column.name);
  const next = (value: string): string => {
    values.push(value);
    // A parameter without a cast would get its type from the operator, and the text of a pattern is no value of the column's type.
    return `$${values.length + 1}${patterns.has(operator) ? '::pg_catalog.text' : `::${column.sqlType}`}`;
  };
  const [first = ''] = given;
  const sql =
    operator === 'is'
      ? `${name} is ${first}`
      : operator === 'in'
        ? `${name} in (${given.map(next).join(', ')})`
        : `${patterns.has(operator) ? `${name}::pg_catalog.text` : name} ${operatorSql(operator)} ${next(first)}`;
  return isNegated ? `not (${sql})` : `(${sql})`;
}

const integers = ['int2', 'int4', 'int8'];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the JSON of a value of a column; null if the text is no canonical form of the value. */
function canonicalJson({ type }: PublishedColumn, value: string): string | null {
  if (integers.includes(type)) return /^(0|-?[1-9]\d{0,17})$/.test(value) ? value : null;
  if (type === 'bool') return value === 'true' || value === 'false' ? value : null;
  if (type === 'uuid') return uuid.test(value) ? `"${value}"` : null;
  return value.includes('\0') ? null : value;
}

/** Returns a function that evaluates a condition on equality as PostgreSQL does; null for other conditions. */
function testOf(
  column: PublishedColumn,
  { operator, isNegated, values }: FilterCondition,
): ((image: RowImage) => boolean) | null {
  if (!column.isBytewise || isNegated || (operator !== 'eq' && operator !== 'in')) return null;
  // A modifier such as varchar(3) changes the value.
  if (column.sqlType.includes('(')) return null;
  const wanted = values.map((value) => canonicalJson(column, value));
  if (wanted.includes(null)) return null;
  const set = new Set(wanted);
  const isText = column.type === 'text' || column.type === 'varchar';
  return (image) => {
    const json = image.get(column.name);
    if (json === undefined || json === 'null') return false;
    return set.has(isText ? (JSON.parse(json) as string) : json);
  };
}
