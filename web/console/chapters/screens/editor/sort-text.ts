import type { Field } from '../../../../../contract/specification-entities.ts';
import { quoted } from '../../../../rows/query.ts';
import { isFigure, kindOf } from '../../../values/field-kind.ts';

/** A term of a screen's order. Without `field`, the editor cannot express it and shows its text. */
export interface SortTerm {
  /** The term as the definition has it: `created_at.desc`. */
  readonly text: string;
  readonly field: string | null;
  readonly isDescending: boolean;
}

/** Parses the order of a screen. Joining the texts with a comma returns the same order. Pure. */
export const parseSort = (order: string, fields: readonly Field[]): SortTerm[] =>
  order === '' ? [] : (order.match(/(?:"[^"]*"|[^,])+/g) ?? []).map((text) => termIn(text, fields));

function termIn(text: string, fields: readonly Field[]): SortTerm {
  const [, name, direction] = /^\s*("[^"]*"|[^".(]+?)(?:\.(asc|desc))?\s*$/.exec(text) ?? [];
  const field = fields.find((one) => name !== undefined && [one.name, quoted(one.name)].includes(name));
  return { text, field: field?.name ?? null, isDescending: direction === 'desc' };
}

/** Returns the term that sorts by a field. Pure. */
export const termOf = (field: string, isDescending: boolean): SortTerm => ({
  text: `${quoted(field)}${isDescending ? '.desc' : ''}`,
  field,
  isDescending,
});

export const writeSort = (terms: readonly SortTerm[]): string => terms.map(({ text }) => text).join(',');

/** Describes the two directions for a field, ascending first: "oldest first", "newest first". Pure. */
export function directionWords(field: Field | undefined): readonly [ascending: string, descending: string] {
  const kind = field && kindOf(field);
  if (kind === 'date' || kind === 'timestamp' || kind === 'timestamptz') return ['oldest first', 'newest first'];
  if (kind === 'boolean') return ['no first', 'yes first'];
  if (kind === 'enum') return ['first value first', 'last value first'];
  return kind && isFigure(kind) ? ['lowest first', 'highest first'] : ['A to Z', 'Z to A'];
}
