import { decodeComponent } from './query-string.ts';

/** A query string without the values of its filters. */
export interface QueryShape {
  /** The query with the values removed. */
  readonly text: string;
  /** The decoded values in the order of the query. */
  readonly values: readonly string[];
  /** Returns the query with other, percent-encoded values. */
  withValues(value: (index: number) => string): string;
}

/** Matches a comparison whose value is the rest of the parameter. */
const COMPARISON = /^(?:not\.)?(?:eq|neq|gte|gt|lte|lt)\./;

/** Matches names of parameters that are not filters, whatever their value. */
const NO_FILTER = /(?:^|\.)(?:select|order|limit|offset|and|or|columns|on_conflict)$/;

/** Returns the shape of a query string; null if the query is malformed. */
export function shapeOfQuery(query: string): QueryShape | null {
  const pieces: string[] = [];
  const values: string[] = [];
  let from = 0;
  for (let at = 0; at < query.length; ) {
    const end = query.indexOf('&', at);
    const next = end === -1 ? query.length : end;
    const equals = query.indexOf('=', at);
    if (equals !== -1 && equals < next) {
      const raw = query.slice(equals + 1, next);
      const operator = COMPARISON.exec(raw)?.[0];
      if (operator !== undefined && !NO_FILTER.test(query.slice(at, equals))) {
        const value = decoded(raw.slice(operator.length));
        if (value === null) return null;
        pieces.push(query.slice(from, equals + 1 + operator.length));
        values.push(value);
        from = next;
      }
    }
    at = next + 1;
  }
  pieces.push(query.slice(from));
  return {
    text: pieces.join('\0'),
    values,
    withValues: (value) => pieces.map((piece, i) => (i < values.length ? piece + value(i) : piece)).join(''),
  };
}

function decoded(text: string): string | null {
  try {
    const value = decodeComponent(text);
    return value.includes('\0') ? null : value;
  } catch {
    return null;
  }
}
