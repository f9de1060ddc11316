import type { Entity } from '../../../../contract/specification-entities.ts';

/**
 * A row by its fields. Each value is the text that PostgreSQL prints, so that no digit and no fraction of a second is
 * lost.
 */
export type Row = Readonly<Record<string, string | null>>;

/** The caller of reads and writes: the service key, a caller without a session, or a member by id. */
export type RequestRole = 'service' | 'anon' | (string & {});

export interface Sort {
  field: string;
  descending: boolean;
}

/**
 * Returns the fields that identify a row of this entity: its primary key, or else a unique key without nullable fields.
 * Without such a key, returns no fields: the rows can be read but not addressed.
 */
export function keyFields(entity: Entity): readonly string[] {
  if (entity.primary_key.length > 0) return entity.primary_key;
  const neverNull = new Set(entity.fields.filter(({ nullable }) => !nullable).map(({ name }) => name));
  return entity.unique_keys.find((key) => key.length > 0 && key.every((field) => neverNull.has(field))) ?? [];
}

/** Returns the values of a row's key in the order of `keyFields`; null if a value is unknown. */
export function keyOf(row: Row, fields: readonly string[]): readonly string[] | null {
  const values = fields.map((field) => row[field]);
  return values.length > 0 && values.every((value) => typeof value === 'string') ? (values as string[]) : null;
}

/** Returns a row key as one string, for a Set and for the address bar. */
export const keyText = (key: readonly string[]): string => JSON.stringify(key);

/** Parses a string that `keyText` has written. Returns null if it is not a key with this number of fields. */
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
