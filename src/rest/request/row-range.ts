import type { RowRange } from './api-request.ts';

/** Ranges of rows: `limit`, `offset` and the Range header (PostgREST docs, "Pagination and Count"). */

/** The range of all rows. */
export const allRows: RowRange = { lower: 0n, upper: null };

/** Returns true if the range includes all rows. */
export const isAllRows = (range: RowRange): boolean => range.lower === 0n && range.upper === null;

/** Returns true if the range includes no row. */
export const isEmpty = (range: RowRange): boolean => range.upper !== null && range.upper < range.lower;

/** Returns the number of rows of a range; null for all. */
export const limitOf = (range: RowRange): bigint | null =>
  range.upper === null ? null : range.upper - range.lower + 1n;

/** Returns at most `limit` rows from the start of the range. */
export function restrict(range: RowRange, limit: bigint): RowRange {
  const upper = range.lower + limit - 1n;
  return range.upper !== null && range.upper <= upper ? range : { lower: range.lower, upper };
}

/** Returns the rows that both ranges include. */
export function intersect(a: RowRange, b: RowRange): RowRange {
  const lower = a.lower > b.lower ? a.lower : b.lower;
  if (a.upper === null) return { lower, upper: b.upper };
  if (b.upper === null) return { lower, upper: a.upper };
  return { lower, upper: a.upper < b.upper ? a.upper : b.upper };
}

const wholeNumber = /^\s*(-?\d{1,40})\s*$/;

/** Parses the value of `limit` or `offset`. Returns null if it is no whole number; the parameter is then ignored. */
function parseCount(text: string): bigint | null {
  const match = wholeNumber.exec(text);
  return match ? BigInt(match[1] as string) : null;
}

/** Returns the range of `limit` and `offset` together. */
export function rangeOf(limit: string | null, offset: string | null): RowRange {
  const lower = offset === null ? 0n : (parseCount(offset) ?? 0n);
  const count = limit === null ? null : parseCount(limit);
  return { lower, upper: count === null ? null : lower + count - 1n };
}

const headerForm = /^(\d{1,40})-(\d{0,40})$/;

/** Parses a Range header in units of rows, `0-9` or `10-`. Returns all rows if it is missing or has another form. */
export function parseRangeHeader(header: string | undefined): RowRange {
  const match = header === undefined ? null : headerForm.exec(header);
  if (!match) return allRows;
  return { lower: BigInt(match[1] as string), upper: match[2] ? BigInt(match[2]) : null };
}
