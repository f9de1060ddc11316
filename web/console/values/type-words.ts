import type { Field } from '../../../contract/specification-entities.ts';
import { counted } from '../format/format.ts';
import { kindOf, shortType } from './field-kind.ts';

/** The bounds of integer types. Those of bigint say nothing to a reader. */
const integerBounds: Readonly<Record<string, string>> = {
  smallint: '−32,768 to 32,767',
  integer: '−2,147,483,648 to 2,147,483,647',
};

/** Returns the maximum number of characters that a type allows: 120 for "character varying(120)". Null if the type has no limit. */
export function maxCharacters(type: string): number | null {
  const match = /^character(?: varying)?\((\d+)\)$/.exec(type);
  return match ? Number(match[1]) : null;
}

/**
 * Describes the valid values of a field, for the text below its editor: "Up to 120 characters. Never null." A reference
 * is chosen, so its type does not matter.
 */
export function typeInWords(field: Field): string {
  const words = field.references ? rowOf(field.references) : takes(field);
  return field.nullable ? words : `${words} Never null.`;
}

const rowOf = ({ schema, entity }: NonNullable<Field['references']>): string =>
  `A row of ${schema === 'public' ? entity : `${schema}.${entity}`}.`;

function takes(field: Field): string {
  const type = field.base_type ?? field.type;
  switch (kindOf(field)) {
    case 'text': {
      const max = maxCharacters(type);
      return max === null ? 'Text.' : `Up to ${max} characters.`;
    }
    case 'integer':
      return type in integerBounds ? `A whole number, ${integerBounds[type]}.` : 'A whole number.';
    case 'decimal':
      return decimalWords(type);
    case 'boolean':
      return 'true or false.';
    case 'enum':
      return `One of ${field.enum_values?.length ?? 0}.`;
    case 'uuid':
      return 'A UUID, 36 characters.';
    case 'date':
      return 'A date, 2026-11-20.';
    case 'timestamp':
      return 'A time without a zone, 2026-11-20 13:59:00.';
    case 'timestamptz':
      return 'A time with its zone, 2026-11-20 13:59:00+00.';
    case 'json':
      return 'JSON.';
    case 'bytes':
      return 'Bytes in hexadecimal, \\x00ff.';
    case 'array':
      return `An array of ${shortType(type).replace(/(\[\])+$/, '')}, {a,b}.`;
    case 'range':
      return 'A range, [1,5).';
    case 'vector': {
      const dimensions = /\((\d+)\)$/.exec(type)?.[1];
      return `A vector${dimensions === undefined ? '' : ` of ${counted(Number(dimensions), 'dimension')}`}, ${type.includes('sparsevec') ? '{1:0.5,3:2}/5' : '[0.1,0.2]'}.`;
    }
    case 'search':
    case 'other':
      return `${shortType(type)}, as PostgreSQL writes it.`;
  }
}

function decimalWords(type: string): string {
  const match = /^numeric\((\d+),(-?\d+)\)$/.exec(type);
  if (!match)
    return type === 'numeric' ? 'A number, with any number of digits.' : 'A number, rounded to what the type holds.';
  const [, precision, scale] = match;
  return `A number with up to ${Number(precision) - Number(scale)} digits before the point and ${scale} after.`;
}
