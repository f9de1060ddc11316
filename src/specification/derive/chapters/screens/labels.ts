import type { Labels } from '../../../../../contract/description.ts';
import type { LabelFact } from '../../../../catalog/description.ts';
import { groupBy } from '../../../../catalog/group.ts';

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
