import type { Field } from '../../../../contract/specification-entities.ts';
import { kindOf } from '../../values/field-kind.ts';
import type { Row } from './row.ts';

/**
 * Values as the JSON body of a write. Texts go as JSON texts, which PostgreSQL reads with the type's own input function;
 * JSON goes as it was typed, digit for digit. A JSON value must have passed `checkValue`.
 */
export function rowBody(values: Row, fields: readonly Field[]): string {
  const json = new Set(fields.filter((field) => kindOf(field) === 'json').map(({ name }) => name));
  const members = Object.entries(values).map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${value === null ? 'null' : json.has(name) ? value : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}
