import type { ObjectIds } from '../versions/object-ids.ts';

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

/** An object with the same id and another name. */
export interface Rename {
  readonly kind: RenameKind;
  /**
   * The newer name of the containing object: of a field the id of its table, of a label its type. Empty for other
   * kinds.
   */
  readonly of: string;
  readonly before: string;
  readonly after: string;
  /** True if another object took the name of a removed object. No sentence names this rename. */
  readonly isDisplaced: boolean;
}

/**
 * Marks a name that another object took over. PostgreSQL never prints a name with this suffix. `withoutMarks` removes
 * it.
 */
const MARK = '\ue000';

/** Returns a text without the marks of names that another object took over. */
export const withoutMarks = (text: string): string => text.replaceAll(MARK, '');

type Names = Readonly<Record<string, string>>;

/**
 * Returns the renames between two versions of one app. Returns none without ids or with ids of two databases; changed
 * objects are then reported as removed and added.
 */
export function renamesBetween(before: ObjectIds | null, after: ObjectIds | null): Rename[] {
  if (before === null || after === null || before.incarnation !== after.incarnation) return [];
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

/** @param owners The newer names of the containing objects, by the first number of their keys. */
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
