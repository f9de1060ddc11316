/**
 * Where two JSON values differ. Lists of objects are compared by what identifies their items, so that an item that comes
 * first does not make all that follow it differ. Complete: values that are not equal have at least one difference,
 * equal ones have none. The order of an object's members means nothing; an absent member and one that is undefined are the same.
 */
export interface Difference {
  /** From the outermost: names of members, and `[key]` for an item of a list. */
  path: readonly string[];
  kind: 'added' | 'removed' | 'changed';
  /** Undefined where it was added. */
  before: unknown;
  /** Undefined where it was removed. */
  after: unknown;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What may identify the items of a list, tried in this order: the first of which every item has a text (or a number) and
 * no two items the same.
 */
const identities: readonly (readonly string[])[] = [
  ['id'],
  ['role', 'entity', 'operation'],
  ['entity', 'name'],
  ['from', 'name'],
  ['view', 'shows', 'from', 'name'],
  ['extension', 'schema'],
  ['in', 'name'],
  ['name'],
  ['key'],
  ['code'],
  ['route'],
  ['label'],
];

/** `isWhole` says of a path that what is there is compared as one thing, and not looked into. */
export function differences(
  before: unknown,
  after: unknown,
  isWhole: (path: readonly string[]) => boolean = () => false,
): Difference[] {
  const found: Difference[] = [];
  compare(before, after, [], isWhole, found);
  return found;
}

type Found = Difference[];
type IsWhole = (path: readonly string[]) => boolean;

function compare(before: unknown, after: unknown, path: readonly string[], isWhole: IsWhole, found: Found): void {
  if (sameJson(before, after)) return;
  if (before === undefined) found.push({ path, kind: 'added', before, after });
  else if (after === undefined) found.push({ path, kind: 'removed', before, after });
  else if (isWhole(path)) found.push({ path, kind: 'changed', before, after });
  else if (isObject(before) && isObject(after)) compareObjects(before, after, path, isWhole, found);
  else if (isList(before) && isList(after)) compareLists(before, after, path, isWhole, found);
  else found.push({ path, kind: 'changed', before, after });
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  path: readonly string[],
  isWhole: IsWhole,
  found: Found,
) {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    compare(own(before, name), own(after, name), [...path, name], isWhole, found);
  }
}

/** A member of the object itself; `__proto__` is a name like any other. */
const own = (object: JsonObject, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);

function compareLists(
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  path: readonly string[],
  isWhole: IsWhole,
  found: Found,
): void {
  const keyOf = identityOf(before, after);
  const old = new Map(keysOf(before, keyOf).map((key, i) => [key, before[i]]));
  const fresh = new Map(keysOf(after, keyOf).map((key, i) => [key, after[i]]));
  for (const [key, item] of old) {
    if (!fresh.has(key)) found.push({ path: [...path, `[${key}]`], kind: 'removed', before: item, after: undefined });
  }
  for (const [key, item] of fresh) compare(old.get(key), item, [...path, `[${key}]`], isWhole, found);
  const [oldOrder, freshOrder] = [
    [...old.keys()].filter((key) => fresh.has(key)),
    [...fresh.keys()].filter((key) => old.has(key)),
  ];
  if (oldOrder.some((key, i) => key !== freshOrder[i])) {
    found.push({ path: [...path, 'order'], kind: 'changed', before: oldOrder, after: freshOrder });
  }
}

/** Keys of the items, each only once: what is there twice is counted. */
function keysOf(items: readonly JsonObject[], keyOf: (item: JsonObject) => string): string[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const key = keyOf(item);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key} #${count}`;
  });
}

/** Returns what identifies the items of two versions of a list. */
export function identityOf(before: readonly JsonObject[], after: readonly JsonObject[]): (item: JsonObject) => string {
  const identity = identities.find((names) => identifies(names, before) && identifies(names, after));
  return identity ? (item) => identity.map((name) => keyText(own(item, name))).join(' ') : canonical;
}

function identifies(names: readonly string[], items: readonly JsonObject[]): boolean {
  const keys = items.map((item) => names.map((name) => keyText(own(item, name))));
  return (
    keys.every((key) => !key.includes('')) && new Set(keys.map((key) => JSON.stringify(key))).size === items.length
  );
}

/** The text of a member that identifies; empty for anything that cannot. */
function keyText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return isObject(value) && typeof value.schema === 'string' ? `${value.schema}.${String(value.entity)}` : '';
}

/** Of objects; an empty list may be one, and two of them are equal before it matters. */
const isList = (value: unknown): value is readonly JsonObject[] => Array.isArray(value) && value.every(isObject);

/** JSON with the members of every object in the order of their names, absent ones left out. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value)
    .filter((name) => own(value, name) !== undefined)
    .sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(own(value, name))}`).join(',')}}`;
}

function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const hasAll = (one: JsonObject, other: JsonObject) =>
    Object.keys(one).every((name) => sameJson(own(one, name), own(other, name)));
  return hasAll(a, b) && Object.keys(b).every((name) => own(b, name) === undefined || own(a, name) !== undefined);
}
