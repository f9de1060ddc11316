import type { ScreensChapter } from '../../../../contract/description.ts';
import type { PortalEntity, PortalField, PortalGroup, PortalPage, PortalScreen } from '../../../../contract/portal.ts';
import type { Relation } from '../../../../contract/specification-entities.ts';
import { groupBy } from '../../../catalog/group.ts';
import { compareText, entityId } from '../../../catalog/names.ts';
import type { OpenEntity } from './member-entities.ts';

interface NavigationSources {
  readonly screens: readonly PortalScreen[];
  /** The entities that the caller may read or write, by id. */
  readonly entities: ReadonlyMap<string, PortalEntity>;
  readonly pages: readonly PortalPage[];
  /** Chapter 2. */
  readonly chapter: ScreensChapter | undefined;
  /** The entities whose rows are reached from others (`entitiesOfOthers`). Their derived lists follow all others. */
  readonly ofOthers: ReadonlySet<string>;
  /** Title of the group of derived lists. */
  readonly lists: string;
}

/**
 * Returns the entities whose rows a member without roles reaches from other rows, so that they are no entries of the
 * navigation: parts of a row that are deleted with the row, such as comments, unless they are records of their own, such as
 * appointments; rows that the member only chooses, such as topics; and the row of the member's own account.
 */
export function entitiesOfOthers(
  open: ReadonlyMap<string, OpenEntity>,
  entities: ReadonlyMap<string, PortalEntity>,
  relations: readonly Relation[],
): Set<string> {
  const isPerson = (id: string) => {
    const { key = [], fields = [] } = entities.get(id) ?? {};
    return key.length === 1 && fields.some(({ name, editor }) => name === key[0] && editor === 'member');
  };
  const canWrite = (id: string) => {
    const { insert, update } = entities.get(id)?.access ?? {};
    return insert?.open === true || update?.open === true;
  };
  const isRecord = (id: string) => {
    const { fields = [], machine = null } = entities.get(id) ?? {};
    const owners = new Set(fields.flatMap(({ reference }) => reference?.entity ?? []));
    return machine !== null || (owners.size > 1 && fields.some((field) => isState(field) || isOwnTime(field)));
  };
  const isOf = (from: string, to: string, on: Relation['on_delete']) =>
    from !== to && on === 'cascade' && entities.has(to) && !isPerson(to) && !isRecord(from);
  const links = relations.map(({ from, to, on_delete: on }) => ({
    from: entityId(from.schema, from.entity),
    to: entityId(to.schema, to.entity),
    on,
  }));
  const parts = links.filter(({ from, to, on }) => isOf(from, to, on)).map(({ from }) => from);
  const choices = links
    .filter(({ from, to }) => from !== to && canWrite(from) && !canWrite(to) && entities.get(to)?.machine === null)
    .map(({ to }) => to);
  const own = [...open].flatMap(([id, { cells }]) =>
    isPerson(id) && cells.get('select')?.words.startsWith('own row') ? [id] : [],
  );
  return new Set([...parts, ...choices, ...own]);
}

const isState = ({ name, editor }: PortalField): boolean =>
  editor === 'enum' && /(^|_)(status|state|stage)$/i.test(name);
/** Returns true for a time that each row has, other than that of its insert. */
const isOwnTime = ({ editor, required }: PortalField): boolean =>
  required && (editor === 'date' || editor === 'date and time');

/** Names of tables that programs fill for programs. */
const TECHNICAL =
  /(^|_)(audit|audits|logs?|history|webhooks?|syncs?|tokens?|sessions?|devices?|migrations?|queue|caches?|locks?|outbox)$|^(audit|log|sync|push|webhook)_/i;

/**
 * Groups the pages, the screens of several rows, and the forms that no list links to: first the pages and the defined screens
 * of entities with one screen, then each entity with several screens, then the derived lists. A defined place comes before this order. A
 * derived screen with the title of a defined one is left out, and so is a derived screen whose entity `isHidden`, unless no
 * other screen is shown.
 */
export function memberNavigation(of: NavigationSources, isHidden: (screen: PortalScreen) => boolean): PortalGroup[] {
  const groups = groupsOf(of, isHidden);
  return groups.length > 0 ? groups : groupsOf(of, () => false);
}

