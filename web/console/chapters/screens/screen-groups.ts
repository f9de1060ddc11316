import type { Page, Screen, ScreensChapter } from '../../../../contract/description.ts';
import type { PortalPage, PortalScreen, PortalScreens } from '../../../../contract/portal.ts';

/** A screen, or a page of several parts. */
export type Shown = PortalScreen | PortalPage;

/** Screens that belong together, with a heading. */
export interface ScreenGroup {
  readonly title: string;
  readonly about: string;
  readonly screens: readonly Shown[];
}

/** The page at `/`, which every caller has besides the screens. */
export const HOME = '/';

/**
 * Groups the screens of one caller: first those that a member opens first, then those of each entity in the order of the
 * menu. Pure.
 */
export function screenGroups({ screens, pages, entities, navigation, home }: PortalScreens): ScreenGroup[] {
  const isFirst = ({ route, kind }: PortalScreen) => route === home || kind === 'figures';
  const first = [...pages, ...screens.filter(isFirst)];
  const place = new Map(navigation.flatMap(({ routes }) => routes).map((route, i) => [route, i]));
  const placeOf = ({ route }: PortalScreen) => place.get(route) ?? screens.length;
  const byEntity = new Map<string, PortalScreen[]>();
  for (const screen of screens.filter((one) => !isFirst(one)).toSorted((a, b) => placeOf(a) - placeOf(b))) {
    // The list of a view belongs to the rows that it opens.
    const id = entities.find((entity) => entity.id === screen.entity)?.opens?.entity ?? screen.entity;
    byEntity.set(id, [...(byEntity.get(id) ?? []), screen]);
  }
  return [
    {
      title: 'First thing seen',
      about: 'home and what reports',
      screens: first.toSorted((a, b) => Number(b.route === home) - Number(a.route === home)),
    },
    ...[...byEntity].map(([id, own]) => ({
      title: entities.find((entity) => entity.id === id)?.label ?? id,
      about: own.length === 1 ? '1 screen' : `${own.length} screens`,
      screens: own,
    })),
  ];
}

/** Returns the broken screens and pages of the chapter, which nobody sees. Pure. */
export const brokenScreens = ({ screens, pages = [] }: Pick<ScreensChapter, 'screens' | 'pages'>): (Screen | Page)[] =>
  [...screens, ...pages].filter(({ broken }) => broken.length > 0);

/** Returns the address of a page on the app's origin. A path that the app has chosen never leads to another host. Pure. */
export function addressIn(origin: string, path: string): string {
  const url = new URL(origin);
  url.pathname = path;
  return url.href;
}

/** Returns a noun with its article: "an agent". Pure. */
export const withArticle = (noun: string): string => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

/** A screen that is not in the menu. */
interface BesidesMenu {
  readonly screen: Shown;
  /** How a member reaches the screen. */
  readonly reachedFrom: string;
}

/** Returns the screens of one caller that are not in the menu, with the way that leads to each. Pure. */
export function besidesMenu({ screens, pages, entities, navigation, home }: PortalScreens): BesidesMenu[] {
  const shown = new Set(navigation.flatMap(({ routes }) => routes));
  return [...screens, ...pages]
    .filter(({ route }) => !shown.has(route) && route !== home)
    .map((screen) => {
      if (!('kind' in screen)) return { screen, reachedFrom: 'by its address' };
      const { one = 'row' } = entities.find(({ id }) => id === screen.entity) ?? {};
      return { screen, reachedFrom: reached[screen.kind]?.(one) ?? 'by its address' };
    });
}

const reached: Readonly<Partial<Record<PortalScreen['kind'], (one: string) => string>>> = {
  detail: (one) => `from ${withArticle(one.toLowerCase())}`,
  form: () => 'button of lists',
};
