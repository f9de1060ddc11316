import type { Menu, Page, PagePart, PartValue, ScreensChapter } from '../../../../contract/description.ts';
import type { PortalEntity, PortalGroup, PortalPage, PortalPart, PortalScreen } from '../../../../contract/portal.ts';
import { CALLER_ID } from '../../../catalog/screen-conditions.ts';
import type { MemberCaller } from '../../derive/chapters/roles/roles.ts';
import { fieldsOfPart } from '../../derive/chapters/screens/pages.ts';
import type { OpenEntity } from './member-entities.ts';
import type { MemberLabels } from './member-labels.ts';

/** The parts of an app that one caller may know. */
export interface PageSources {
  /** The entities that the caller may read or write, by id. */
  readonly open: ReadonlyMap<string, OpenEntity>;
  readonly entities: ReadonlyMap<string, PortalEntity>;
  readonly caller: MemberCaller;
  readonly labels: MemberLabels;
}

/** Number of rows of a list in a page whose definition says none. */
const ROWS = 5;

/** Max number of fields of a list in a page. */
const COLUMNS = 4;

/** Returns true if a screen or a page with these roles is for the caller. */
export const isForCaller = (roles: readonly string[], { role, memberRoles }: MemberCaller): boolean =>
  roles.some((name) => name === role || memberRoles.includes(name.replace(/ \(of members\)$/, '')));

/** Returns the pages that the caller may open, with the parts whose rows the caller may read. */
export function memberPages(
  chapter: ScreensChapter | undefined,
  screens: readonly PortalScreen[],
  sources: PageSources,
): PortalPage[] {
  const pages = (chapter?.pages ?? []).filter(({ roles }) => isForCaller(roles, sources.caller));
  const routes = new Set([...screens, ...pages].map(({ route }) => route));
  return pages.flatMap((page: Page): PortalPage[] => {
    const parts = page.parts.flatMap((part, index) => memberPart(part, index, routes, sources));
    const title = sources.labels.screen(page.route, page.title);
    return parts.length === 0 ? [] : [{ route: page.route, title, parts }];
  });
}

function memberPart(part: PagePart, index: number, routes: ReadonlySet<string>, sources: PageSources): PortalPart[] {
  const { labels, entities, open, caller } = sources;
  if (part.kind === 'text') return [{ kind: 'text', text: labels.ofTexts(part.texts, part.text) }];
  if (part.kind === 'buttons') {
    const known = part.routes.filter((route) => routes.has(route) || /^\/account(\/|$)/.test(route));
    return known.length === 0 ? [] : [{ kind: 'buttons', routes: known }];
  }
  const [entity, rights] = [entities.get(part.entity), open.get(part.entity)?.rights];
  const { shown, asked } = fieldsOfPart(part);
  // A caller without an account has no rows of their own.
  const isAnswerable = caller.role !== 'anon' || !part.filter?.includes(CALLER_ID);
  const isReadable = rights !== undefined && [...shown, ...asked].every((name) => rights.read.has(name));
  if (!entity?.access.select.open || !isReadable || !isAnswerable) return [];
  const title = labels.ofTexts(part.titles, part.title);
  const common = { index, title, entity: entity.id, filter: part.filter ?? null };
  if (part.kind === 'list') {
    const columns = part.columns ?? [...new Set([...entity.title_fields, ...rights.read])].slice(0, COLUMNS);
    return [{ kind: 'list', ...common, columns, order: part.order_by ?? null, rows: part.rows ?? ROWS }];
  }
  const value: { value: PartValue['value']; of: string | null } = { value: part.value ?? 'count', of: part.of ?? null };
  if (part.kind === 'number') return [{ kind: 'number', ...common, ...value, over: part.over ?? null }];
  if (part.kind === 'bars') return [{ kind: 'bars', ...common, ...value, by: part.by }];
  return [{ kind: 'line', ...common, ...value, over: part.over, by: part.by ?? null }];
}

/**
 * Returns the navigation and the first page that the app has defined for the caller, with the routes that the caller may
 * open; null if it has defined none. A member with several roles gets the groups of all their menus.
 */
export function definedMenu(
  menus: readonly Menu[],
  isKnown: (route: string) => boolean,
  { caller: { role, memberRoles }, labels }: Pick<PageSources, 'caller' | 'labels'>,
): { navigation: PortalGroup[]; home: string | null } | null {
  const names = memberRoles.length > 0 ? memberRoles : [role];
  const own = menus.filter((menu) => names.includes(menu.role));
  if (own.length === 0) return null;
  const seen = new Set<string>();
  const navigation = own
    .flatMap(({ groups }) => groups)
    .map(({ title, titles, routes }) => {
      const fresh = [...new Set(routes)].filter((route) => isKnown(route) && !seen.has(route));
      for (const route of fresh) seen.add(route);
      return { title: title === null || title === undefined ? null : labels.ofTexts(titles, title), routes: fresh };
    })
    .filter(({ routes }) => routes.length > 0);
  const home = own.map((menu) => menu.home).find((route) => route !== null && isKnown(route)) ?? null;
  return { navigation, home };
}
