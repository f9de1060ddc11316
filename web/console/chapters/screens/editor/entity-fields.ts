import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import { isFigure, kindOf } from '../../../values/field-kind.ts';

/** Returns the fields with a date or a time. */
export const timesOf = ({ fields }: Pick<Entity, 'fields'>): Field[] =>
  fields.filter((field) => ['date', 'timestamp', 'timestamptz'].includes(kindOf(field)));

/** Returns the fields of which a part can compute a sum or an average. */
export const numbersOf = ({ fields, primary_key: key }: Entity): Field[] =>
  fields.filter((field) => isFigure(kindOf(field)) && !key.includes(field.name) && field.references === null);

/** Returns the fields whose values can be bars or lines: first those with few values. */
export function groupFields({ fields, primary_key }: Entity): Field[] {
  const able = fields.filter(
    (field) => !primary_key.includes(field.name) && !['json', 'bytes', 'vector', 'search'].includes(kindOf(field)),
  );
  const rank = (field: Field) => (kindOf(field) === 'enum' ? 0 : field.references !== null ? 1 : 2);
  return [...able].sort((a, b) => rank(a) - rank(b));
}
