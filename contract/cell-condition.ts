import type { RoleCell } from './specification-roles.ts';

/**
 * Returns the condition of a cell of chapter 6 as a phrase that can follow a verb or stand alone: "when own row (by
 * owner)", "as far as rows of tickets can be seen", "for 3 of 4 fields".
 * @param words The cell's `words`. If they are empty, the phrase is "not always", and only the cell's reason explains
 * why.
 */
export function cellCondition(words: string): string {
  if (words === '') return 'not always';
  if (words.startsWith('filters on ')) return `with ${words}`;
  if (/^\d+ of \d+ fields$/.test(words)) return `for ${words}`;
  return /^(as|only|unless|with|without) /.test(words) ? words : `when ${words}`;
}

/**
 * Returns the error code of a cell with the verdict `never`, if the reason is not a missing privilege. Returns null for
 * all other cells.
 */
export const cellFailure = ({ code }: Pick<RoleCell, 'code'>): string | null =>
  code === undefined || code === '42501' ? null : code;
