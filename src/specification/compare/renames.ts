import type { ObjectIds } from './object-ids.ts';

export type RenameKind =
  | 'entity'
  | 'sequence'
  | 'field'
  | 'function'
  | 'type'
  | 'label'
  | 'constraint'
  | 'policy'
  | 'trigger'
  | 'role';

/** An object that has the same id in both versions and different names. */
export interface Rename {
  readonly kind: RenameKind;
  /**
   * The newer name of the containing object: for a field the id of its table, for a label of an enum its type. Empty
   * for other kinds.
   */
  readonly of: string;
  readonly before: string;
  readonly after: string;
  /**
   * True if a removed object had this name and another object has taken it. Texts about the removed object then get a
   * marked name, and no sentence reports this rename.
   */
  readonly isDisplaced: boolean;
}

/**
 * Marks the older name of an object if another object has taken this name. PostgreSQL never prints a name with this
 * suffix. `withoutMarks` removes the mark.
 */
const MARK = '\ue000';

/** Returns a text without the marks (`MARK`) of names. */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, '');

type Names = Readonly<Record<string, string>>;

/**
 * Returns the renames between two versions of one app. Returns null if the versions have no object ids, or ids of two
 * databases.
 */
export function renamesBetween(before: ObjectIds | null, after: ObjectIds | null): Rename[] | null {
  if (before === null || after === null || before.incarnation !== after.incarnation) return null;
  const inRelation = after.relations;
  return [
    ...renamed('entity', before.relations, after.relations),
    ...renamed('sequence', before.sequences, after.sequences),
    ...renamed('function', before.functions, after.functions),
    ...renamed('type', before.types, after.types),
    ...renamed('role', before.roles, after.roles),
    ...renamed('label', before.labels, after.labels, after.types),
    ...renamed('field', before.fields, after.fields, inRelation),
    ...renamed('constraint', before.constraints, after.constraints, inRelation),
    ...renamed('policy', before.policies, after.policies, inRelation),
    ...renamed('trigger', before.triggers, after.triggers, inRelation),
  ];
}

/**
 * Returns the renamed objects of one kind.
 * @param owners The newer name of the object that contains a part, by the first number of the key of the part.
 */
function renamed(kind: RenameKind, before: Names, after: Names, owners: Names = {}): Rename[] {
  const ownerOf = (key: string): string => owners[key.split('.')[0] ?? ''] ?? '';
  const found = Object.entries(before).flatMap(([key, name]): Rename[] => {
    const now = after[key];
    if (now === undefined || now === name) return [];
    return [{ kind, of: ownerOf(key), before: name, after: now, isDisplaced: false }];
  });
  const taken = new Set(found.map((one) => `${one.of}\0${one.after}`));
  const displaced = Object.entries(before).flatMap(([key, name]): Rename[] => {
    const of = ownerOf(key);
    if (after[key] !== undefined || !taken.has(`${of}\0${name}`)) return [];
    return [{ kind, of, before: name, after: `${name}${MARK}`, isDisplaced: true }];
  });
  return [...found, ...displaced];
}
