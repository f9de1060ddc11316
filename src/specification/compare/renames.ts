import { sqlName } from '../../catalog/names.ts';
import type { ObjectIds } from './object-ids.ts';
import { isQualified, type Rename, type RenameKind, withNameSuffix } from './object-names.ts';

/**
 * Marks the older name of an object if another object has taken this name. PostgreSQL never prints a name with this
 * suffix. `withoutMarks` removes the mark.
 */
const MARK = '\ue000';

/** Returns a text without the marks (`MARK`) of names. */
export const withoutMarks = (text: string): string =>
  text.includes(MARK) ? text.replaceAll(quotedMark, (_, name: string) => sqlName(name)).replaceAll(MARK, '') : text;

/** A marked name has quotes in SQL even if the name itself needs none. */
const quotedMark = new RegExp(`"([^"]*)${MARK}"`, 'g');

/** Returns the name of an object with a mark at its end. */
export const marked = (kind: RenameKind, name: string, mark: string): string =>
  isQualified(kind) ? withNameSuffix(name, mark) : name + mark;

type Names = Readonly<Record<string, string>>;

/** Returns the renames between two versions of one app; null if their object ids are those of two databases. */
export function renamesBetween(before: ObjectIds, after: ObjectIds): Rename[] | null {
  if (before.incarnation !== after.incarnation) return null;
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
    return [{ kind, id: key, of: ownerOf(key), before: name, after: now, isDisplaced: false }];
  });
  const taken = new Set(found.map((one) => `${one.of}\0${one.after}`));
  const displaced = Object.entries(before).flatMap(([key, name]): Rename[] => {
    const of = ownerOf(key);
    if (after[key] !== undefined || !taken.has(`${of}\0${name}`)) return [];
    return [{ kind, id: key, of, before: name, after: marked(kind, name, MARK), isDisplaced: true }];
  });
  return [...found, ...displaced];
}
