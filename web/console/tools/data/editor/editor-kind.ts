import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../../contract/states.ts';
import type { TimeKind } from '../../../../fields/time-notation.ts';
import { kindOf } from '../../../values/field-kind.ts';

/** The kind of editor for a value. */
export type EditorKind = 'state' | 'files' | 'reference' | 'choice' | 'time' | 'json' | 'text';

/** Returns the entity that a field references, if it is exposed; null for accounts, which have no entity. */
export const targetOf = ({ references: to }: Field, entities: readonly Entity[]): Entity | null =>
  (to && entities.find(({ schema, name }) => schema === to.schema && name === to.entity)) ?? null;

/** Returns true if a field references the accounts of members. */
const isAccount = ({ references: to }: Field): boolean =>
  to?.schema === 'auth' && to.entity === 'users' && to.field === 'id';

/**
 * Returns the kind of editor for a field. A reference to an entity outside of the API is edited as text, because its
 * rows cannot be listed.
 */
export function editorKind(field: Field, machine: Machine | undefined, entities: readonly Entity[]): EditorKind {
  if (machine) return 'state';
  if (field.files) return 'files';
  if (targetOf(field, entities) || isAccount(field)) return 'reference';
  const kind = kindOf(field);
  if (kind === 'enum' || kind === 'boolean') return 'choice';
  if (timeKind(field)) return 'time';
  return kind === 'json' ? 'json' : 'text';
}

export function timeKind(field: Field): TimeKind | null {
  const kind = kindOf(field);
  return kind === 'date' || kind === 'timestamp' || kind === 'timestamptz' ? kind : null;
}

/**
 * Returns the meanings of an enum's values, from the comments of the field and its type: "low: within 5 days; high:
 * within 8 hours". Pure.
 */
export function meaningsOf({ enum_values, comment, type_comments }: Field): ReadonlyMap<string, string> {
  const texts = [comment, ...(type_comments ?? [])].filter((text) => text !== null);
  const parts = texts.flatMap((text) => text.split(/[;\n]|\.\s/));
  const meanings = new Map<string, string>();
  for (const value of enum_values ?? []) {
    const part = parts.find((one) => one.trim().startsWith(`${value}:`));
    if (part)
      meanings.set(
        value,
        part
          .trim()
          .slice(value.length + 1)
          .trim()
          .replace(/\.$/, ''),
      );
  }
  return meanings;
}
