import type { ChapterRole } from '../../../../../access/calling-roles.ts';
import { primaryKey } from '../../../../../access/fact-indexes.ts';
import { decideTransition, isForRole, namedStates } from '../../../../../access/transition-access.ts';
import type { FieldFact, RelationFact } from '../../../../../catalog/entities.ts';
import type { MachineFact, TransitionFact } from '../../../../../catalog/machines.ts';
import { readCondition } from '../../../../../sql-reader/condition.ts';
import type { Expression } from '../../../../../sql-reader/tree.ts';
import { transitionEntry } from '../../states/states.ts';
import { type Advice, type AdviceContext, idOf } from './advice-context.ts';

/**
 * Advises on transitions that no member can take, because privileges or policies refuse the update of the state. Omits
 * transitions that the app makes itself: those of roles without the privilege, and those of tables that a function writes with the
 * rights of its owner.
 */
export function transitionsWithoutTaker(context: AdviceContext): Advice[] {
  const { facts, look, requests, roles } = context;
  return facts.machines.flatMap((machine) => {
    const relation = look.relations.get(machine.relation);
    if (!relation || !context.exposed.includes(relation) || isWrittenByOwner(context, relation)) return [];
    const states = [...new Set([...namedStates(machine), ...(machine.values ?? [])])];
    return machine.transitions.flatMap((fact): Advice[] => {
      // Without the privilege, the app leaves all changes of the state to the service role.
      const admitted = roles.filter(
        (role) => isOfMembers(role) && isForRole(fact, role) && mayUpdate(context, role, relation, machine.field),
      );
      const decisions = admitted.map((role) =>
        decideTransition(requests, role, relation, { field: machine.field, fact, states }),
      );
      const refused = decisions[admitted.findIndex(({ name }) => name !== 'anon')] ?? decisions[0];
      if (!refused || decisions.some(({ verdict }) => verdict !== 'never')) return [];
      const from = fact.from?.join(' or ') ?? 'any state';
      return [
        {
          about: 'transition that no member can take',
          severity: 'fault',
          on: idOf(relation),
          detail: `${machine.field}: ${fact.name}`,
          words: `No member can take the transition ${fact.name}, from ${from} to ${fact.to}: ${refused.reason}. Change the policies so that they allow it to those who should take it, or take it out of the state machine, as the SQL here does.`,
          sql: definition(
            idOf(relation),
            machine,
            machine.transitions.filter((one) => one !== fact),
          ),
        },
      ];
    });
  });
}

const isOfMembers = ({ caller, fact }: ChapterRole): boolean =>
  !fact.superuser && !fact.bypasses_row_security && caller.name !== 'service_role';

function mayUpdate({ access }: AdviceContext, { caller }: ChapterRole, relation: RelationFact, field: string): boolean {
  const fields = access.privileges.fields(caller.oid, relation, 'UPDATE');
  return fields === 'all' || fields.some(({ name }) => name === field);
}

/** Returns true if a function with the rights of its owner changes rows of the table. */
function isWrittenByOwner({ facts, look }: AdviceContext, relation: RelationFact): boolean {
  return facts.routines.some(
    (routine) =>
      routine.security_definer &&
      routine.schema !== 'ninefold' &&
      look.shared.code.entities(look, routine).written.has(idOf(relation)),
  );
}

/** Returns the call that defines a state machine with these transitions. */
function definition(entity: string, { field, initial }: MachineFact, transitions: readonly TransitionFact[]): string {
  const listed = transitions.map((fact) => {
    const { name, from, to, roles, when, requires, sets } = transitionEntry(fact, []);
    return `  ${JSON.stringify({
      ...{ name, from: from ?? 'any', to },
      ...(roles && { roles }),
      ...(when && { when: when.sql }),
      ...(requires.length > 0 && { requires }),
      ...(sets.length > 0 && { sets: Object.fromEntries(sets.map((one) => [one.field, one.sql])) }),
    })}`;
  });
  return `select ninefold.define_machine(${literal(entity)}::regclass, ${literal(field)}, ${literal(initial)}, ${literal(`[\n${listed.join(',\n')}\n]`)});`;
}

