/** Typed trees of conditions, values and queries, as `readCondition` builds them. */

/**
 * A condition. A part that the reader does not understand is `opaque`: it may be true, false or null, and is displayed
 * as SQL. A description with such a part is longer, but never wrong.
 */
export type Expression =
  | { kind: 'constant'; value: boolean | null }
  | { kind: 'and' | 'or'; items: Expression[] }
  | { kind: 'not'; item: Expression }
  /**
   * A comparison of two values. `ofTimes` is true if both sides are known to be times, so that a greater value is a
   * later time.
   */
  | { kind: 'compare'; operator: Comparison; left: Operand; right: Operand; text: string; ofTimes?: true }
  /**
   * A comparison of each element of a list: `0 < ALL (counts)`. The element is on the left side of the operator. `each`
   * is true for ALL.
   */
  | { kind: 'elements'; each: boolean; operator: Comparison; list: Operand; value: Operand; text: string }
  /** A comparison of two conditions: `(a IS NULL) = (b IS NULL)`. If negated, the operator is `<>`. */
  | { kind: 'alike'; left: Expression; right: Expression; negated: boolean; text: string }
  /** A condition `CASE WHEN … THEN … ELSE … END`. Without ELSE, the result is null if no branch applies. */
  | { kind: 'case'; branches: { when: Expression; gives: Expression }[]; otherwise: Expression; text: string }
  | { kind: 'one-of'; operand: Operand; values: Operand[]; text: string }
  | { kind: 'null'; operand: Operand; negated: boolean; text: string }
  /** An operator on lists, ranges or JSON. */
  | { kind: 'relates'; operator: Relating; left: Operand; right: Operand; text: string }
  /** A test `x IS DISTINCT FROM y`, possibly negated. The result is never null. */
  | { kind: 'distinct'; left: Operand; right: Operand; negated: boolean; text: string }
  /** A test such as `x IS NOT TRUE`. The result is never null. */
  | { kind: 'is'; item: Expression; value: boolean | null; negated: boolean; text: string }
  | { kind: 'exists'; query: Subquery; text: string }
  | { kind: 'in'; operand: Operand; query: Subquery; text: string }
  /** A condition `x IN (SELECT f())`: x is one of the values that a function returns. */
  | { kind: 'returned'; operand: Operand; call: Call; text: string }
  | { kind: 'holds'; operand: Operand; text: string }
  /** A condition that is described by fixed words, from the comment on its policy or from its context. */
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
  /** Qualified names of the relations that the query reads directly: [schema, name]. */
  from: [string, string][];
  /** The items of FROM if all of them are understood and joined by inner joins; otherwise null. */
  sources: Source[] | null;
  /** The conditions of the inner joins of `sources`. */
  on: Expression[];
  /** True if only inner joins join the relations, and the query returns no row where `where` is false. */
  plain: boolean;
  /** The SQL of FROM up to WHERE. */
  source: string;
  where: Expression;
  /** The single value that the query selects; null if it selects several or none. */
  value: Operand | null;
  /** The SQL after the condition. */
  rest: string;
}

/**
 * An item of FROM: a relation or a function call, with its alias in the query. `isLimited`: policies decide which of its rows the
 * query sees.
 */
export type Source =
  | { kind: 'relation'; schema: string; name: string; alias: string; isLimited?: true }
  | { kind: 'function'; call: Call; alias: string };

/**
 * A value in a condition. `user-id`, `user-role` and `user-email` are values of the caller, which auth.uid() and
 * similar functions return.
 */
export type Operand =
  | { kind: 'user-id' | 'user-role' | 'user-email' }
  /**
   * A field. `row`: which row the field belongs to, if the description already says so, as in "a row in members whose
   * team …".
   */
  | { kind: 'field'; name: string; qualifier: string | null; row?: 'described' | 'own' }
  /**
   * A literal. `plain`: the literal equals another string only if both have the same characters. `type`: the type to
   * which the literal is cast, as PostgreSQL prints it.
   */
  | { kind: 'literal'; value: string; quoted: boolean; plain: boolean; type?: string }
  | Call
  | { kind: 'null' }
  /** A claim of the caller's token that has no kind of its own: `auth.jwt() -> 'app_metadata' ->> 'team'`. */
  | { kind: 'claim'; path: string[] }
  /** A part of a JSON field: `meta ->> 'size'`. */
  | { kind: 'part'; path: string[]; of: Operand }
  /** A field of a composite value: `(address).country`. */
  | { kind: 'attribute'; name: string; of: Operand }
  /** An element of an array: `tags[1]`. */
  | { kind: 'element'; at: number; of: Operand }
  | { kind: 'list'; values: Operand[] }
  /** The time or the day of the call, or a time before or after it: `now() - '1 day'::interval`. */
  | { kind: 'moment'; away: string; side: 'before' | 'after' | null; isDay: boolean }
  /**
   * `isExact`: the formula certainly does not divide integers. `isWhole`: the formula certainly divides integers, so
   * PostgreSQL returns the quotient without its fraction.
   */
  | { kind: 'formula'; sign: Sign; left: Operand; right: Operand; text: string; isExact?: true; isWhole?: true }
  /** A concatenation: `a || b`. */
  | { kind: 'joined'; parts: Operand[]; text: string }
  /** A value `CASE WHEN … THEN value ELSE value END`. `otherwise` is null if there is no ELSE. */
  | { kind: 'choice'; branches: { when: Expression; gives: Operand }[]; otherwise: Operand | null; text: string }
  /** The value that a subquery selects. */
  | { kind: 'query'; query: Subquery; text: string }
  /** A cast of a value to another type, which may change the result of a comparison. */
  | { kind: 'cast'; of: Operand; type: string; text: string }
  /** A value that is described by fixed words. */
  | { kind: 'said'; words: string; text: string }
  | { kind: 'other'; text: string };

/** A function call. `name` is `schema.name`, or only the name for a function of PostgreSQL. */
export interface Call {
  kind: 'call';
  name: string;
  arguments: Operand[];
  text: string;
  /** The meaning of the function in its author's words, from the comment on the function. */
  meaning?: string;
}

export type Sign = (typeof arithmetic)[number];

export const arithmetic = ['+', '-', '*', '/', '%'] as const;
