import type { Labels, LabelTexts, ScreensChapter } from '../../../../../contract/description.ts';
import {
  type Definition,
  type Definitions,
  type MenuDefinition,
  readDefinitions,
  readPage,
  readScreen,
} from './definitions.ts';
import { defineSql } from './definitions-sql.ts';

/** The state of the editor: one screen or page, and the labels and menus of the app. */
export interface Draft {
  readonly item: Definition;
  readonly labels: Labels;
  readonly menus: readonly MenuDefinition[];
}

/** The screen or page that the editor began with. */
export interface Edited {
  /** The definitions of the app at the beginning. */
  readonly before: Definitions;
  /** The definition at the beginning; of a derived screen, the one that leaves it as it is; null for a new item. */
  readonly start: Definition | null;
  /** True if the app defines the item. */
  readonly isDefined: boolean;
}

/** Finds the screen or page with a route in chapter 2; null if there is none. Pure. */
export function editedItem(chapter: ScreensChapter, route: string): Edited | null {
  const before = readDefinitions(chapter);
  const page = chapter.pages?.find((one) => one.route === route);
  if (page) return { before, start: readPage(page), isDefined: true };
  const screen = chapter.screens.find((one) => one.route === route);
  return screen ? { before, start: readScreen(screen), isDefined: screen.origin !== 'derived' } : null;
}

/** Returns the definitions of the app that a draft leads to. Pure. */
export function definitionsOf({ before, start, isDefined }: Edited, { item, labels, menus }: Draft): Definitions {
  const isOld = (one: Definition) => isDefined && one.type === start?.type && one.route === start.route;
  const others = before.items.filter((one) => !isOld(one));
  const isChanged = start === null || defineSql(start) !== defineSql(item);
  const moved = start && start.route !== item.route ? { from: start.route, to: item.route } : null;
  const kept = isChanged || isDefined ? [item] : [];
  // The first page of the portal is one item only.
  const rest = item.home ? others.map((one) => (one.home ? { ...one, home: false } : one)) : others;
  const items = [...rest.map((one) => (moved ? withRoute(one, moved) : one)), ...kept];
  return {
    items,
    labels: moved ? movedLabels(labels, moved) : labels,
    menus: moved ? menus.map((menu) => withMenuRoute(menu, moved)) : menus,
  };
}

interface Moved {
  readonly from: string;
  readonly to: string;
}

const renamed =
  ({ from, to }: Moved) =>
  (route: string): string =>
    route === from ? to : route;

/** Returns an item whose buttons lead to the new route. */
function withRoute(item: Definition, moved: Moved): Definition {
  if (item.type === 'screen') return item;
  const parts = item.parts.map((part) =>
    part.kind === 'buttons' ? { ...part, routes: part.routes.map(renamed(moved)) } : part,
  );
  return { ...item, parts };
}

const withMenuRoute = (menu: MenuDefinition, moved: Moved): MenuDefinition => ({
  ...menu,
  groups: menu.groups.map((group) => ({ ...group, routes: group.routes.map(renamed(moved)) })),
  home: menu.home === null ? null : renamed(moved)(menu.home),
});

const movedLabels = (labels: Labels, moved: Moved): Labels =>
  Object.fromEntries(
    Object.entries(labels).map(([language, texts]) => [
      language,
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [renamed(moved)(key), text])),
    ]),
  );

/** Returns the definitions without the screen or page, and without the labels of its route. Pure. */
export function definitionsWithout({ before, start }: Edited): Definitions {
  return {
    ...before,
    items: before.items.filter((one) => one.type !== start?.type || one.route !== start.route),
    labels: start ? withoutLabel(before.labels, start.route) : before.labels,
  };
}

const withoutLabel = (labels: Labels, key: string): Labels =>
  Object.fromEntries(Object.entries(labels).map(([language, { [key]: _, ...others }]) => [language, others] as const));

/** Returns the labels with another text in one language. An empty label removes the entry. Pure. */
export function withLabel(labels: Labels, language: string, key: string, part: Partial<LabelTexts>): Labels {
  const { [key]: known, ...others } = labels[language] ?? {};
  const texts: LabelTexts = { ...known, ...part, label: part.label ?? known?.label ?? '' };
  const { label, one, help } = texts;
  const entry: LabelTexts = { label, ...(one && { one }), ...(help && { help }) };
  return { ...labels, [language]: label === '' ? others : { ...others, [key]: entry } };
}
