import type { Entity } from '../../../../contract/specification-entities.ts';

/**
 * The values of a row by field. Each value is the text that PostgreSQL prints, so that no digit of a number and no
 * fraction of a second is lost.
 */
export type Row = Readonly<Record<string, string | null>>;

/** The caller who reads and writes rows: `service` for the service key, `anon` for a caller without a session, or the id of a member. */
export type RequestRole = 'service' | 'anon' | (string & {});

export interface Sort {
  field: string;
  descending: boolean;
}

/**
 * Returns the fields that identify a row of this entity: its primary key, or else a unique key without nullable fields.
 * If the entity has neither, returns no fields: its rows can be read, but no single row can be changed.
 */
export function keyFields(entity: Entity): readonly string[] {
  if (entity.primary_key.length > 0) return entity.primary_key;
  const neverNull = new Set(entity.fields.filter(({ nullable }) => !nullable).map(({ name }) => name));
  return entity.unique_keys.find((key) => key.length > 0 && key.every((field) => neverNull.has(field))) ?? [];
}

/** Returns the values of a row's key in the order of `fields`; null if one of them is unknown. */
export function keyOf(row: Row, fields: readonly string[]): readonly string[] | null {
  const values = fields.map((field) => row[field]);
  return values.length > 0 && values.every((value) => typeof value === 'string') ? (values as string[]) : null;
}

/** Returns a row key as one string, for a Set and for the address bar. */
export const keyText = (key: readonly string[]): string => JSON.stringify(key);

/** Parses a string that `keyText` has written. Returns null if the string is no key with as many values as `fields`. */
export function keyFromText(text: string, fields: readonly string[]): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(text);
    const fits =
      Array.isArray(value) && value.length === fields.length && value.every((part) => typeof part === 'string');
    return fits && fields.length > 0 ? (value as string[]) : null;
  } catch {
    return null;
  }
}