function groupsOf(
  { screens, pages, entities, chapter, ofOthers, lists: derivedTitle }: NavigationSources,
  isHidden: (screen: PortalScreen) => boolean,
): PortalGroup[] {
  const defined = new Map(
    (chapter?.screens ?? []).filter(({ origin }) => origin !== 'derived').map((screen) => [screen.route, screen]),
  );
  const placeOfPage = new Map((chapter?.pages ?? []).map(({ route, place }) => [route, place]));
  const definedTitles = new Set(screens.filter(({ route }) => defined.has(route)).map(({ title }) => title));
  const isRepeated = ({ route, title }: PortalScreen) => !defined.has(route) && definedTitles.has(title);
  const lists = screens.filter((screen) => screen.kind === 'list' && !isRepeated(screen));
  // The list of a view that opens the rows of a table offers the form of this table.
  const listed = new Set(lists.flatMap(({ entity }) => [entity, entities.get(entity)?.opens?.entity ?? entity]));
  const shown = screens.filter((screen) => {
    const { kind, entity, route } = screen;
    if (kind === 'detail' || isRepeated(screen) || (!defined.has(route) && isHidden(screen))) return false;
    if (kind !== 'form') return true;
    const { access, key = [], fields = [] } = entities.get(entity) ?? {};
    if (access?.insert.open === true) return !listed.has(entity);
    // A form that only changes rows needs to know the row. No list links to this form, so it is shown only if the row
    // is the member's own.
    const isOwn = key.length === 1 && fields.find(({ name }) => name === key[0])?.editor === 'member';
    return isOwn || (defined.has(route) && !listed.has(entity));
  });
  const byEntity = groupBy(shown, ({ entity }) => entity);
  const of = (entity: string) => byEntity.get(entity) ?? [];
  const isDefined = ({ route }: PortalScreen) => Number(defined.has(route));
  const isForm = ({ kind }: PortalScreen) => Number(kind === 'form');
  const placeOf = ({ route }: PortalScreen) => defined.get(route)?.place ?? Number.MAX_SAFE_INTEGER;
  const weightOf = ({ entity, route }: PortalScreen) => {
    if (defined.has(route)) return 0;
    return TECHNICAL.test(entities.get(entity)?.name ?? '') ? 2 : Number(ofOthers.has(entity));
  };
  const byDefinition = (a: PortalScreen, b: PortalScreen) =>
    placeOf(a) - placeOf(b) ||
    isForm(a) - isForm(b) ||
    isDefined(b) - isDefined(a) ||
    weightOf(a) - weightOf(b) ||
    compareText(a.title, b.title);
  const routes = (list: readonly PortalScreen[]) => [...list].sort(byDefinition).map(({ route }) => route);
  const withPages = (list: readonly PortalScreen[]) =>
    [
      ...[...list].sort(byDefinition).map((screen) => ({ route: screen.route, place: placeOf(screen) })),
      ...pages.map(({ route }) => ({ route, place: placeOfPage.get(route) ?? Number.MAX_SAFE_INTEGER })),
    ]
      .sort((a, b) => a.place - b.place)
      .map(({ route }) => route);
  const single = shown.filter(({ entity }) => of(entity).length === 1);
  const ownScreens = (id: string) => of(id).filter((screen) => isDefined(screen) && !isForm(screen)).length;
  const firstPlace = (id: string) =>
    of(id).reduce((least, screen) => Math.min(least, placeOf(screen)), Number.POSITIVE_INFINITY);
  const several = [...entities.values()]
    .filter(({ id }) => of(id).length > 1)
    .sort((a, b) => firstPlace(a.id) - firstPlace(b.id) || ownScreens(b.id) - ownScreens(a.id));
  const groups: PortalGroup[] = [
    { title: null, routes: withPages(single.filter(isDefined)) },
    ...several.map(({ id, label }) => ({ title: label, routes: routes(of(id)) })),
    {
      title: several.length > 0 || pages.length > 0 || single.some(isDefined) ? derivedTitle : null,
      routes: routes(single.filter((screen) => !isDefined(screen))),
    },
  ];
  return groups.filter((group) => group.routes.length > 0);
}
