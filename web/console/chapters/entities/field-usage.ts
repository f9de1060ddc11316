import { isWritable } from '../../../../contract/call-detail.ts';
import type { Screen } from '../../../../contract/description.ts';
import type { Chapters, Rule } from '../../../../contract/specification.ts';
import type { CallEntry } from '../../../../contract/specification-calls.ts';
import type { Entity, Field, Relation } from '../../../../contract/specification-entities.ts';
import type { PolicyEntry, RoleEntry, Verdict } from '../../../../contract/specification-roles.ts';
import type { Machine } from '../../../../contract/states.ts';
import { highlight } from '../../../ui/highlight.ts';
import { shortId } from '../../format/format.ts';
import { identifier } from '../../queries/sql.ts';
import { periodKeysOf } from './entity-words.ts';

/** Everything that a specification contains about one field. */
export interface FieldUsage {
  entity: Entity;
  field: Field;
  /** `pointsTo`: relations in which this field references others. `pointedBy`: relations in which others reference this field. */
  pointsTo: Relation[];
  pointedBy: Relation[];
  rules: Rule[];
  /** Policies of the entity whose expressions contain the field. */
  policies: PolicyEntry[];
  screens: Screen[];
  /** Machines whose state is in the field, and those whose transitions require, set or ask for the field. */
  machines: { machine: Machine; moves: boolean; transitions: string[] }[];
  /** The access of each role to the field. */
  access: { role: RoleEntry; read: Verdict; insert: Verdict; update: Verdict }[];
  calls: CallEntry[];
}

/** Collects everything about a field; null if the specification does not contain the field. Pure. */
export function fieldUsage(chapters: Chapters, entityId: string, name: string): FieldUsage | null {
  const entity = chapters.entities?.entities.find(({ id }) => id === entityId);
  const field = entity?.fields.find((one) => one.name === name);
  if (!entity || !field) return null;
  const relations = chapters.entities?.relations ?? [];
  const ends = (end: Relation['from']) =>
    end.schema === entity.schema && end.entity === entity.name && end.fields.includes(name);
  return {
    entity,
    field,
    pointsTo: relations.filter(({ from }) => ends(from)),
    pointedBy: relations.filter(({ to }) => ends(to)),
    rules: (chapters.rules?.rules ?? []).filter((rule) => rule.entity === entityId && rule.fields.includes(name)),
    policies: (chapters.roles?.policies ?? []).filter(
      (policy) =>
        policy.entity === entityId && [policy.using, policy.check].some((sql) => sql !== null && names(sql, name)),
    ),
    screens: (chapters.screens?.screens ?? []).filter(
      (screen) =>
        screen.entity === entityId &&
        (screen.columns.includes(name) ||
          screen.state_field === name ||
          [screen.filter, screen.order_by].some((part) => part !== null && namesInQuery(part, name))),
    ),
    machines: (chapters.states?.machines ?? [])
      .filter((machine) => machine.entity === entityId)
      .map((machine) => ({
        machine,
        moves: machine.field === name,
        transitions: machine.transitions
          .filter(
            ({ requires, sets, when }) =>
              requires.includes(name) ||
              sets.some((set) => set.field === name) ||
              (when !== null && names(when.sql, name)),
          )
          .map((transition) => transition.name),
      }))
      .filter(({ moves, transitions }) => moves || transitions.length > 0),
    access: (chapters.roles?.roles ?? []).map((role) => {
      const verdict = (operation: 'select' | 'insert' | 'update'): Verdict => {
        const cell = chapters.roles?.cells.find(
          (one) => one.role === role.name && one.entity === entityId && one.operation === operation,
        );
        if (!cell || (cell.columns !== null && !cell.columns.includes(name))) return 'never';
        // The cell is "when" if the grant omits fields. For a field that the grant names, the policies decide.
        return cell.verdict;
      };
      return { role, read: verdict('select'), insert: verdict('insert'), update: verdict('update') };
    }),
    calls: (chapters.calls?.calls ?? []).filter(
      (call) => call.entity === entityId && (call.method === 'POST' || call.method === 'PATCH') && isWritable(field),
    ),
  };
}

/** Returns true if an SQL expression contains a field as a word outside of string literals and comments, or as a quoted name. Pure. */
export function names(sql: string, field: string): boolean {
  const quoted = identifier(field);
  const word = new RegExp(`(?<![\\w$])${field.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'u');
  return highlight(sql, 'sql').some(({ kind, text }) =>
    kind === 'string'
      ? text === quoted || text.endsWith(quoted)
      : kind !== 'note' && kind !== 'name' && word.test(text),
  );
}

/** Returns true if a part of a data call's query contains a field: status=eq.new, created_at.desc,id. */
const namesInQuery = (query: string, field: string): boolean =>
  new RegExp(`(?<![\\w$])${field.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'u').test(query);

const keyWords: readonly (readonly [(entity: Entity, field: Field) => boolean, string])[] = [
  [({ primary_key }, { name }) => primary_key.includes(name), 'part of the key'],
  [({ unique_keys }, { name }) => unique_keys.some((key) => key.length === 1 && key[0] === name), 'unique'],
];

/**
 * Describes a field in one sentence: "Type text, required: title is 3 to 120 characters.", "Type int4range, without overlaps among rows of
 * the same room, required."
 */
export function fieldSentence({ entity, field, rules }: FieldUsage): string {
  const { type, nullable, generated, identity, enum_values } = field;
  const marks = [
    ...keyWords.flatMap(([is, word]) => (is(entity, field) ? [word] : [])),
    ...periodKeysOf(entity, field.name),
    identity !== null ? 'identity' : generated !== null ? 'computed' : nullable ? 'optional' : 'required',
  ];
  const check = rules.find(({ kind }) => kind === 'check')?.words;
  const values = enum_values === null ? null : `one of ${enum_values.join(', ')}`;
  const more = [values, check].filter((part) => part !== null && part !== undefined).join('; ');
  return `Type ${shortId(type)}, ${marks.join(', ')}${more === '' ? '' : `: ${more}`}.`;
}
