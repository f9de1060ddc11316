import { groupBy } from '../group.ts';
import { canonical, isObject, type JsonObject } from './differences.ts';
import type { Told } from './teller.ts';
import { placeOf } from './words/renames.ts';
import { items, text, texts } from './words/values.ts';

/**
 * The chapters before, with the roles of members as they are called after, and the sentences that say so by the chapter that has the names. One
 * that is gone and one that is new are taken for the same where they are described alike, as no other is, or may do the same, as no other
 * may. What policies, machines and defined screens say of a role by its name they go on saying: that is left as it is. Pure.
 */
export function followRoles(before: JsonObject, after: JsonObject): { before: JsonObject; told: Map<string, Told[]> } {
  const renamed = renamedRoles(before, after);
  if (renamed.size === 0) return { before, told: new Map() };
  const order = items(after.roles, 'roles').map((role) => text(role, 'name'));
  const isNow = (role: string): string => renamed.get(role) ?? role;
  const place = (role: string): number => order.indexOf(role) + 1 || order.length + 1;
  const told = (key: string): Told[] =>
    [...renamed].map(([was, is]) => ({
      words:
        key === 'roles'
          ? `In place of the role ${was} of members there is ${is}, the same but for its name.`
          : `${placeOf(key)}, the role ${was} of members is now ${is}.`,
      of: [{ path: ['roles', `[${is}]`], kind: 'changed', before: was, after: is }],
    }));
  const used = new Set<string>(['roles']);
  const listed = (chapter: 'screens' | 'calls', list: string): unknown => {
    const there = before[chapter];
    if (!isObject(there)) return there;
    const now = new Map(items(after[chapter], list).map((item) => [addressOf(item), texts(item, 'roles')]));
    // A defined screen that names whom it is for goes on naming them.
    const isKept = (item: JsonObject) => (now.get(addressOf(item)) ?? []).some((role) => renamed.has(role));
    return {
      ...there,
      [list]: items(there, list).map((item) => {
        const roles = texts(item, 'roles');
        if (isKept(item) || !roles.some((role) => renamed.has(role))) return item;
        used.add(chapter);
        return { ...item, roles: roles.map(isNow).sort((a, b) => place(a) - place(b)) };
      }),
    };
  };
  const own = before.roles as JsonObject;
  const roles = {
    ...own,
    roles: items(own, 'roles').map((role) => {
      const name = isNow(text(role, 'name'));
      return name === role.name ? role : { ...role, name, member_role: name };
    }),
    cells: items(own, 'cells').map((cell) => ({ ...cell, role: isNow(text(cell, 'role')) })),
  };
  const followed = { ...before, screens: listed('screens', 'screens'), calls: listed('calls', 'calls'), roles };
  return { before: followed, told: new Map([...used].map((key) => [key, told(key)])) };
}

const addressOf = (item: JsonObject): string => text(item, 'route') || text(item, 'id');

function renamedRoles(before: JsonObject, after: JsonObject): Map<string, string> {
  const [old, fresh] = [before, after].map(
    (chapters) => new Set(items(chapters.roles, 'roles').map((role) => text(role, 'name'))),
  );
  const only = (chapters: JsonObject, others: ReadonlySet<string> | undefined): JsonObject[] =>
    items(chapters.roles, 'roles').filter(
      (role) => typeof role.member_role === 'string' && !others?.has(text(role, 'name')),
    );
  const [gone, come] = [only(before, fresh), only(after, old)];
  const pairs = new Map<string, string>();
  if (gone.length === 0 || come.length === 0) return pairs;
  const mays = [mayOf(before, gone), mayOf(after, come)] as const;
  const isKnown = (role: JsonObject) => [...pairs].flat().includes(text(role, 'name'));
  const likenesses = [
    (role: JsonObject) => text(role, 'meaning'),
    (role: JsonObject) => mays[0].get(text(role, 'name')) ?? mays[1].get(text(role, 'name')) ?? '',
  ];
  for (const likeness of likenesses) {
    const candidates = groupBy(
      come.filter((role) => !isKnown(role)),
      likeness,
    );
    const left = groupBy(
      gone.filter((role) => !isKnown(role)),
      likeness,
    );
    for (const [key, [one, ...more]] of left) {
      const [other, ...others] = candidates.get(key) ?? [];
      if (key !== '' && one && other && more.length + others.length === 0)
        pairs.set(text(one, 'name'), text(other, 'name'));
    }
  }
  return pairs;
}

/** What each role may do. */
function mayOf(chapters: JsonObject, roles: readonly JsonObject[]): Map<string, string> {
  const cells = groupBy(items(chapters.roles, 'cells'), (cell) => text(cell, 'role'));
  return new Map(
    roles.map((role) => {
      const own = (cells.get(text(role, 'name')) ?? []).map(({ role: _, ...cell }) => canonical(cell));
      return [text(role, 'name'), own.sort().join('\n')];
    }),
  );
}
