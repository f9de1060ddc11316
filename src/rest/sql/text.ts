import type { SqlName } from '../../catalog/catalog.ts';
import { type Param, quoteIdentifier } from '../../database/statement.ts';
import type { TableRef } from '../plan/plan.ts';

/** The two things that SQL text is made of besides fixed words: quoted names and placeholders. */

/** Values on their way into a statement; each stands in the text as the placeholder that `bind` gives. */
export class Params {
  readonly values: Param[] = [];

  /** `$1`, `$2` …; its type is what PostgreSQL infers from where it stands. */
  bind(value: Param): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

const plainName = /^[\w ]*$/;

/** A name, quoted. A NUL, which no name can hold and which would end the text early, is taken out. */
export const identifier = (name: string): string =>
  plainName.test(name) ? `"${name}"` : quoteIdentifier(name.replaceAll('\0', ''));

export const qualified = (name: SqlName): string => `${identifier(name.schema)}.${identifier(name.name)}`;

export const tableText = (table: TableRef): string => ('alias' in table ? identifier(table.alias) : qualified(table));

export const columnText = (table: TableRef, column: string): string =>
  `${tableText(table)}.${column === '*' ? '*' : identifier(column)}`;

/** An array literal of texts. */
export const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(',')}}`;
