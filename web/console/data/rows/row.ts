import type { Entity } from '../../../../contract/specification-entities.ts';

/** A row by its fields: each value as PostgreSQL prints it, so that no digit and no fraction of a second is lost. */
export type Row = Readonly<Record<string, string | null>>;

/** As whom rows are read and written: the service key, nobody in particular, or a member, by id. */
export type RequestRole = 'service' | 'anon' | (string & {});

export interface Sort {
  field: string;
  descending: boolean;
}

/**
 * The fields that tell a row of this entity from all others: its primary key, else a unique key without nulls. None:
 * its rows can be read, but not named.
 */
export function keyFields(entity: Entity): readonly string[] {
  if (entity.primary_key.length > 0) return entity.primary_key;
  const neverNull = new Set(entity.fields.filter(({ nullable }) => !nullable).map(({ name }) => name));
  return entity.unique_keys.find((key) => key.length > 0 && key.every((field) => neverNull.has(field))) ?? [];
}

/** The values of a row's key, in the order of `keyFields`; null where one is not known. */
export function keyOf(row: Row, fields: readonly string[]): readonly string[] | null {
  const values = fields.map((field) => row[field]);
  return values.length > 0 && values.every((value) => typeof value === 'string') ? (values as string[]) : null;
}

/** A key as one text, for sets and for the address bar. */
export const keyText = (key: readonly string[]): string => JSON.stringify(key);

/** The way back from `keyText`; null for what is no key of so many fields. */
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
