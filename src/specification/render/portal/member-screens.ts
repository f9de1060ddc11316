import type { Screen } from '../../../../contract/description.ts';
import type { PortalEntity, PortalGroup, PortalScreen, PortalScreens } from '../../../../contract/portal.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import { groupBy } from '../../../catalog/group.ts';
import { compareText, entityId } from '../../../catalog/names.ts';
import { CALLER_ID } from '../../../catalog/screen-conditions.ts';
import { cellsOfCaller, type MemberCaller } from '../../derive/chapters/roles/roles.ts';
import { namesAskedBy } from '../../derive/chapters/screens/screens.ts';
import type { Entries } from '../../derive/entries.ts';
import { type InputFacts, InputSource } from '../types/input.ts';
import { fullTextFields } from './full-text.ts';
import { memberActions } from './member-actions.ts';
import { memberEntities, type OpenEntity, openEntities } from './member-entities.ts';
import { MemberLabels } from './member-labels.ts';
import { sentenceCase } from './member-words.ts';

/**
 * Returns the screens of chapter 2 that one caller may open, with the parts of their entities that the caller may know.
 * The result contains nothing that the caller has no privilege on. Pure.
 *
 * @param types The facts of `derived`, with the names of types.
 * @param derived The chapters and their entries.
 * @param language Language of the labels, a tag of BCP 47.
 */
export function memberScreens(
  types: InputFacts,
  { chapters, entries }: { chapters: Chapters; entries: Entries },
  caller: MemberCaller,
  language: string,
): PortalScreens {
  const { facts } = types;
  const functions = new Set(chapters.screens?.screens.flatMap(({ actions = [] }) => actions));
  const cells = cellsOfCaller(entries, caller, functions);
  const open = openEntities(chapters.entities?.entities ?? [], cells);
  const [defaultSchema] = facts.exposedSchemas;
  const labels = new MemberLabels(chapters.screens?.labels, language);
  const entities = memberEntities({
    ...{ facts, chapters, inputs: new InputSource(types), caller, open, defaultSchema },
    fullText: (entity) => fullTextFields(facts, entity),
  }).map((entity) => labels.entity(entity));
  const shown = new Map(entities.map((entity) => [entity.id, entity]));
  const screens = (chapters.screens?.screens ?? []).flatMap((screen) => {
    const [entity, rights] = [shown.get(screen.entity), open.get(screen.entity)];
    if (!entity || !rights) return [];
    const actions = memberActions(
      { facts, cells, open },
      screen.actions ?? [],
      screen.kind === 'detail' ? rights : null,
    ).map((action) => labels.action(entityId(action.schema ?? defaultSchema ?? '', action.name), action));
    return memberScreen(screen, entity, rights, caller, labels).map((one) => ({
      ...one,
      related: screen.related?.filter((id) => shown.has(id)) ?? null,
      actions,
    }));
  });
  const home = facts.screens.find((fact) => fact.home)?.route;
  return {
    roles: caller.memberRoles.map((name) => labels.role(name, sentenceCase(name))),
    navigation: navigation(screens, shown, chapters.screens?.screens ?? [], labels.lists),
    home: screens.find(({ route }) => route === home)?.route ?? null,
    screens,
    entities,
  };
}

/**
 * Returns the screen for the caller. Returns an empty list if the screen is broken, is for other roles, or uses fields
 * that the caller may not read.
 */
