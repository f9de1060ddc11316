import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../../contract/states.ts';
import { identifier, literal } from '../../../queries/sql.ts';

/** A transition in the form. */
export interface TransitionDesign {
  /** Identifies the transition in the form while its name changes. */
  readonly key: string;
  readonly name: string;
  /** Null: it can start in any state. */
  readonly from: readonly string[] | null;
  readonly to: string;
  /** Null: every caller who may change the row. */
  readonly roles: readonly string[] | null;
  /** SQL over the row; empty without a condition. */
  readonly when: string;
  readonly requires: readonly string[];
  readonly sets: readonly { readonly field: string; readonly sql: string }[];
}

/** A state machine in the form. */
export interface MachineDesign {
  readonly entity: string;
  readonly field: string;
  readonly initial: string;
  /** The states in the order of the machine. A state without a transition is not part of the migration. */
  readonly states: readonly string[];
  readonly transitions: readonly TransitionDesign[];
  /** Where the rows of a removed state go, by its name. */
  readonly moves: Readonly<Record<string, string>>;
}

export const newTransition = (from: string, to: string): TransitionDesign => ({
  ...{ key: crypto.randomUUID(), name: '', from: [from], to, roles: null, when: '', requires: [], sets: [] },
});

/** Returns the form of an existing machine. Pure. */
export const readMachine = ({ entity, field, initial, states, transitions }: Machine): MachineDesign => ({
  ...{ entity, field, initial, moves: {} },
  states: states.map(({ name }) => name),
  transitions: transitions.map(({ name, from, to, roles, when, requires, sets }) => ({
    ...{ key: name, name, from, to, roles, requires, sets },
    when: when?.sql ?? '',
  })),
});

/** Returns the fields of an entity that can hold a state. PostgreSQL decides about further fields. */
export const stateFields = ({ fields, primary_key: key }: Entity): Field[] =>
  fields.filter(
    (field) =>
      !key.includes(field.name) &&
      field.generated === null &&
      field.references === null &&
      (field.enum_values !== null || /^(text|character varying)/.test(field.base_type ?? field.type)),
  );

/** Returns the states that the transitions of a form use, with the initial state. */
export const usedStates = ({ initial, transitions }: MachineDesign): Set<string> =>
  new Set([initial, ...transitions.flatMap(({ from, to }) => [...(from ?? []), to])]);

/**
 * Returns the migration that defines a machine; empty if the designs are equal. Pure.
 * @param before Null for a new machine.
 * @param after Null to drop the machine.
 */
export function machineSql(before: MachineDesign | null, after: MachineDesign | null): string {
  if (!after) return before ? dropSql(before) : '';
  const definition = definitionSql(after);
  if (before && definition === definitionSql(before)) return '';
  const moved = Object.entries(after.moves).filter(([from]) => !usedStates(after).has(from));
  if (!before || moved.length === 0) return definition;
  // A machine refuses states that no transition connects, so the rows move while there is none.
  const updates = moved.map(([from, to]) => {
    const field = identifier(after.field);
    return `update ${after.entity} set ${field} = ${literal(to)} where ${field} = ${literal(from)};`;
  });
  return [dropSql(before), ...updates, definition].join('\n');
}

const dropSql = ({ entity, field }: MachineDesign): string =>
  `select ninefold.drop_machine(${literal(entity)}, ${literal(field)});`;

function definitionSql({ entity, field, initial, transitions }: MachineDesign): string {
  const lines = transitions.map((transition) => `  ${JSON.stringify(jsonOf(transition))}`);
  const text = `[\n${lines.join(',\n')}\n]`;
  return `select ninefold.define_machine(${literal(entity)}, ${literal(field)}, ${literal(initial)}, ${literal(text)}::jsonb);`;
}

const jsonOf = ({ name, from, to, roles, when, requires, sets }: TransitionDesign) => ({
  ...{ name, from: from === null ? 'any' : from.length === 1 ? from[0] : from, to },
  ...(roles !== null && { roles }),
  ...(when.trim() !== '' && { when: when.trim() }),
  ...(requires.length > 0 && { requires }),
  ...(sets.length > 0 && { sets: Object.fromEntries(sets.map(({ field, sql }) => [field, sql])) }),
});

/** Returns what is wrong with a form, in words, before the server tries it. Pure. */
export function machineProblems(design: MachineDesign, values: readonly string[] | null): string[] {
  const { entity, field, states, transitions } = design;
  if (entity === '' || field === '') return ['Choose a table, and the field with the state.'];
  const names = transitions.map(({ name }) => name);
  return [
    ...(transitions.length === 0 ? ['Draw a transition.'] : []),
    ...(states.some((state) => state.trim() === '') ? ['A state has no name.'] : []),
    ...states.filter((state, i) => states.indexOf(state) !== i).map((state) => `Two states are called ${state}.`),
    ...transitions.filter(({ name }) => name.trim() === '').map(({ to }) => `A transition to ${to} has no name.`),
    ...names
      .filter((name, i) => name !== '' && names.indexOf(name) !== i)
      .map((name) => `Two transitions are called ${name}.`),
    ...transitions.flatMap(({ name, from, roles }) => [
      ...(from?.length === 0 ? [`${name} starts in no state.`] : []),
      ...(roles?.length === 0 ? [`No role may make ${name}.`] : []),
    ]),
    ...(values === null ? [] : states.filter((state) => !values.includes(state))).map(
      (state) =>
        `The type of ${field} has no value ${state}. Add it in a migration of its own: alter type … add value.`,
    ),
  ];
}

/** Returns a machine that shows a form in the figure, with the figures of the machine that it changes. Pure. */
export function drawnMachine(design: MachineDesign, before: Machine | null): Machine {
  const { entity, field, initial, states, transitions } = design;
  const toOf = (state: string, { from, to }: TransitionDesign) =>
    to !== state && (from === null || from.includes(state)) ? to : null;
  const reached = new Set([initial]);
  for (const state of reached) {
    for (const transition of transitions) {
      const to = toOf(state, transition);
      if (to !== null) reached.add(to);
    }
  }
  return {
    ...{ id: `${entity}.${field}`, entity, field, initial, enforced: true, problems: [] },
    states: states.map((name) => ({
      name,
      final: transitions.every((transition) => toOf(name, transition) === null),
      reached: reached.has(name),
    })),
    transitions: transitions.map(({ key, name, from, to, roles, requires, sets }) => ({
      ...{
        name: name || `new ${key.slice(0, 4)}`,
        from: from && [...from],
        to,
        roles: roles && [...roles],
        when: null,
      },
      ...{ requires: [...requires], sets: [...sets], words: name },
    })),
    table: Object.fromEntries(
      states.map((state) => [
        state,
        Object.fromEntries(
          transitions.map((transition) => [
            transition.name || `new ${transition.key.slice(0, 4)}`,
            toOf(state, transition),
          ]),
        ),
      ]),
    ),
    ...(before?.figures && { figures: { ...before.figures, state_changes: [] } }),
  };
}
