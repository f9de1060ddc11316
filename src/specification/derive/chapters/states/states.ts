import type {
  Machine,
  MachineState,
  StatesChapter,
  Transition,
  TransitionAccess,
} from '../../../../../contract/states.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { DecisionFacts } from '../../../../catalog/facts.ts';
import type {
  MachineFact,
  MachineFunctionFact,
  MachineTriggerFact,
  TransitionFact,
} from '../../../../catalog/machines.ts';
import { byName, entityId, sqlName } from '../../../../catalog/names.ts';
import { type Token, tokenise } from '../../../../sql-reader/tokens.ts';
import type { Entries } from '../../entries.ts';
import { ruleWords } from '../../words/rule.ts';
import { notificationRules } from './notifications.ts';
import { accessOfTransitions, takers } from './transition-access.ts';

/** Builds chapter 4: the state machines as the database enforces them. */
export function statesChapter(entries: Entries): StatesChapter {
  const { facts, relations } = entries.look;
  const known = facts.machines.flatMap((fact) => {
    const relation = relations.get(fact.relation);
    return relation ? [{ fact, relation }] : [];
  });
  const notifications = notificationRules(entries.look, entries.facts.notification_rules);
  return {
    machines: known
      .sort((a, b) => byName(a.relation, b.relation))
      .map(({ fact, relation }) => {
        const key = `${fact.relation} ${fact.field}`;
        const access = entries.ofDecisions(accessOfTransitions, key, relation, fact);
        return machine(facts, fact, entityId(relation.schema, relation.name), access);
      }),
    ...(notifications.length > 0 && { notifications }),
    sources: [
      {
        kind: 'catalog',
        label: 'ninefold.machines and ninefold.transitions, set by ninefold.define_machine',
        sql: 'select * from ninefold.transitions order by entity::text, field, position',
      },
      { kind: 'catalog', label: 'schema ninefold_states: the conditions, compiled' },
      { kind: 'catalog', label: 'pg_trigger: the triggers that enforce them' },
      ...(notifications.length > 0
        ? [
            {
              kind: 'catalog' as const,
              label: 'ninefold.notification_rules, set by ninefold.notify',
              sql: 'select * from ninefold.notification_rules order by entity::text, kind, field',
            },
          ]
        : []),
      { kind: 'code', label: 'the states of accounts, and the settings that switch the calls of chapter 7' },
    ],
  };
}

/** Returns the triggers of each machine, and whether each of them runs, by the machine's id. */
export function triggersByMachine({ facts, relations }: Lookup): ReadonlyMap<string, readonly MachineTriggerFact[]> {
  return new Map(
    facts.machines.flatMap(({ relation, field, triggers }) => {
      const on = relations.get(relation);
      return on ? [[machineId(entityId(on.schema, on.name), field), triggers] as const] : [];
    }),
  );
}

/** Returns the id of a state machine: `public.tickets.status`. */
export const machineId = (entity: string, field: string): string => `${entity}.${sqlName(field)}`;

function machine(
  facts: DecisionFacts,
  fact: MachineFact,
  entity: string,
  access: ReadonlyMap<string, TransitionAccess[]>,
): Machine {
  const transitions = fact.transitions.map((one) => transitionEntry(one, access.get(one.name) ?? []));
  const states = statesOf(facts, fact);
  return {
    id: machineId(entity, fact.field),
    entity,
    field: fact.field,
    initial: fact.initial,
    states,
    transitions,
    table: Object.fromEntries(
      states.map(({ name }) => [name, Object.fromEntries(transitions.map((one) => [one.name, leadsTo(one, name)]))]),
    ),
    enforced: fact.triggers.every((trigger) => !guards(trigger) || isOn(trigger)) && fact.heirs.length === 0,
    problems: problemsOf(facts, fact, states),
  };
}

/**
 * Returns the new state of a row after a transition; null if the transition does not start from the state of the row.
 */
const leadsTo = ({ from, to }: Pick<Transition, 'from' | 'to'>, state: string): string | null =>
  state !== to && (from === null || from.includes(state)) ? to : null;

/**
 * Returns the states of the machine. Also returns the values that the field's type or check allows but the machine does
 * not use.
 */
function statesOf(facts: DecisionFacts, fact: MachineFact): MachineState[] {
  const named = [
    fact.initial,
    ...fact.transitions.map(({ to }) => to),
    ...fact.transitions.flatMap(({ from }) => from ?? []),
  ];
  const names = [...new Set([...named, ...(fact.values ?? checkedValues(facts, fact))])];
  const reached = new Set([fact.initial]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const one of fact.transitions) {
      if ([...reached].some((state) => leadsTo(one, state) !== null)) reached.add(one.to);
    }
  }
  return names.map((name) => ({
    name,
    final: fact.transitions.every((one) => leadsTo(one, name) === null),
    reached: reached.has(name),
  }));
}

