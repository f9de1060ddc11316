import type { TransitionAccess } from '../../../../../contract/states.ts';
import { outcomes, TRUE } from '../../../../access/outcomes.ts';
import type { RequestAccess } from '../../../../access/request-access.ts';
import {
  type Asked,
  decideTransition,
  isForRole,
  namedStates,
  type TransitionDecision,
} from '../../../../access/transition-access.ts';
import type { RelationFact } from '../../../../catalog/entities.ts';
import { groupBy } from '../../../../catalog/group.ts';
import type { MachineFact } from '../../../../catalog/machines.ts';
import { phrase } from '../../words/phrase.ts';
import { asPolicy } from '../roles/condition-words.ts';

/** Returns for each transition of a machine who may take it, by the privileges and policies on the table. */
export function accessOfTransitions(
  requests: RequestAccess,
  relation: RelationFact,
  machine: MachineFact,
): ReadonlyMap<string, TransitionAccess[]> {
  const states = [...new Set([...namedStates(machine), ...(machine.values ?? [])])];
  const roles = requests.roles.filter(({ barred }) => barred === null);
  return new Map(
    machine.transitions.map((fact) => [
      fact.name,
      roles
        .filter((role) => isForRole(fact, role))
        .map((role): TransitionAccess => {
          const decision = decideTransition(requests, role, relation, { field: machine.field, fact, states });
          return { role: role.name, verdict: decision.verdict, words: wordsOf(decision) };
        }),
    ]),
  );
}

function wordsOf({ verdict, reason, words, before, after }: TransitionDecision): string {
  if (verdict !== 'when') return verdict === 'never' ? reason : '';
  const conditions = storedConditions(before);
  const known = new Set(conditions.flatMap((one) => partsOf(one)));
  const written = after ? partsOf(after).filter((part) => !known.has(part)) : [];
  const stored = [...new Set(conditions.map(({ condition, caller }) => phrase(asPolicy(condition), caller)))];
  return [
    ...stored.filter((part) => part !== 'always'),
    ...(written.length === 0 ? [] : [`new row: ${written.join(' and ')}`]),
    ...words,
  ].join('; ');
}

/**
 * Returns one condition if it has the same words in each state. Otherwise returns the condition without a known state, and
 * without the parts that hold in each of the states.
 */
function storedConditions(before: readonly Asked[]): Asked[] {
  const [first] = before;
  if (!first) return [];
  const words = new Set(before.map(({ condition, caller }) => phrase(asPolicy(condition), caller)));
  if (words.size === 1) return [first];
  const { condition, caller } = first;
  const items = condition.kind === 'and' ? condition.items : [condition];
  const left = items.filter((item) => before.some((one) => outcomes(item, one.caller) !== TRUE));
  return [{ condition: { kind: 'and', items: left }, caller: { ...caller, row: new Map() } }];
}

/** Returns the parts of a condition in words, without those that hold for every row of the state. */
function partsOf({ condition, caller }: Asked): string[] {
  const items = condition.kind === 'and' ? condition.items : [condition];
  return items
    .map((item) => phrase(asPolicy({ kind: 'and', items: [item] }), caller))
    .filter((part) => part !== 'always');
}

/** Returns who may take a transition: "authenticated (when own row (by owner)) or agent". Null if no member may take the transition. */
export function takers(access: readonly TransitionAccess[], isForAll: boolean): string | null {
  const open = access.filter(({ verdict }) => verdict !== 'never');
  const member = open.find(({ role }) => role === 'authenticated');
  const shown = open.filter(
    (one) =>
      // A role of members whose condition is that of every member needs no mention.
      !(member && one !== member && one.words === member.words && one.role !== 'anon' && one.role !== 'service_role') &&
      !(isForAll && one.role === 'service_role'),
  );
  if (shown.length === 0) return null;
  const byWords = groupBy(shown, ({ words }) => words);
  return [...byWords]
    .map(([words, group]) => `${group.map(({ role }) => role).join(' or ')}${words === '' ? '' : ` (when ${words})`}`)
    .join(' or ');
}
