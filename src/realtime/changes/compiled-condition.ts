import type { Identity } from '../../identity/identity.ts';
import { readCondition } from '../../sql-reader/condition.ts';
import type { Expression, Operand } from '../../sql-reader/tree.ts';
import type { PublishedColumn } from './published-tables.ts';
import type { RowImage } from './row-image.ts';

/** A condition with the three values of SQL. */
export type Condition = (image: RowImage, caller: Identity) => boolean | null;

/** Returns the text of a value; null for NULL. */
type Value = (image: RowImage, caller: Identity) => string | null;

// The reader leaves out casts that do not change its words. A cast of a column to text keeps the text, other casts are read of literals only.
const otherSyntax =
  /(?<!')::(?!text(?![\w([]))|'::(?!(text|uuid|integer|bigint|smallint)(?![\w([]))|\bCOLLATE\b|\bOPERATOR\b/i;
const integers = new Set(['int2', 'int4', 'int8']);
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Compiles a condition of policies that compares columns with constants and with the caller. Returns null for every other condition, which
 * PostgreSQL evaluates. Only types whose values are equal exactly if their texts are.
 * @param text The condition as pg_get_expr prints it.
 */
export function compileCondition(text: string, columns: readonly PublishedColumn[]): Condition | null {
  if (otherSyntax.test(text)) return null;
  return compile(readCondition(text), bytewise(columns));
}

/**
 * Returns the column that must contain the id of the caller if the condition is true; null if there is none. Use it only for a condition that
 * compiles.
 */
export function callerColumn(text: string, columns: readonly PublishedColumn[]): string | null {
  const equal = (expression: Expression): string | null => {
    if (expression.kind === 'and') return expression.items.map(equal).find((name) => name !== null) ?? null;
    if (expression.kind !== 'compare' || expression.operator !== '=') return null;
    const { left, right } = expression;
    const [column, other] = right.kind === 'user-id' ? [left, right] : [right, left];
    return other.kind === 'user-id' ? (columnOf(column, bytewise(columns))?.name ?? null) : null;
  };
  return equal(readCondition(text));
}

const bytewise = (columns: readonly PublishedColumn[]): Columns =>
  new Map(columns.filter(({ isBytewise }) => isBytewise).map((column) => [column.name, column]));

type Columns = ReadonlyMap<string, PublishedColumn>;

function compile(expression: Expression, columns: Columns): Condition | null {
  switch (expression.kind) {
    case 'constant':
      return () => expression.value;
    case 'and':
    case 'or': {
      const items = expression.items.map((item) => compile(item, columns));
      const known = items.filter((item) => item !== null);
      return known.length < items.length ? null : joined(known, expression.kind === 'or');
    }
    case 'not': {
      const item = compile(expression.item, columns);
      return item && ((image, caller) => negated(item(image, caller)));
    }
    case 'null': {
      const column = columnOf(expression.operand, columns);
      return column && ((image) => (textOf(image, column) === null) !== expression.negated);
    }
    case 'holds': {
      const column = columnOf(expression.operand, columns);
      if (column?.type !== 'bool') return null;
      return (image) => {
        const value = textOf(image, column);
        return value === null ? null : value === 'true';
      };
    }
    case 'compare':
      return expression.operator === '=' || expression.operator === '<>'
        ? comparison(expression.left, expression.right, expression.operator === '<>', columns)
        : null;
    case 'one-of': {
      const items = expression.values.map((value) => comparison(expression.operand, value, false, columns));
      const known = items.filter((item) => item !== null);
      return known.length < items.length ? null : joined(known, true);
    }
    default:
      return null;
  }
}

const negated = (value: boolean | null): boolean | null => (value === null ? null : !value);

/** Joins conditions by OR, or by AND. */
const joined =
  (items: readonly Condition[], deciding: boolean): Condition =>
  (image, caller) => {
    let isUnknown = false;
    for (const item of items) {
      const value = item(image, caller);
      if (value === deciding) return deciding;
      isUnknown ||= value === null;
    }
    return isUnknown ? null : !deciding;
  };

function comparison(left: Operand, right: Operand, isNegated: boolean, columns: Columns): Condition | null {
  const [column, other] = columnOf(left, columns) ? [columnOf(left, columns), right] : [columnOf(right, columns), left];
  const value = column && comparedValue(other, column);
  if (!column || !value) return null;
  return (image, caller) => {
    const [own, wanted] = [textOf(image, column), value(image, caller)];
    return own === null || wanted === null ? null : (own === wanted) !== isNegated;
  };
}

function columnOf(operand: Operand, columns: Columns): PublishedColumn | null {
  return operand.kind === 'field' && operand.row === undefined && operand.qualifier === null
    ? (columns.get(operand.name) ?? null)
    : null;
}

/** Returns the value that a column is compared with; null if its text can differ from an equal value of the column. */
function comparedValue(operand: Operand, { type }: PublishedColumn): Value | null {
  const isText = type === 'text' || type === 'varchar';
  if (operand.kind === 'literal') {
    const { value, quoted } = operand;
    if (integers.has(type)) return /^(0|-?[1-9]\d{0,17})$/.test(value) ? () => value : null;
    if (type === 'bool') return /^(true|false)$/.test(value) ? () => value : null;
    if (type === 'uuid') return uuid.test(value) ? () => value : null;
    return isText && quoted && !/['\\]/.test(value) ? () => value : null;
  }
  if (operand.kind === 'user-id' && (isText || type === 'uuid')) {
    return (_, { claims }) => (typeof claims.sub === 'string' ? claims.sub : null);
  }
  return null;
}

/**
 * Returns true if auth.uid() has a value for the caller. Otherwise it raises an error or depends on the form of the claim, so PostgreSQL
 * decides.
 */
export const hasPlainId = ({ claims }: Identity): boolean =>
  claims.sub === undefined || (typeof claims.sub === 'string' && uuid.test(claims.sub));

/** Returns the text of a column; null for NULL. */
export function textOf(image: RowImage, { name }: Pick<PublishedColumn, 'name'>): string | null {
  const json = image.get(name);
  if (json === undefined || json === 'null') return null;
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}
