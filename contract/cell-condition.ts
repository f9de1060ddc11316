import type { RoleCell } from './specification-roles.ts';

/**
 * The condition of a cell of chapter 6 as it follows a verb or stands alone: "when own row (by owner)", "as far as rows of
 * public.tickets can be seen", "for 3 of 4 fields". `words` are the cell's, which may be none: its reason alone then says why.
 */
export function cellCondition(words: string): string {
  if (words === '') return 'not always';
  if (words.startsWith('filters on ')) return `with ${words}`;
  if (/^\d+ of \d+ fields$/.test(words)) return `for ${words}`;
  return /^(as|only|with|without) /.test(words) ? words : `when ${words}`;
}

/** Returns the code of the error of a cell that is never for another reason than a privilege; null for all other cells. */
export const cellFailure = ({ code }: Pick<RoleCell, 'code'>): string | null =>
  code === undefined || code === '42501' ? null : code;