/** Returns true for usual names of a status field. */
const isStatusName = (name: string): boolean =>
  /^(?:.+_)?(?:status|state|stage|phase|lifecycle|progress)$/i.test(name.replace(/([a-z])([A-Z])/g, '$1_$2'));

/** Advises on tables whose status field has no state machine, so that any value can follow any other. */
export function statusesWithoutMachine(context: AdviceContext): Advice[] {
  const { facts } = context;
  const families = new Set(facts.inheritance.flatMap(({ child, parent }) => [child, parent]));
  return context.exposed.flatMap((relation) => {
    const isPlain = relation.kind === 'r' && relation.extension === null && relation.owner === facts.database.owner;
    if (!isPlain || families.has(relation.oid)) return [];
    return (context.access.privileges.fieldsOf.get(relation.oid) ?? []).flatMap((field) =>
      adviceFor(context, relation, field),
    );
  });
}

function adviceFor(context: AdviceContext, relation: RelationFact, field: FieldFact): Advice[] {
  const { facts } = context;
  if (!isStatusName(field.name) || field.generated !== '') return [];
  if (facts.machines.some((machine) => machine.relation === relation.oid && machine.field === field.name)) return [];
  const key = primaryKey(context.look, relation.oid);
  const states = statesOf(context, relation, field);
  if (
    key.length === 0 ||
    key.includes(field.number) ||
    states.length < 2 ||
    states.some((state) => ['any', '*', ''].includes(state))
  )
    return [];
  const initial =
    states.find((state) => defaultOf(context, field)?.startsWith(`${literal(state)}::`)) ?? states[0] ?? '';
  const transitions = states.map((to) => `  ${JSON.stringify({ name: `to_${to}`, from: 'any', to })}`).join(',\n');
  return [
    {
      about: 'status without machine',
      severity: 'security',
      on: idOf(relation),
      detail: field.name,
      words: `${field.name} has ${states.length} values and no state machine: a caller who may change a row may give it any of them, in any order. The call here allows each change and records it; take out the transitions that the app does not mean. New rows then start as ${initial}.`,
      sql: `select ninefold.define_machine(${literal(idOf(relation))}::regclass, ${literal(field.name)}, ${literal(initial)}, ${literal(`[\n${transitions}\n]`)});`,
    },
  ];
}

const literal = (text: string): string =>
  text.includes('\\') ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${text.replaceAll("'", "''")}'`;

const defaultOf = ({ facts }: AdviceContext, field: FieldFact): string | null =>
  field.default ?? facts.types.find(({ oid }) => oid === field.type_oid)?.default ?? null;

/**
 * Returns the allowed values of a field: those of an enum, or those of a text that a check or a domain limits to a
 * list. Returns an empty list for other fields.
 */
function statesOf({ facts, look }: AdviceContext, relation: RelationFact, field: FieldFact): string[] {
  const type = facts.types.find(({ oid }) => oid === field.type_oid);
  const base = type?.kind === 'd' ? facts.types.find(({ oid }) => oid === type.base) : type;
  if (base?.kind === 'e') return base.labels ?? [];
  if (!/^(text|character varying)/.test(type?.base_name ?? field.type)) return [];
  const ofTable = (look.constraints.get(relation.oid) ?? []).filter(
    ({ fields }) => fields.length === 1 && fields[0] === field.number,
  );
  const ofDomain = type ? (look.domains.get(type.oid) ?? []) : [];
  const checks = [...ofDomain, ...ofTable].filter(({ kind, enforced }) => kind === 'c' && enforced);
  for (const { expression } of checks) {
    const values = expression === null ? [] : listed(readCondition(expression));
    if (values.length > 0) return values;
  }
  return [];
}

/** Returns the values of `status in ('open', 'closed')`. */
function listed(expression: Expression): string[] {
  if (expression.kind !== 'one-of') return [];
  const values = expression.values.flatMap((value) => (value.kind === 'literal' ? [value.value] : []));
  return values.length === expression.values.length ? values : [];
}
