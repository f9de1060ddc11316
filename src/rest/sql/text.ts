import type { SqlName } from '../../catalog/schema-cache.ts';
import { type Param, quoteIdentifier } from '../../database/statement.ts';
import type { TableRef } from '../plan/plan.ts';

/** Helpers for the variable parts of SQL: quoted names and placeholders. */

/** The part of a request that becomes a parameter unchanged: a query parameter (by its position) or the body. */
type ParamOrigin = number | 'body';

/** Collects the values of a statement. The SQL contains only their placeholders. */
export class Params {
  readonly values: Param[] = [];
  /** The origin of each value; undefined for values that the server chooses or converts. */
  readonly origins: (ParamOrigin | undefined)[] = [];

  /**
   * Adds a value and returns its placeholder, `$1`, `$2` … PostgreSQL infers its type from the context.
   * @param origin The part of the request from which the value comes. Set it only if the SQL is the same for every
   * value of that part, so that a cached SQL text can be used with another value.
   */
  bind(value: Param, origin?: ParamOrigin): string {
    this.values.push(value);
    this.origins.push(origin);
    return `$${this.values.length}`;
  }
}

const plainName = /^[\w ]*$/;

/** Quotes a name. Removes NUL characters, which names cannot contain and which would end the SQL early. */
export const identifier = (name: string): string =>
  plainName.test(name) ? `"${name}"` : quoteIdentifier(name.replaceAll('\0', ''));

/** Returns a quoted name with its schema. */
export const qualified = (name: SqlName): string => `${identifier(name.schema)}.${identifier(name.name)}`;

/** Returns the qualifier of a table's columns. */
export const tableText = (table: TableRef): string => ('alias' in table ? identifier(table.alias) : qualified(table));

/** Returns a qualified column. */
export const columnText = (table: TableRef, column: string): string =>
  `${tableText(table)}.${column === '*' ? '*' : identifier(column)}`;

/** Returns an array literal of strings. */
export const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;
