import type { Labels } from '../../../../contract/description.ts';
import type { LabelFact } from '../../../catalog/description.ts';
import { groupBy } from '../../../catalog/group.ts';
import { type DescribedChange, matches } from '../../changes/describer.ts';
import { canonical, type Difference, isObject, type JsonObject } from '../../changes/differences.ts';
import { fewWords, quoted, text, thing } from '../../changes/values.ts';

/** Maximum number of labels that a sentence lists. */
const MOST_LABELS = 8;

/** Keys of labels within a language. The key of an entity is its id, that of a screen its route. */
export const labelKeys = {
  field: (entity: string, field: string): string => `${entity}.${field}`,
  value: (entity: string, field: string, value: string): string => `${entity}.${field} = ${value}`,
  transition: (entity: string, field: string, name: string): string => `${entity}.${field} > ${name}`,
  role: (name: string): string => `role ${name}`,
  action: (id: string): string => `action ${id}`,
};

/**
 * Returns the labels by language and key.
 * @param idOf Returns the id of an entity or a function from its qualified name.
 */
export function labelsIn(facts: readonly LabelFact[], idOf: (name: string) => string): Labels {
  const languages = groupBy(facts, ({ language }) => language);
  const entryOf = (fact: LabelFact) => {
    const { label, one, help } = fact;
    return [keyOf(fact, idOf), { label, ...(one !== null && { one }), ...(help !== null && { help }) }] as const;
  };
  return Object.fromEntries([...languages].map(([language, own]) => [language, Object.fromEntries(own.map(entryOf))]));
}

function keyOf({ kind, subject, field, value, transition }: LabelFact, idOf: (name: string) => string): string {
  if (kind === 'screen') return subject;
  if (kind === 'role') return labelKeys.role(subject);
  if (kind === 'action') return labelKeys.action(idOf(subject));
  const id = idOf(subject);
  if (value !== '') return labelKeys.value(id, field, value);
  if (transition !== '') return labelKeys.transition(id, field, transition);
  return field === '' ? id : labelKeys.field(id, field);
}

/** Returns true for a difference of labels: of all languages, or of one. */
export const isOfLabels = ({ path }: Difference): boolean => matches(path, 'labels') || matches(path, 'labels/*');

/** Describes the changed labels of each language, with the older and the newer text. */
export function labelChange(difference: Difference): DescribedChange {
  const { path, before, after } = difference;
  const [, language] = path;
  const of = (value: unknown): JsonObject =>
    language === undefined ? (isObject(value) ? value : {}) : { [language]: value };
  const [was, is] = [of(before), of(after)];
  const sentences = [...new Set([...Object.keys(was), ...Object.keys(is)])].map((one) => {
    const [old, fresh] = [was[one], is[one]].map((all) => (isObject(all) ? all : {})) as [JsonObject, JsonObject];
    const keys = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
    const changed = keys.filter((key) => canonical(old[key]) !== canonical(fresh[key]));
    return `Labels in ${one}: ${fewWords(
      changed.map((key) => labelWords(key, old[key], fresh[key])),
      MOST_LABELS,
    )}.`;
  });
  return { words: sentences.join(' '), of: [difference] };
}

/** Describes one label: "rooms is now “Zimmer” (before: “Räume”)". */
function labelWords(key: string, before: unknown, after: unknown): string {
  const name = thing(key);
  if (after === undefined) return `${name} has none any longer (before: ${textsOfLabel(before)})`;
  return `${name} is now ${textsOfLabel(after)}${before === undefined ? '' : ` (before: ${textsOfLabel(before)})`}`;
}

/** Returns all texts of a label: the label, the label of one row, and the help. */
const textsOfLabel = (label: unknown): string =>
  ['label', 'one', 'help'].flatMap((name) => (text(label, name) === '' ? [] : [quoted(text(label, name))])).join(' / ');
