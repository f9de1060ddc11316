import type { RelationFact } from '../catalog/entities.ts';
import type { MachineFact, TransitionFact } from '../catalog/machines.ts';
import { join } from '../sql-reader/condition.ts';
import type { Expression } from '../sql-reader/tree.ts';
import type { ChapterRole } from './calling-roles.ts';
import type { Decision, PolicyConditions } from './decision.ts';
import { type Caller, type FieldValue, outcomes, TRUE } from './outcomes.ts';
import type { RequestAccess } from './request-access.ts';

/** The decision about one transition for one role, by the privileges and policies for UPDATE and SELECT. */
export interface TransitionDecision {
  verdict: Decision['verdict'];
  /** For verdict `never`: the reason. */
  reason: string;
  /** The conditions in words that are not those of policies. */
  words: readonly string[];
  /** The conditions of policies on the row as it is stored, one for each state in which they can be true. */
  before: readonly Asked[];
  /** The condition of policies on the row as the transition writes it; null if there is none. */
  after: Asked | null;
}

/** A condition together with the facts about the caller and the row. */
export interface Asked {
  condition: Expression;
  caller: Caller;
}

/**
 * Decides whether a role may take a transition: whether PostgreSQL accepts the UPDATE of the state. The state is known, so parts of
 * conditions that compare it are settled. The roles and the condition of the transition itself are not considered.
 */
export function decideTransition(
  requests: RequestAccess,
  role: ChapterRole,
  relation: RelationFact,
  { field, fact, states }: { field: string; fact: TransitionFact; states: readonly string[] },
): TransitionDecision {
  const decision = requests.relation(role, relation, 'update');
  const never = (reason: string): TransitionDecision => ({
    verdict: 'never',
    reason,
    words: [],
    before: [],
    after: null,
  });
  if (decision.verdict === 'never') return never(decision.reason);
  if (decision.columns !== null && !decision.columns.includes(field)) return never(`no UPDATE privilege on ${field}`);
  const from = (fact.from ?? states).filter((state) => state !== fact.to);
  const policies = decision.conditions.filter((one): one is PolicyConditions => typeof one !== 'string');
  const words = decision.conditions.filter((one) => typeof one === 'string');
  const [caller] = policies.map((one) => one.caller);
  if (!caller)
    return { verdict: words.length === 0 ? 'always' : 'when', reason: decision.reason, words, before: [], after: null };
  const asked = (parts: readonly (Expression | null)[], state: string): Asked => ({
    condition: join(
      'and',
      parts.filter((part) => part !== null),
    ),
    caller: { ...caller, row: new Map([[field, known(state)]]) },
  });
  const stored = from.map((state) =>
    asked(
      policies.flatMap(({ using, seen }) => [using, seen]),
      state,
    ),
  );
  const before = stored.filter(isPossible);
  if (before.length === 0)
    return never(
      `no row passes the policies in ${from.length === 1 ? 'the state' : 'one of the states'} ${from.join(', ')}: ${decision.reason}`,
    );
  const checked = policies.flatMap(({ check, seen }) => (check === null ? [] : [check, seen]));
  const after = checked.length === 0 ? null : asked(checked, fact.to);
  if (after && !isPossible(after)) {
    const seen = asked(
      policies.map((one) => one.seen),
      fact.to,
    );
    const of = isPossible(seen) ? 'the policies refuse' : 'the policies for SELECT refuse';
    return never(`${of} a row in the state ${fact.to}: ${decision.reason}`);
  }
  const isSettled = [...stored, ...(after ? [after] : [])].every(
    ({ condition, caller: of }) => outcomes(condition, of) === TRUE,
  );
  return {
    verdict: isSettled && words.length === 0 ? 'always' : 'when',
    reason: decision.reason,
    words,
    before,
    after,
  };
}

const known = (text: string): FieldValue => ({ is: 'known', text });

const isPossible = ({ condition, caller }: Asked): boolean => (outcomes(condition, caller) & TRUE) !== 0;

/** Returns true if a transition names the role or names no role. A member role has also the database role of its calls. */
export const isForRole = ({ roles }: Pick<TransitionFact, 'roles'>, { caller }: ChapterRole): boolean =>
  roles === null ||
  roles.includes(caller.name) ||
  (caller.memberRole !== null && roles.includes(caller.memberRole)) ||
  (caller.memberRoles ?? []).some((name) => roles.includes(name));

/** Returns the states of a machine that its definition names. */
export const namedStates = ({ initial, transitions }: MachineFact): string[] => [
  ...new Set([initial, ...transitions.flatMap(({ from, to }) => [to, ...(from ?? [])])]),
];
