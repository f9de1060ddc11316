import { sqlName } from '../../catalog/names.ts';

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
  /** The key of the object in `ObjectIds`; empty if the rename was inferred from two files. */
  readonly id: string;
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

/** Splits SQL that PostgreSQL printed into names, strings, numbers and other characters. */
const token = /"(?:[^"]|"")*"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|'(?:[^']|'')*'|\d+|\s+|./gsu;
export const tokensOf = (sql: string): string[] => sql.match(token) ?? [];

/** Returns the parts of a qualified name in SQL notation. The id of a function ends with the types of its inputs. */
export function partsOf(id: string): string[] {
  const parts = tokensOf(id);
  const end = parts.indexOf('(');
  return (end < 0 ? parts : parts.slice(0, end)).filter((part) => part !== '.');
}

/** Returns the id of an object with a suffix at the end of its name. */
export function withNameSuffix(id: string, suffix: string): string {
  const [schema = '', ...name] = partsOf(id);
  const end = [schema, ...name].join('.').length;
  return `${schema}.${sqlName(plainName(name.join('.')) + suffix)}${id.slice(end)}`;
}

/** Returns true for objects whose names in `ObjectIds` contain their schema. */
export const isQualified = (kind: RenameKind): boolean => ['entity', 'sequence', 'function', 'type'].includes(kind);

/** Returns a name without the quotes of SQL. */
export const plainName = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name;

/** Returns the schema and the name of an object without the quotes of SQL. */
export function namesOf(id: string): { schema: string; name: string } {
  const [schema = '', name = ''] = partsOf(id).map(plainName);
  return { schema, name };
}
