import { isObject, type JsonObject } from '../../derive/words/sentence-parts.ts';

/** Properties that earlier builds stored under another name: the earlier name, and the name in this build. */
const fields: Readonly<Record<string, string>> = {
  from_now_on: 'default_privileges',
  shown_keys: 'view_foreign_keys',
  shows: 'side',
  weight: 'severity',
};

/** Values of the property `severity` as earlier builds stored them, and as this build calls them. */
const severities: Readonly<Record<string, string>> = { risk: 'security', slow: 'performance', idle: 'unused' };

/**
 * Returns the chapters of a stored version or of an exported file with the property names of this build. Changes only
 * chapters 3 and 6, because only their properties were renamed. In other chapters, the same name could be a name of the
 * app.
 */
export function withCurrentNames(chapters: JsonObject): JsonObject {
  const { entities, roles } = chapters;
  return {
    ...chapters,
    ...(isObject(entities) && 'shown_keys' in entities && { entities: renamed(entities, ['shown_keys']) }),
    ...(isObject(roles) && 'from_now_on' in roles && { roles: renamed(roles, ['from_now_on', 'advice']) }),
  };
}

/** Renames the given properties of a chapter and of the entries in its lists. */
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
