import type { PolicyConditions } from '../../../../../access/decision.ts';
import { type Caller, type FieldValue, outcomes, TRUE } from '../../../../../access/outcomes.ts';
import type { PolicyFact } from '../../../../../catalog/access.ts';
import type { RelationFact } from '../../../../../catalog/entities.ts';
import { sqlName } from '../../../../../catalog/names.ts';
import { readCondition } from '../../../../../sql-reader/condition.ts';
import { partsOf } from '../../../../../sql-reader/places.ts';
import type { Expression } from '../../../../../sql-reader/tree.ts';
import { type Advice, type AdviceContext, idOf, isBound, listed } from './advice-context.ts';

/** A condition of a policy that no longer holds after a field is set, such as `deleted_at IS NULL` or `NOT is_deleted`. */
interface Excluded {
  field: string;
  /** The value of the field with which the condition does not hold. */
  value: FieldValue;
}

/**
 * Advises on fields that mark a row as deleted, if the policies for SELECT exclude marked rows. PostgreSQL then refuses each update
 * that sets the field and names the row by a filter, although the policies for UPDATE accept it.
 */
export function updatesThatSelectRefuses(context: AdviceContext): Advice[] {
  return context.exposed.flatMap((relation) => {
    if (!relation.row_security || relation.kind === 'v') return [];
    const policies = context.access.policies
      .of(relation.oid)
      .filter(({ command, using }) => command === 'r' && using !== null);
    const excluded = new Map(policies.flatMap(({ using }) => excludedBy(using ?? '')).map((one) => [one.field, one]));
    return [...excluded.values()].flatMap((one) => adviceFor(context, relation, policies, one));
  });
}

function adviceFor(
  context: AdviceContext,
  relation: RelationFact,
  policies: readonly PolicyFact[],
  excluded: Excluded,
): Advice[] {
  const refused = context.roles.filter((role) => {
    if (!isBound(role)) return false;
    const decision = context.access.decide(role.caller, relation, 'update');
    const isGiven = decision.columns === null || decision.columns.includes(excluded.field);
    return (
      decision.verdict !== 'never' &&
      isGiven &&
      decision.conditions.some((one) => typeof one !== 'string' && isRefused(one, excluded))
    );
  });
  if (refused.length === 0) return [];
  const naming = policies.filter(({ using }) => excludedBy(using ?? '').some(({ field }) => field === excluded.field));
  const changing = context.access.policies
    .of(relation.oid)
    .filter(({ command, permissive, using }) => permissive && using !== null && (command === 'w' || command === '*'));
  const names = listed(naming.map(({ name }) => `"${name}"`));
  return [
    {
      about: 'update that a SELECT policy refuses',
      severity: 'fault',
      on: idOf(relation),
      policies: naming.map(({ name }) => name),
      detail: excluded.field,
      words: `An update of ${listed(refused.map(({ name }) => name))} that sets ${excluded.field} is refused (42501) if it names the row by a filter: the row as it is written must also pass the policies for SELECT, and ${names} ${naming.length === 1 ? 'excludes' : 'exclude'} it. With the SQL here, those who may change a row still see it after that.`,
      sql: naming.map((policy) => widened(relation, policy, excluded.field, changing)).join('\n'),
    },
  ];
}

/** Returns true if policies for UPDATE accept a row with the value, and the policies for SELECT reject it. */
function isRefused({ check, seen, caller }: PolicyConditions, { field, value }: Excluded): boolean {
  const known: Caller = { ...caller, row: new Map([[field, value]]) };
  const isPossible = (condition: Expression | null) => condition === null || (outcomes(condition, known) & TRUE) !== 0;
  return seen !== null && !isPossible(seen) && isPossible(check);
}

/** Returns the conditions of a policy that setting a field ends. */
const excludedBy = (using: string): Excluded[] => partsOf(using).texts.flatMap((text) => excludedIn(text) ?? []);

function excludedIn(text: string): Excluded | null {
  const condition = readCondition(text);
  const isTrue: FieldValue = { is: 'known', text: 'true' };
  if (condition.kind === 'null' && !condition.negated) return of(condition.operand, { is: 'given' });
  if (condition.kind === 'not' && condition.item.kind === 'holds') return of(condition.item.operand, isTrue);
  const isFalse =
    condition.kind === 'compare' && condition.right.kind === 'literal' && condition.right.value === 'false';
  return isFalse && condition.operator === '=' ? of(condition.left, isTrue) : null;
}

const of = (operand: { kind: string; name?: unknown; qualifier?: unknown }, value: FieldValue): Excluded | null =>
  operand.kind === 'field' && operand.qualifier === null && typeof operand.name === 'string'
    ? { field: operand.name, value }
    : null;

/** Returns SQL that lets a policy for SELECT also accept the rows that the caller may change. */
function widened(
  relation: RelationFact,
  { name, using }: PolicyFact,
  field: string,
  changing: readonly PolicyFact[],
): string {
  const mayChange = changing.map((policy) => policy.using).join(' or ');
  const { texts, joinedBy } = partsOf(using ?? '');
  const parts = texts.map((text) => (excludedIn(text)?.field === field ? `(${text} or ${mayChange})` : text));
  return `alter policy ${sqlName(name)} on ${idOf(relation)} using (${parts.join(` ${joinedBy ?? 'and'} `)});`;
}