/** Returns the values that a check of the field, or of its domain, allows: `status in ('open', 'closed')`. */
function checkedValues(facts: DecisionFacts, fact: MachineFact): string[] {
  const field = facts.fields.find((one) => one.relation === fact.relation && one.name === fact.field);
  return facts.constraints
    .filter(
      (one) =>
        one.kind === 'c' &&
        one.expression !== null &&
        (field !== undefined && one.domain === field.type_oid
          ? true
          : one.relation === fact.relation && one.fields.length === 1 && one.fields[0] === field?.number),
    )
    .flatMap(({ expression }) => listedValues(expression ?? ''));
}

/** Returns the texts of `x = ANY (ARRAY['a'::text, 'b'::text])`, PostgreSQL's notation of a list. */
function listedValues(expression: string): string[] {
  const found = /= ANY \(+ARRAY\[(.*?)\]/s.exec(expression)?.[1];
  const tokens = found === undefined ? null : tokenise(found);
  return (tokens ?? []).flatMap((token) => (token.kind === 'string' ? [token.value] : []));
}

/** Describes a transition. */
export function transitionEntry(fact: TransitionFact, access: TransitionAccess[]): Transition {
  const sql = fact.guard && expressionOf(fact.guard);
  const when = sql === null ? null : { sql, words: ruleWords(sql) };
  const made = {
    name: fact.name,
    from: fact.from,
    to: fact.to,
    roles: fact.roles,
    when,
    requires: fact.requires,
    sets: fact.setter === null ? [] : settings(fact.setter),
    access,
  };
  return { ...made, words: transitionWords(made) };
}

function transitionWords({
  name,
  from,
  to,
  roles,
  when,
  requires,
  sets,
  access = [],
}: Omit<Transition, 'words'>): string {
  // Roles that no call of chapter 6 has, such as the owner of the app.
  const others = (roles ?? []).filter((role) => !access.some((one) => one.role.replace(' (of members)', '') === role));
  const who = [...others, ...[takers(access, roles === null)].filter((names) => names !== null)].join(' or ');
  const refused = access.find(({ verdict, role }) => verdict === 'never' && role !== 'anon') ?? access[0];
  const nobody = access.some(({ verdict }) => verdict !== 'never') ? 'no member' : 'no call';
  const step = `a row from ${from === null ? 'any state' : from.join(' or ')} to ${to}`;
  return [
    who === ''
      ? `${name}: ${nobody} may take ${step}${refused ? ` (${refused.words})` : ''}`
      : `${name}: ${who} may take ${step}`,
    ...(when === null ? [] : [`when ${when.words}`]),
    ...(requires.length === 0 ? [] : [`with a value for ${requires.join(', ')}`]),
    ...(sets.length === 0 ? [] : [`which ${settingWords(sets)}`]),
  ].join('; ');
}

/** Returns words for the fields that a transition sets: "sets closed_at to now() and empties solution". */
function settingWords(sets: Transition['sets']): string {
  const isEmptied = ({ sql }: { sql: string }) => /^null(::.*)?$/i.test(sql);
  const emptied = sets.filter(isEmptied).map(({ field }) => field);
  const others = sets.filter((one) => !isEmptied(one)).map(({ field, sql }) => `${field} to ${sql}`);
  return [
    ...(others.length === 0 ? [] : [`sets ${others.join(', ')}`]),
    ...(emptied.length === 0 ? [] : [`empties ${emptied.join(', ')}`]),
  ].join(' and ');
}

const gone = (fact: MachineFunctionFact | null): boolean => fact !== null && fact.body === null;

/** Returns the source expression of a compiled function, over the fields of the row. */
function expressionOf({ row, body }: MachineFunctionFact): string {
  if (body === null) return '(gone)';
  const text = body.replace(/^RETURN\s+/, '');
  return withoutRow(unwrapped(text), row);
}

/** Returns the fields and their new values from `jsonb_build_object('field', expression, …)`. */
function settings(fact: MachineFunctionFact): { field: string; sql: string }[] {
  const text = expressionOf(fact);
  const [call, group] = tokenise(text) ?? [];
  if (call?.kind !== 'word' || call.value !== 'jsonb_build_object' || group?.kind !== 'group') return [];
  const parts = split(group.items).map((items) => ({
    items,
    text: text.slice(items[0]?.start ?? 0, items.at(-1)?.end ?? 0),
  }));
  return parts.flatMap(({ items }, i) => {
    const [field] = items;
    return i % 2 === 0 && field?.kind === 'string'
      ? [{ field: field.value, sql: unwrapped(parts[i + 1]?.text ?? '') }]
      : [];
  });
}

/** Splits arguments at commas. */
function split(items: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of items) {
    if (token.kind === 'operator' && token.value === ',') parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

/** Removes brackets around the whole text. */
function unwrapped(text: string): string {
  const tokens = tokenise(text);
  const [only] = tokens ?? [];
  return tokens?.length === 1 && only?.kind === 'group' && only.bracket === '('
    ? unwrapped(text.slice(only.start + 1, only.end - 1).trim())
    : text;
}

/**
 * Replaces `(tickets).status` by `status`. In a subquery, where a plain name could mean another relation, replaces
 * `(function.tickets).status` by `tickets.status`.
 */
function withoutRow(text: string, row: string | null): string {
  if (row === null) return text;
  const places: { start: number; end: number; text: string }[] = [];
  const look = (tokens: readonly Token[], within: boolean) => {
    tokens.forEach((token, i) => {
      if (token.kind !== 'group') return;
      const [next, first, last] = [tokens[i + 1], token.items[0], token.items.at(-1)];
      const isRow =
        last?.kind === 'word' && last.value === row && (token.items.length === 1 || token.items.length === 3);
      if (isRow && next?.kind === 'operator' && next.value === '.') {
        places.push({ start: token.start, end: next.end, text: within ? `${sqlName(row)}.` : '' });
      } else look(token.items, within || (first?.kind === 'word' && /^(select|with)$/i.test(first.value)));
    });
  };
  look(tokenise(text) ?? [], false);
  return places.reduceRight((left, place) => left.slice(0, place.start) + place.text + left.slice(place.end), text);
}

const isOn = (trigger: MachineTriggerFact): boolean => trigger.state === 'on' || trigger.state === 'not in replicas';

const guards = ({ does }: MachineTriggerFact): boolean => does === 'check_state_change' || does === 'check_start';

const consequences: Readonly<Record<MachineTriggerFact['does'], string>> = {
  check_state_change: 'not enforced: rows may go from any state to any other',
  check_start: 'not enforced: new rows may start in any state',
  set_fields: 'fields are not set',
  record_state_change: 'state changes are not recorded',
  fill_state: 'a new row without a state does not get the initial one',
};

/**
 * Returns the consequence of a trigger that does not run. If transitions set fields, the trigger that sets them also
 * checks the state change.
 */
function consequenceOf({ does }: MachineTriggerFact, { triggers }: MachineFact): string {
  const isJudged = triggers.some((one) => one.does === 'set_fields' && isOn(one));
  return does === 'check_state_change' && isJudged
    ? 'not enforced in full: what a transition requires may be left out, and what other triggers make of the state is not judged'
    : consequences[does];
}

const missing: Readonly<Record<MachineTriggerFact['state'], string>> = {
  on: '',
  'not in replicas': 'is not enabled always: a connection that is set up as a replica passes it by',
  off: 'is switched off',
  other: 'was replaced by one that runs under other conditions',
  missing: 'is missing',
};

/**
 * Returns the problem of a default that differs from the initial state. PostgreSQL sets the default before the trigger
 * could set the initial state, and the trigger then refuses the row.
 */
function otherDefault(facts: DecisionFacts, fact: MachineFact): string[] {
  const field = facts.fields.find((one) => one.relation === fact.relation && one.name === fact.field);
  const [token, cast] = tokenise(field?.default ?? '') ?? [];
  if (token?.kind !== 'string' || token.value === fact.initial) return [];
  if (cast !== undefined && !(cast.kind === 'operator' && cast.value === '::')) return [];
  return [`a new row that leaves ${fact.field} out is refused: its default is ${token.value}, not ${fact.initial}`];
}

function problemsOf(facts: DecisionFacts, fact: MachineFact, states: readonly MachineState[]): string[] {
  const named = [fact.initial, ...fact.transitions.flatMap(({ from, to }) => [to, ...(from ?? [])])];
  const fields = new Set(facts.fields.filter((one) => one.relation === fact.relation).map((one) => one.name));
  const roles = new Set([...facts.member_roles.map((role) => role.name), ...facts.roles.map((role) => role.name)]);
  return [
    ...fact.triggers
      .filter((trigger) => !isOn(trigger))
      .map((trigger) => `${consequenceOf(trigger, fact)}, as the trigger ${trigger.timing} ${missing[trigger.state]}`),
    ...fact.triggers
      .filter((trigger) => trigger.state === 'not in replicas' && guards(trigger))
      .map((trigger) => `the trigger ${trigger.timing} ${missing[trigger.state]}`),
    ...fact.heirs.map((heir) => `not enforced for rows of ${heir}, which inherits from the table`),
    ...fact.later_triggers.map(
      (name) => `the trigger ${name} runs after the fields of a transition are set, and may change them`,
    ),
    ...(fact.has_key ? [] : ['state changes cannot be recorded, as the table has no primary key']),
    ...(fields.has(fact.field) ? [] : [`there is no field ${fact.field}`]),
    ...otherDefault(facts, fact),
    ...[...new Set(named)]
      .filter((state) => fact.values !== null && !fact.values.includes(state))
      .map((state) => `${state} is not a value of the field`),
    ...fact.transitions.flatMap((one) => [
      ...[...one.requires, ...one.sets]
        .filter((name) => !fields.has(name))
        .map((name) => `the transition ${one.name} needs the field ${name}, which is gone`),
      ...(one.roles ?? [])
        .filter((role) => !roles.has(role) && role !== 'pg_database_owner')
        .map((role) => `the transition ${one.name} is for the role ${role}, which is gone`),
      ...(gone(one.guard) || gone(one.setter)
        ? [`the transition ${one.name} is broken: what it was compiled to is gone`]
        : []),
    ]),
    ...states.filter((state) => !state.reached).map((state) => `no transition reaches the state ${state.name}`),
  ];
}
