import type { Field } from '../../../../contract/specification-entities.ts';
import { kindOf } from '../../values/field-kind.ts';
import type { Row } from './row.ts';

/**
 * Writes values as the JSON body of a write. Texts become JSON strings, which PostgreSQL reads with the input function
 * of the type. JSON values are sent exactly as typed and must have passed `checkValue`.
 */
export function rowBody(values: Row, fields: readonly Field[]): string {
  const json = new Set(fields.filter((field) => kindOf(field) === 'json').map(({ name }) => name));
  const members = Object.entries(values).map(
    ([name, value]) =>
      `${JSON.stringify(name)}:${value === null ? 'null' : json.has(name) ? value : JSON.stringify(value)}`,
  );
  return `{${members.join(',')}}`;
}
