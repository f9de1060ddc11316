import type { Expression, Operand, Subquery } from '../sql-reader/tree.ts';

/** The possible results of a condition, as a set of bits. */
export type Outcomes = number;
export const TRUE = 1;
export const FALSE = 2;
export const NULL = 4;
export const ANY: Outcomes = TRUE | FALSE | NULL;

/** The known facts about the caller who evaluates a condition. */
export interface Caller {
  /** The database role of the call, which current_user and auth.role() return. Null if it is not known. */
  role: string | null;
  /** `none`: auth.uid() is null, as without a session. `member`: auth.uid() has a value, as for a signed-in member. */
  user: 'none' | 'member' | 'unknown';
  /** A member role (ninefold.roles) that the user has, possibly among others. */
  memberRole: string | null;
  /** All member roles of the user; absent if the user may have more roles than `memberRole`. */
  memberRoles?: readonly string[] | undefined;
  /** Returns false if the caller can see no row of a relation. */
  sees: (schema: string, name: string) => boolean;
  /** Known values of fields of the row, by name. `given`: some value, and not null. */
  row?: ReadonlyMap<string, FieldValue>;
}

export type FieldValue = { is: 'known'; text: string } | { is: 'given' };

/**
 * A caller without known facts. A condition that is constant for this caller is constant when PostgreSQL plans the
 * statement.
 */
export const anyone: Caller = { role: null, user: 'unknown', memberRole: null, sees: () => true };

/**
 * Returns all results that a condition can have for this caller over all rows, with PostgreSQL's three-valued logic.
 * The set may contain impossible results (x or not x), but it never lacks a possible one.
 */
export function outcomes(expression: Expression, caller: Caller): Outcomes {
  switch (expression.kind) {
    case 'constant':
      return expression.value === null ? NULL : expression.value ? TRUE : FALSE;
    case 'and':
      return expression.items.map((item) => outcomes(item, caller)).reduce((a, b) => combine(a, b, and), TRUE);
    case 'or':
      return expression.items.map((item) => outcomes(item, caller)).reduce((a, b) => combine(a, b, or), FALSE);
    case 'not': {
      const inner = outcomes(expression.item, caller);
      return (inner & TRUE ? FALSE : 0) | (inner & FALSE ? TRUE : 0) | (inner & NULL);
    }
    case 'compare': {
      const left = value(expression.left, caller, expression.right);
      const right = value(expression.right, caller, expression.left);
      if (left.is === 'null' || right.is === 'null') return NULL;
      if (left.is !== 'known' || right.is !== 'known') return ANY;
      if (expression.operator === '=') return left.text === right.text ? TRUE : FALSE;
      if (expression.operator === '<>') return left.text === right.text ? FALSE : TRUE;
      return ANY;
    }
    case 'alike': {
      const sides = [outcomes(expression.left, caller), outcomes(expression.right, caller)] as const;
      return combine(...sides, (a, b) =>
        a === NULL || b === NULL ? NULL : (a === b) === expression.negated ? FALSE : TRUE,
      );
    }
    case 'case':
      // The analysis cannot determine which branch of the CASE applies, so the results of all branches count.
      return [expression.otherwise, ...expression.branches.map(({ gives }) => gives)]
        .map((item) => outcomes(item, caller))
        .reduce((a, b) => a | b, 0);
    case 'relates': {
      const either = [value(expression.left, caller), value(expression.right, caller)];
      return either.some(({ is }) => is === 'null') ? NULL : ANY;
    }
    case 'distinct':
      return distinct(
        value(expression.left, caller, expression.right),
        value(expression.right, caller, expression.left),
        expression.negated,
      );
    case 'one-of': {
      const tried = value(expression.operand, caller);
      const among = expression.values.map((item) => value(item, caller, expression.operand));
      if (tried.is === 'null') return among.length === 0 ? FALSE : NULL;
      if (tried.is !== 'known' || among.some((item) => item.is !== 'known')) return ANY;
      return among.some((item) => item.is === 'known' && item.text === tried.text) ? TRUE : FALSE;
    }
    case 'null': {
      const tried = value(expression.operand, caller);
      if (tried.is === 'unknown') return TRUE | FALSE;
      return (tried.is === 'null') === expression.negated ? FALSE : TRUE;
    }
    case 'is': {
      const wanted = expression.value === null ? NULL : expression.value ? TRUE : FALSE;
      const inner = outcomes(expression.item, caller);
      const [hit, miss] = expression.negated ? [FALSE, TRUE] : [TRUE, FALSE];
      return (inner & wanted ? hit : 0) | (inner & ~wanted ? miss : 0);
    }
    case 'exists':
      return neverFinds(expression.query, caller) ? FALSE : TRUE | FALSE;
    case 'in':
      if (neverFinds(expression.query, caller)) return FALSE;
      return value(expression.operand, caller).is === 'null' ? FALSE | NULL : ANY;
    case 'returned':
      return value(expression.operand, caller).is === 'null' ? FALSE | NULL : ANY;
    case 'named':
      return outcomes(expression.item, caller);
    case 'holds':
      return holds(expression.operand, caller);
    case 'elements':
    case 'opaque':
      return ANY;
  }
}

