import type { MenuGroup, ScreensChapter } from '../../../../../contract/description.ts';
import type { PortalScreens } from '../../../../../contract/portal.ts';
import type { MenuDefinition } from '../editor/definitions.ts';

/** A line of the menu in the editor: the heading of a group, or an entry. */
export type MenuLine =
  | {
      readonly kind: 'group';
      readonly key: string;
      readonly title: string;
      readonly titles: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'entry'; readonly route: string }
  /** The heading above the entries that are not in the menu. */
  | { readonly kind: 'rest' };

export interface MenuDesign {
  readonly lines: readonly MenuLine[];
  readonly home: string | null;
}

let invented = 0;
/** Returns the heading of a new group. */
export const newGroup = (title: string, titles: Readonly<Record<string, string>> = {}): MenuLine => ({
  ...{ kind: 'group', key: `group ${++invented}`, title, titles },
});

/**
 * Returns the lines of a menu: its groups, then the screens that are not in it. Pure.
 * @param all Routes of the screens and pages that the menu can have, in their order.
 */
export function readMenu(groups: readonly MenuGroup[], home: string | null, all: readonly string[]): MenuDesign {
  const shown = new Set(groups.flatMap(({ routes }) => routes));
  const entry = (route: string): MenuLine => ({ kind: 'entry', route });
  return {
    lines: [
      ...groups.flatMap(({ title, titles, routes }) => [newGroup(title ?? '', titles), ...routes.map(entry)]),
      { kind: 'rest' },
      ...all.filter((route) => !shown.has(route)).map(entry),
    ],
    home,
  };
}

/** Returns the groups that the lines describe. A group without entries is left out. Pure. */
export function groupsOf(lines: readonly MenuLine[]): MenuGroup[] {
  const groups: MenuGroup[] = [];
  for (const line of lines) {
    if (line.kind === 'rest') break;
    if (line.kind === 'group') {
      const { title, titles } = line;
      groups.push({
        title: title === '' ? null : title,
        ...(Object.keys(titles).length > 0 && { titles }),
        routes: [],
      });
    } else {
      if (groups.length === 0) groups.push({ title: null, routes: [] });
      groups.at(-1)?.routes.push(line.route);
    }
  }
  return groups.filter(({ routes }) => routes.length > 0);
}

/** Returns the definition of a menu. Pure. */
export const menuOf = (role: string, { lines, home }: MenuDesign): MenuDefinition => ({
  ...{ role, groups: groupsOf(lines), home },
});

/** Returns the menu that a role has: its own one, or that which follows from the screens. Pure. */
export function presentMenu(
  { menus = [] }: ScreensChapter,
  role: string,
  { navigation, home }: Pick<PortalScreens, 'navigation' | 'home'>,
): Omit<MenuDefinition, 'role'> & { isOwn: boolean } {
  const own = menus.find((menu) => menu.role === role);
  if (own) return { groups: own.groups, home: own.home, isOwn: true };
  return { groups: navigation.map(({ title, routes }) => ({ title, routes: [...routes] })), home, isOwn: false };
}

/**
 * Moves a line. A heading takes its entries with it. Pure.
 * @param to The index of the place in `lines`.
 */
export function movedLine(lines: readonly MenuLine[], from: number, to: number): MenuLine[] {
  const line = lines[from];
  if (!line || line.kind === 'rest' || from === to) return [...lines];
  // An entry stays below the first heading.
  if (line.kind === 'entry') return replaced(lines, from, 1, lines[0]?.kind === 'group' ? Math.max(1, to) : to);
  return movedGroup(lines, from, to);
}

function replaced(lines: readonly MenuLine[], from: number, count: number, to: number): MenuLine[] {
  const next = [...lines];
  const taken = next.splice(from, count);
  next.splice(to, 0, ...taken);
  return next;
}

/** Moves a group behind the next group, or before the previous one. */
function movedGroup(lines: readonly MenuLine[], from: number, to: number): MenuLine[] {
  const heads = lines.flatMap((line, index) => (line.kind === 'entry' ? [] : [index]));
  const nth = heads.indexOf(from);
  const end = heads[nth + 1] ?? lines.length;
  const size = end - from;
  if (to < from) {
    const before = heads[nth - 1];
    return before === undefined ? [...lines] : replaced(lines, from, size, before);
  }
  const after = heads[nth + 2];
  return after === undefined ? [...lines] : replaced(lines, from, size, after - size);
}

/** Moves an entry out of the menu, or from there to its end. Pure. */
export function toggledEntry(lines: readonly MenuLine[], index: number): MenuLine[] {
  const rest = lines.findIndex(({ kind }) => kind === 'rest');
  // Behind the heading for an entry of the menu, which leaves its place before; else before the heading.
  return replaced(lines, index, 1, rest);
}
