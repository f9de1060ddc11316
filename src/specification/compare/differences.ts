import { isObject, type JsonObject } from '../derive/words/sentence-parts.ts';

/**
 * A difference between two JSON values. Lists of objects are compared by the identity of their items, so an inserted
 * item does not change the following ones. Unequal values have at least one difference, and equal values have none. The
 * order of members does not matter, and an absent member equals one that is undefined.
 */
export interface Difference {
  /** The path from the root: names of members, and `[key]` for a list item. */
  path: readonly string[];
  kind: 'added' | 'removed' | 'changed';
  /** Undefined if the value was added. */
  before: unknown;
  /** Undefined if the value was removed. */
  after: unknown;
}

/**
 * Members that may identify the items of a list, in the order of preference. An identity must be a text or a number in
 * every item and different for each item.
 */
const identities: readonly (readonly string[])[] = [
  ['id'],
  ['role', 'entity', 'operation'],
  ['role', 'bucket', 'operation'],
  ['role', 'topic', 'operation'],
  ['role', 'edge_function'],
  ['role', 'entity'],
  ['entity', 'name'],
  ['from', 'name'],
  ['view', 'side', 'from', 'name'],
  ['extension', 'schema'],
  ['in', 'name'],
  ['name'],
  ['key'],
  ['code'],
  ['route'],
  ['label'],
  ['role'],
];

/**
 * Returns the differences between two values.
 * @param isWhole Returns true for a path whose value is compared as a whole.
 */
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

/** Returns the object's own member. A member may be named `__proto__`. */
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

/** Returns the unique keys of the items. If several items have the same key, adds a number to it. */
function keysOf(items: readonly JsonObject[], keyOf: (item: JsonObject) => string): string[] {
  const seen = new Map<string, number>();
  return items.map((item) => {
    const key = keyOf(item);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key} #${count}`;
  });
}

/** Returns the function that identifies items in two versions of a list. */
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

/** Returns an identifying member as a string; an empty string if its value cannot identify an item. */
function keyText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return isObject(value) && typeof value.schema === 'string' ? `${value.schema}.${String(value.entity)}` : '';
}

/** Returns true for a list of objects. An empty list counts as one, because two empty lists are equal. */
const isList = (value: unknown): value is readonly JsonObject[] => Array.isArray(value) && value.every(isObject);

/** Returns JSON with the members of every object sorted by name and without absent ones. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value)
    .filter((name) => own(value, name) !== undefined)
    .sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(own(value, name))}`).join(',')}}`;
}

/** Returns true if two values are equal as JSON. The order of members does not matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const hasAll = (one: JsonObject, other: JsonObject) =>
    Object.keys(one).every((name) => sameJson(own(one, name), own(other, name)));
  return hasAll(a, b) && Object.keys(b).every((name) => own(b, name) === undefined || own(a, name) !== undefined);
}
