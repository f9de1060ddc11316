import type { NotificationRule } from '../../../../../contract/states.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import { entityId } from '../../../../catalog/names.ts';
import type { NotificationRuleFact } from '../../../../catalog/notification-rules.ts';

/** Returns the rules of notifications, in the order of their entities. */
export function notificationRules(
  { facts, relations }: Lookup,
  rules: readonly NotificationRuleFact[],
): NotificationRule[] {
  return rules
    .flatMap((fact): NotificationRule[] => {
      const relation = relations.get(fact.relation);
      if (!relation) return [];
      const entity = entityId(relation.schema, relation.name);
      const target = fact.target === null ? undefined : relations.get(fact.target);
      const about = target ? entityId(target.schema, target.name) : entity;
      const machine = facts.machines.find((one) => one.relation === fact.relation && one.field === fact.field);
      const rule = {
        ...{ id: `${entity} ${fact.kind} ${fact.field}`, entity, kind: fact.kind, field: fact.field, about },
        tell: fact.kind === 'assignment' ? [fact.field] : fact.tell,
        transitions: fact.transitions,
      };
      return [
        {
          ...rule,
          words: ruleWords(rule, fact),
          problems: problemsOf(
            fact,
            machine?.transitions.map(({ name }) => name),
          ),
        },
      ];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Describes a rule and its receivers in a sentence: "When status of tickets changes by solve, the member in customer is told". */
function ruleWords(
  { entity, kind, field, about, tell, transitions }: Omit<NotificationRule, 'words' | 'problems'>,
  { ends, state, cancelled }: Pick<NotificationRuleFact, 'ends' | 'state' | 'cancelled'>,
): string {
  const [name, target] = [shortName(entity), shortName(about)];
  const members = `the ${tell.length === 1 ? 'member' : 'members'} in ${listOf(tell, 'and')}`;
  const verb = tell.length === 1 ? 'is' : 'are';
  const after = about === entity ? '' : `, about the row of ${target}`;
  switch (kind) {
    case 'appointment': {
      const changing = [field, ends, state].filter((one) => one !== null);
      const off = cancelled === null ? '' : `; it does not take place if ${state} is ${listOf(cancelled, 'or')}`;
      return `When a row of ${name} is added, and when ${listOf(changing, 'or')} changes, ${members} ${verb === 'is' ? 'gets' : 'get'} a mail with a calendar file${off}`;
    }
    case 'transition': {
      const by = transitions === null ? '' : ` by ${listOf(transitions, 'or')}`;
      return `When ${field} of ${name} changes${by}, ${members} ${verb} told`;
    }
    case 'assignment':
      return `When ${field} of ${name} is set to a member, this member is told`;
    case 'mention':
      return `When ${field} of ${name} contains @ and the name of a member, this member is told${after}`;
    case 'reference':
      return `When a row of ${name} is added, ${members} of the row of ${target} ${verb} told`;
  }
}

const shortName = (entity: string): string => entity.replace(/^public\./, '');

const listOf = (names: readonly string[], word: string): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

/** @param known Names of the transitions of the machine; undefined if the field has no machine. */
function problemsOf(fact: NotificationRuleFact, known: readonly string[] | undefined): string[] {
  return [
    ...(fact.problem === null ? [] : [`nobody is told, because ${fact.problem}`]),
    ...(fact.is_followed ? [] : ['nobody is told, because a trigger that follows the rule is missing or switched off']),
    ...(fact.kind !== 'transition'
      ? []
      : known === undefined
        ? [`nobody is told, because ${fact.field} has no state machine`]
        : []),
    ...(fact.transitions ?? [])
      .filter((name) => known !== undefined && !known.includes(name))
      .map((name) => `the transition ${name} is gone`),
  ];
}
