import { decodeComponent } from './query-string.ts';

/** The value of a comparison in a query string. */
export interface ComparedValue {
  /** The decoded value. */
  readonly text: string;
  /** The text before the value, such as `not.eq.`. */
  readonly operator: string;
  /** Position of its parameter in the query; empty parameters are not counted. */
  readonly parameter: number;
}

/** A query string without the values of its comparisons. */
export interface QueryShape {
  /** The query with the values removed. */
  readonly text: string;
  /** The values in the order of the query. */
  readonly values: readonly ComparedValue[];
}

/** Matches a comparison whose value is the rest of the parameter. */
const COMPARISON = /^(?:not\.)?(?:eq|neq|gte|gt|lte|lt)\./;

/** Matches names of parameters that are not filters, whatever their value. */
const NO_FILTER = /(?:^|\.)(?:select|order|limit|offset|and|or|columns|on_conflict)$/;

/** Returns the shape of a query string; null if the query is malformed. */
export function shapeOfQuery(query: string): QueryShape | null {
  const values: ComparedValue[] = [];
  let text = '';
  let from = 0;
  let parameter = 0;
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
        text += `${query.slice(from, equals + 1 + operator.length)}\0`;
        values.push({ text: value, operator, parameter });
        from = next;
      }
    }
    if (next > at) parameter += 1;
    at = next + 1;
  }
  return { text: text + query.slice(from), values };
}

function decoded(text: string): string | null {
  try {
    const value = decodeComponent(text);
    return value.includes('\0') ? null : value;
  } catch {
    return null;
  }
}
