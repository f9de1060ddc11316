import { isObject, type JsonObject } from './differences.ts';

/**
 * Chapters of an earlier version in the form that they have now, so that a new Ninefold is no change of what the app does. Calls on rows told all
 * fields of their entity again, where now the chapter's `rows` tells once what they have in common, as it does in `other`; what is granted
 * on what is made from now on was not told. Pure.
 */
export function inFormOfNow(chapters: JsonObject, other: JsonObject): JsonObject {
  return withFromNowOn(withRows(chapters, other), other);
}

function withFromNowOn(chapters: JsonObject, other: JsonObject): JsonObject {
  const { roles } = chapters;
  if (!isObject(roles) || roles.from_now_on !== undefined || !isObject(other.roles)) return chapters;
  return { ...chapters, roles: { ...roles, from_now_on: other.roles.from_now_on, sources: other.roles.sources } };
}

function withRows(chapters: JsonObject, other: JsonObject): JsonObject {
  const { calls } = chapters;
  if (!isObject(calls) || calls.rows !== undefined || !isObject(other.calls)) return chapters;
  const list = Array.isArray(calls.calls) ? calls.calls : [];
  return {
    ...chapters,
    calls: {
      ...calls,
      calls: list.map((call: unknown) =>
        isObject(call) && call.area === 'rest' ? { ...call, parameters: null, returns: null } : call,
      ),
      rows: other.calls.rows,
    },
  };
}