function memberScreen(
  screen: Screen,
  entity: PortalEntity,
  { rights, entity: { fields } }: OpenEntity,
  { role, memberRoles }: MemberCaller,
  labels: MemberLabels,
): Omit<PortalScreen, 'related' | 'actions'>[] {
  const { kind, origin } = screen;
  const isFor = screen.roles.some(
    (name) => name === role || memberRoles.includes(name.replace(/ \(of members\)$/, '')),
  );
  // Only a defined screen lists its roles. For a derived screen, the caller's privileges decide.
  if (screen.broken.length > 0 || (origin !== 'derived' && !isFor)) return [];
  const isForm = kind === 'form';
  const isOpen = isForm ? entity.access.insert.open || entity.access.update.open : entity.access.select.open;
  // The fields of type tsvector. Their values are words for the search and not for a reader.
  const words = new Set(
    fields.filter(({ type }) => origin === 'derived' && type === 'tsvector').map(({ name }) => name),
  );
  const columns = screen.columns.filter(
    (name) => !words.has(name) && (isForm ? rights.insert.has(name) || rights.update.has(name) : rights.read.has(name)),
  );
  const isAskable = namesAskedBy(screen).every((name) => rights.read.has(name));
  const span =
    screen.span && [screen.span.start, screen.span.end].every((name) => rights.read.has(name)) ? screen.span : null;
  const isShowable =
    (kind !== 'board' || entity.machine !== null) &&
    (kind !== 'calendar' || span !== null) &&
    (kind !== 'detail' || entity.key.length > 0) &&
    columns.length > 0;
  // A caller without an account has no rows of their own.
  const isAnswerable = role !== 'anon' || !screen.filter?.includes(CALLER_ID);
  if (!isOpen || !isAskable || !isShowable || !isAnswerable) return [];
  const title = origin === 'derived' ? labels.derivedTitle(screen, entity) : labels.screen(screen.route, screen.title);
  return [
    {
      ...{
        route: screen.route,
        title,
        kind,
        entity: entity.id,
        columns: origin === 'derived' && kind !== 'form' && kind !== 'detail' ? labelFirst(entity, columns) : columns,
        filter: screen.filter,
        order: screen.order_by,
      },
      ...{ group: screen.group_by ?? null, span },
    },
  ];
}

/** Returns the columns of a derived screen: the key, the label of the row, then the others in the order of the table. */
function labelFirst({ key, title_fields: labels }: PortalEntity, columns: readonly string[]): readonly string[] {
  const placeOf = (name: string) => {
    if (key.includes(name)) return -1;
    const place = labels.indexOf(name);
    return place === -1 ? labels.length : place;
  };
  return [...columns].sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Groups the screens of several rows, and the forms that no list links to: first the defined screens of entities with
 * one screen, then each entity with several screens, then the derived lists. A defined place comes before this order. A
 * derived screen with the title of a defined one is left out.
 *
 * @param derivedTitle Title of the group of derived lists.
 */
function navigation(
  screens: readonly PortalScreen[],
  entities: ReadonlyMap<string, PortalEntity>,
  chapter: readonly Screen[],
  derivedTitle: string,
): PortalGroup[] {
  const defined = new Map(chapter.filter(({ origin }) => origin !== 'derived').map((screen) => [screen.route, screen]));
  const definedTitles = new Set(screens.filter(({ route }) => defined.has(route)).map(({ title }) => title));
  const isRepeated = ({ route, title }: PortalScreen) => !defined.has(route) && definedTitles.has(title);
  const lists = screens.filter((screen) => screen.kind === 'list' && !isRepeated(screen));
  // The list of a view that opens the rows of a table offers the form of this table.
  const listed = new Set(lists.flatMap(({ entity }) => [entity, entities.get(entity)?.opens?.entity ?? entity]));
  const shown = screens.filter((screen) => {
    const { kind, entity, route } = screen;
    if (kind === 'detail' || isRepeated(screen)) return false;
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
  const byDefinition = (a: PortalScreen, b: PortalScreen) =>
    placeOf(a) - placeOf(b) || isForm(a) - isForm(b) || isDefined(b) - isDefined(a) || compareText(a.title, b.title);
  const routes = (list: readonly PortalScreen[]) => [...list].sort(byDefinition).map(({ route }) => route);
  const single = shown.filter(({ entity }) => of(entity).length === 1);
  const ownScreens = (id: string) => of(id).filter((screen) => isDefined(screen) && !isForm(screen)).length;
  const firstPlace = (id: string) =>
    of(id).reduce((least, screen) => Math.min(least, placeOf(screen)), Number.POSITIVE_INFINITY);
  const several = [...entities.values()]
    .filter(({ id }) => of(id).length > 1)
    .sort((a, b) => firstPlace(a.id) - firstPlace(b.id) || ownScreens(b.id) - ownScreens(a.id));
  const groups: PortalGroup[] = [
    { title: null, routes: routes(single.filter(isDefined)) },
    ...several.map(({ id, label }) => ({ title: label, routes: routes(of(id)) })),
    {
      title: several.length > 0 || single.some(isDefined) ? derivedTitle : null,
      routes: routes(single.filter((screen) => !isDefined(screen))),
    },
  ];
  return groups.filter((group) => group.routes.length > 0);
}
