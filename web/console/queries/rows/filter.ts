import type { FieldKind } from '../../values/field-kind.ts';

/**
 * A condition on rows: a field, an operator and a value. The value is an empty string if the operator takes none. The
 * operator `anywhere` searches all fields, so its field is an empty string.
 */
export interface Filter {
  field: string;
  operator: Operator;
  value: string;
}

interface OperatorFacts {
  /** The word for the operator in the chip of a filter. */
  word: string;
  /** What the operator takes: one value, values separated by commas, or no value. */
  takes: 'one' | 'list' | 'nothing';
}

const facts = {
  eq: { word: 'is', takes: 'one' },
  neq: { word: 'is not', takes: 'one' },
  gt: { word: 'above', takes: 'one' },
  gte: { word: 'at least', takes: 'one' },
  lt: { word: 'below', takes: 'one' },
  lte: { word: 'at most', takes: 'one' },
  after: { word: 'after', takes: 'one' },
  from: { word: 'from', takes: 'one' },
  before: { word: 'before', takes: 'one' },
  until: { word: 'until', takes: 'one' },
  like: { word: 'like', takes: 'one' },
  ilike: { word: 'like, any case', takes: 'one' },
  in: { word: 'one of', takes: 'list' },
  'not-in': { word: 'none of', takes: 'list' },
  true: { word: 'is true', takes: 'nothing' },
  false: { word: 'is false', takes: 'nothing' },
  contains: { word: 'contains', takes: 'one' },
  holds: { word: 'holds all of', takes: 'list' },
  overlaps: { word: 'holds any of', takes: 'list' },
  matches: { word: 'matches', takes: 'one' },
  null: { word: 'is null', takes: 'nothing' },
  'not-null': { word: 'is not null', takes: 'nothing' },
  anywhere: { word: 'in any field', takes: 'one' },
} as const satisfies Readonly<Record<string, OperatorFacts>>;

export type Operator = keyof typeof facts;

export const isOperator = (value: unknown): value is Operator =>
  typeof value === 'string' && Object.hasOwn(facts, value);
export const operatorWord = (operator: Operator): string => facts[operator].word;
export const operatorTakes = (operator: Operator): OperatorFacts['takes'] => facts[operator].takes;

const byKind: Readonly<Record<FieldKind, readonly Operator[]>> = {
  text: ['eq', 'neq', 'like', 'ilike', 'in', 'not-in'],
  integer: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'not-in'],
  decimal: ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'not-in'],
  boolean: ['true', 'false'],
  enum: ['eq', 'neq', 'in', 'not-in'],
  uuid: ['eq', 'neq', 'in', 'not-in'],
  date: ['eq', 'neq', 'after', 'from', 'before', 'until'],
  timestamp: ['after', 'from', 'before', 'until', 'eq'],
  timestamptz: ['after', 'from', 'before', 'until', 'eq'],
  json: ['contains'],
  bytes: ['eq', 'neq'],
  array: ['holds', 'overlaps', 'eq'],
  range: ['contains', 'eq', 'neq'],
  search: ['matches'],
  vector: ['eq', 'neq'],
  other: ['eq', 'neq'],
};

/** Returns the operators for a field. The first one is the default. */
export function operatorsFor(kind: FieldKind, nullable: boolean): readonly Operator[] {
  return nullable ? [...byKind[kind], 'null', 'not-null'] : byKind[kind];
}