/** Returns the outcomes of `left IS DISTINCT FROM right`, which is never null. */
function distinct(left: Value, right: Value, isNegated: boolean): Outcomes {
  if (left.is === 'unknown' || right.is === 'unknown') return TRUE | FALSE;
  const isAlike =
    left.is === 'known' && right.is === 'known' ? left.text === right.text : left.is === 'null' && right.is === 'null';
  const isOpen = left.is === right.is && left.is === 'given';
  if (isOpen || (left.is !== 'null' && right.is !== 'null' && left.is !== right.is)) return TRUE | FALSE;
  return isAlike === isNegated ? TRUE : FALSE;
}

/** Returns the outcomes of `ninefold.has_role('agent')`, which is never null, and false without a session. */
function holds(operand: Operand, caller: Caller): Outcomes {
  if (operand.kind === 'field') {
    const known = value(operand, caller);
    return known.is === 'known' ? (known.text === 'true' ? TRUE : FALSE) : ANY;
  }
  const [role] = operand.kind === 'call' && operand.name === 'ninefold.has_role' ? operand.arguments : [];
  if (role?.kind !== 'literal') return ANY;
  if (caller.user === 'none') return FALSE;
  if (caller.memberRoles) return caller.memberRoles.includes(role.value) ? TRUE : FALSE;
  return role.value === caller.memberRole ? TRUE : TRUE | FALSE;
}

/** Returns true if the query can return no row to this caller. */
function neverFinds(query: Subquery, caller: Caller): boolean {
  if (!query.plain) return false;
  if (query.from.some(([schema, name]) => !caller.sees(schema, name))) return true;
  // Fields of the query are not fields of the row.
  return (outcomes(query.where, { ...caller, row: new Map() }) & TRUE) === 0;
}

type Value = { is: 'known'; text: string } | { is: 'null' | 'given' | 'unknown' };

/** Types whose values equal each other only if their texts do. */
const textual = /^(text|character varying)(\(\d+\))?$/;

/** Returns true for a field of the row whose value is known. */
function isKnownField(operand: Operand | undefined, caller: Caller): boolean {
  if (operand?.kind === 'cast' && textual.test(operand.type)) return isKnownField(operand.of, caller);
  return operand?.kind === 'field' && value(operand, caller).is === 'known';
}

/** @param beside The value with which the value is compared. */
function value(operand: Operand, caller: Caller, beside?: Operand): Value {
  switch (operand.kind) {
    case 'user-id':
      if (caller.user === 'none') return { is: 'null' };
      return { is: caller.user === 'member' ? 'given' : 'unknown' };
    case 'user-email':
      return { is: caller.user === 'none' ? 'null' : 'unknown' };
    case 'user-role':
      return caller.role === null ? { is: 'unknown' } : { is: 'known', text: caller.role };
    case 'field':
      return (
        (operand.qualifier === null && operand.row === undefined && caller.row?.get(operand.name)) || { is: 'unknown' }
      );
    case 'cast':
      return textual.test(operand.type) ? value(operand.of, caller) : { is: 'unknown' };
    case 'literal': {
      // A literal has the type of the field beside it. The known values are those of texts, enums and booleans.
      const isOfField = isKnownField(beside, caller) && (operand.quoted || /^(true|false)$/i.test(operand.value));
      return operand.plain || isOfField ? { is: 'known', text: operand.value } : { is: 'given' };
    }
    case 'null':
      return { is: 'null' };
    default:
      return { is: 'unknown' };
  }
}

const and = (a: Outcomes, b: Outcomes): Outcomes =>
  a === FALSE || b === FALSE ? FALSE : a === NULL || b === NULL ? NULL : TRUE;
const or = (a: Outcomes, b: Outcomes): Outcomes =>
  a === TRUE || b === TRUE ? TRUE : a === NULL || b === NULL ? NULL : FALSE;

function combine(left: Outcomes, right: Outcomes, join: (a: Outcomes, b: Outcomes) => Outcomes): Outcomes {
  let all: Outcomes = 0;
  for (const a of [TRUE, FALSE, NULL]) {
    for (const b of [TRUE, FALSE, NULL]) if (left & a && right & b) all |= join(a, b);
  }
  return all;
}
