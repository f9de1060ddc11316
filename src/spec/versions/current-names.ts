import { isObject, type JsonObject } from '../changes/differences.ts';

/** Fields of the chapters that earlier builds stored under another name. */
const fields: Readonly<Record<string, string>> = {
  from_now_on: 'default_privileges',
  shown_keys: 'view_foreign_keys',
  shows: 'side',
  weight: 'severity',
};

/** Values of the field `severity` in the terms of earlier builds. */
const severities: Readonly<Record<string, string>> = { risk: 'security', slow: 'performance', idle: 'unused' };

/**
 * Returns the chapters of a stored version or of an exported file under the names of this build. Only chapters 3 and 6
 * have such fields, so that names in other chapters, which can be an app's own, stay.
 */
export function withCurrentNames(chapters: JsonObject): JsonObject {
  const { entities, roles } = chapters;
  return {
    ...chapters,
    ...(isObject(entities) && 'shown_keys' in entities && { entities: renamed(entities, ['shown_keys']) }),
    ...(isObject(roles) && 'from_now_on' in roles && { roles: renamed(roles, ['from_now_on', 'advice']) }),
  };
}

/** Renames the given fields of a chapter, and the fields of the entries in them. */
function renamed(chapter: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(chapter).map(([name, value]) => [
      fields[name] ?? name,
      names.includes(name) && Array.isArray(value) ? value.map((entry) => entryRenamed(entry)) : value,
    ]),
  );
}

const entryRenamed = (entry: unknown): unknown =>
  isObject(entry)
    ? Object.fromEntries(
        Object.entries(entry).map(([name, value]) => [
          fields[name] ?? name,
          name === 'weight' ? (severities[String(value)] ?? value) : value,
        ]),
      )
    : entry;
