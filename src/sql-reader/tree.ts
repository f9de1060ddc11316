/** Typed trees of conditions, values and queries, as `readCondition` and `readQuery` make them. */

/**
 * A condition. A part that the reader does not understand is `opaque`: it may be true, false or null, and is shown as SQL. So a part that
 * is not understood makes the words longer, never wrong.
 */
export type Expression =
  | { kind: 'constant'; value: boolean | null }
  | { kind: 'and' | 'or'; items: Expression[] }
  | { kind: 'not'; item: Expression }
  /** `ofTimes`: both sides are known to be times, so that more means later. */
  | { kind: 'compare'; operator: Comparison; left: Operand; right: Operand; text: string; ofTimes?: true }
  /** `0 < ALL (counts)`, seen from the elements. */
  | { kind: 'elements'; each: boolean; operator: Comparison; list: Operand; value: Operand; text: string }
  /** `(a IS NULL) = (b IS NULL)`; negated: `<>`. */
  | { kind: 'alike'; left: Expression; right: Expression; negated: boolean; text: string }
  /** `CASE WHEN … THEN … ELSE … END`; without ELSE it is null. */
  | { kind: 'case'; branches: { when: Expression; gives: Expression }[]; otherwise: Expression; text: string }
  | { kind: 'one-of'; operand: Operand; values: Operand[]; text: string }
  | { kind: 'null'; operand: Operand; negated: boolean; text: string }
  /** Relations of lists, ranges and JSON. */
  | { kind: 'relates'; operator: Relating; left: Operand; right: Operand; text: string }
  /** `x IS DISTINCT FROM y`, negated or not: never null. */
  | { kind: 'distinct'; left: Operand; right: Operand; negated: boolean; text: string }
  /** `x IS NOT TRUE` and the like: never null. */
  | { kind: 'is'; item: Expression; value: boolean | null; negated: boolean; text: string }
  | { kind: 'exists'; query: Subquery; text: string }
  | { kind: 'in'; operand: Operand; query: Subquery; text: string }
  /** `x IN (SELECT f())`: one of the values that a function returns. */
  | { kind: 'returned'; operand: Operand; call: Call; text: string }
  | { kind: 'holds'; operand: Operand; text: string }
  /** A condition with words of its own: by the comment on its policy, or by its place. */
  | { kind: 'named'; item: Expression; words: string }
  | { kind: 'opaque'; text: string };

export type Comparison = (typeof comparisons)[number];

export type Relating = (typeof relating)[number];

export const relating = ['@>', '<@', '&&', '?', '?&', '?|', '-|-', '%'] as const;

export const comparisons = [
  '=',
  '<>',
  '<',
  '>',
  '<=',
  '>=',
  '~',
  '!~',
  '~*',
  '!~*',
  '~~',
  '!~~',
  '~~*',
  '!~~*',
] as const;

/** A query of the form `SELECT … FROM … [WHERE …]`. */
export interface Subquery {
  /** Qualified names of the relations that it reads directly: [schema, name]. */
  from: [string, string][];
  /** The items of FROM where all of them are understood and joined by inner joins; else null. */
  sources: Source[] | null;
  /** The conditions of its joins. */
  on: Expression[];
  /** All relations are joined by inner joins, and a false `where` leaves no row. */
  plain: boolean;
  /** FROM with everything up to WHERE, as SQL. */
  source: string;
  where: Expression;
  /** The one value that it selects; null where it selects several or none. */
  value: Operand | null;
  /** The SQL after the condition. */
  rest: string;
}

/** An item of FROM: a relation or the call of a function, with the name that the query has for it. */
export type Source =
  | { kind: 'relation'; schema: string; name: string; alias: string }
  | { kind: 'function'; call: Call; alias: string };

/** A value in a condition. `user-id`, `user-role` and `user-email` are the caller's, from auth.uid() and the like. */
export type Operand =
  | { kind: 'user-id' | 'user-role' | 'user-email' }
  /** `row`: the words around it say of which row it is a field, as "a row in members whose team …". */
  | { kind: 'field'; name: string; qualifier: string | null; row?: 'described' | 'own' }
  /**
   * `plain`: a text that is equal to another exactly when both are spelled alike. `type`: the type of its cast, as PostgreSQL prints it.
   */
  | { kind: 'literal'; value: string; quoted: boolean; plain: boolean; type?: string }
  | Call
  | { kind: 'null' }
  /** A claim of the caller's token beside the known ones: `auth.jwt() -> 'app_metadata' ->> 'team'`. */
  | { kind: 'claim'; path: string[] }
  /** A part of a JSON field: `meta ->> 'size'`. */
  | { kind: 'part'; path: string[]; of: Operand }
  /** A field of a composite value: `(address).country`. */
  | { kind: 'attribute'; name: string; of: Operand }
  /** An element of an array: `tags[1]`. */
  | { kind: 'element'; at: number; of: Operand }
  | { kind: 'list'; values: Operand[] }
  /** The time of the call or its day, or a time before or after it: `now() - '1 day'::interval`. */
  | { kind: 'moment'; away: string; side: 'before' | 'after' | null; isDay: boolean }
  /**
   * `isExact`: it is known not to divide integers. `isWhole`: it is known to divide integers, of which PostgreSQL returns the quotient
   * without its fraction.
   */
  | { kind: 'formula'; sign: Sign; left: Operand; right: Operand; text: string; isExact?: true; isWhole?: true }
  /** `a || b`. */
  | { kind: 'joined'; parts: Operand[]; text: string }
  /** `CASE WHEN … THEN value ELSE value END`; `otherwise` is null where there is no ELSE. */
  | { kind: 'choice'; branches: { when: Expression; gives: Operand }[]; otherwise: Operand | null; text: string }
  /** The value that a subquery selects. */
  | { kind: 'query'; query: Subquery; text: string }
  /** A value taken as one of another type, where that may change the comparison. */
  | { kind: 'cast'; of: Operand; type: string; text: string }
  /** A value with words of its own. */
  | { kind: 'said'; words: string; text: string }
  | { kind: 'other'; text: string };

/** `name` is `schema.name`, or the name alone of a function of PostgreSQL. */
export interface Call {
  kind: 'call';
  name: string;
  arguments: Operand[];
  text: string;
}

export type Sign = (typeof arithmetic)[number];

export const arithmetic = ['+', '-', '*', '/', '%'] as const;
