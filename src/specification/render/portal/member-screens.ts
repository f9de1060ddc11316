import type { Screen, ScreenKind } from '../../../../contract/description.ts';
import type { PortalEntity, PortalField, PortalScreen, PortalScreens } from '../../../../contract/portal.ts';
import type { Chapters } from '../../../../contract/specification.ts';
import { entityId } from '../../../catalog/names.ts';
import { CALLER_ID } from '../../../catalog/screen-conditions.ts';
import { cellsOfCaller, type MemberCaller } from '../../derive/chapters/roles/roles.ts';
import { namesAskedBy } from '../../derive/chapters/screens/defined-names.ts';
import type { Entries } from '../../derive/entries.ts';
import { type InputFacts, InputSource } from '../types/input.ts';
import { fullTextFields } from './full-text.ts';
import { memberActions } from './member-actions.ts';
import { freeTimesOf, memberCalendar } from './member-calendar.ts';
import { memberEntities, type OpenEntity, openEntities } from './member-entities.ts';
import { MemberLabels } from './member-labels.ts';
import { entitiesOfOthers, memberNavigation } from './member-navigation.ts';
import { definedMenu, isForCaller, memberPages } from './member-pages.ts';
import { sentenceCase } from './member-words.ts';

/** The kinds of screens whose functions can take a row that the screen shows. */
const takesRows: ReadonlySet<ScreenKind> = new Set(['detail', 'list', 'gallery', 'board']);

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
  const members = { role: 'authenticated', memberRoles: [] };
  const mayMembersAdd = (id: string) =>
    (openEntities(chapters.entities?.entities ?? [], cellsOfCaller(entries, members)).get(id)?.rights.insert.size ??
      0) > 0;
  const screens = (chapters.screens?.screens ?? []).flatMap((screen) => {
    const [entity, rights] = [shown.get(screen.entity), open.get(screen.entity)];
    if (!entity || !rights) return [];
    const calendar =
      screen.kind === 'calendar' && screen.span
        ? memberCalendar({ chapters, open, caller, mayMembersAdd }, rights.entity, screen.span)
        : null;
    const free =
      calendar && screen.span
        ? freeTimesOf({ facts, cells, open }, screen.actions ?? [], calendar.of, screen.span)
        : null;
    const actions = memberActions(
      { facts, cells, open },
      (screen.actions ?? []).filter((id) => id !== free?.id),
      takesRows.has(screen.kind) ? rights : null,
    ).map((action) => labels.action(entityId(action.schema ?? defaultSchema ?? '', action.name), action));
    return memberScreen(screen, entity, rights, caller, labels).map((one) => ({
      ...one,
      related: screen.related?.filter((id) => shown.has(id)) ?? null,
      calendar: calendar && { ...calendar, free: free?.call ?? null },
      actions,
    }));
  });
  const isCustomer = caller.memberRoles.length === 0;
  const hidden = entitiesOfOthers(open, shown, chapters.entities?.relations ?? []);
  const isDefined = (route: string) => facts.screens.some((fact) => fact.route === route);
  // A defined list that shows every row of the entity, or the member's own rows.
  const isListed = ({ kind, entity }: PortalScreen) =>
    kind === 'list' &&
    screens.some(
      (one) =>
        one.kind === 'list' &&
        one.entity === entity &&
        isDefined(one.route) &&
        (one.filter === null || one.filter.includes(CALLER_ID)),
    );
  const pages = memberPages(chapters.screens, screens, { open, entities: shown, caller, labels });
  const isKnown = (route: string | undefined) => [...screens, ...pages].some((one) => one.route === route);
  const home = [...facts.screens, ...facts.pages].find((fact) => fact.home)?.route;
  const menu = definedMenu(chapters.screens?.menus ?? [], isKnown, { caller, labels });
  return {
    roles: caller.memberRoles.map((name) => labels.role(name, sentenceCase(name))),
    navigation:
      menu?.navigation ??
      memberNavigation(
        { screens, pages, entities: shown, chapter: chapters.screens, ofOthers: hidden, lists: labels.lists },
        (screen) => isCustomer && screen.kind !== 'form' && (hidden.has(screen.entity) || isListed(screen)),
      ),
    home: menu?.home ?? (home !== undefined && isKnown(home) ? home : null),
    screens,
    pages,
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
  caller: MemberCaller,
  labels: MemberLabels,
): Omit<PortalScreen, 'related' | 'actions' | 'calendar'>[] {
  const { kind, origin } = screen;
  const isFor = isForCaller(screen.roles, caller);
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
  const isAnswerable = caller.role !== 'anon' || !screen.filter?.includes(CALLER_ID);
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
      ...{ group: screen.group_by ?? null, span, empty: labels.empty(screen.route, screen.empty) },
      picture: screen.picture !== undefined && rights.read.has(screen.picture) ? screen.picture : null,
    },
  ];
}

/**
 * Returns the columns of a derived screen: the key, the label of the row, its state, then the others in the order of the
 * table. A narrow page leaves out the last ones, which are those that say least in a list.
 */
function labelFirst(
  { key, title_fields: labels, machine, fields }: PortalEntity,
  columns: readonly string[],
): readonly string[] {
  const placeOf = (name: string) => {
    if (key.includes(name)) return -1;
    if (labels.includes(name)) return labels.indexOf(name);
    if (name === machine?.field) return labels.length;
    const field = fields.find((one) => one.name === name);
    return labels.length + 1 + (field ? rankInList(field) : 0);
  };
  return [...columns].sort((a, b) => placeOf(a) - placeOf(b));
}

/** Names of texts that say little in a list, because they are made for programs or are too long. */
const LITTLE =
  /(^|_)(slug|url|uri|link|website|image|photo|picture|avatar|color|colour|hash|token|latitude|longitude|lat|lng|lon)$/i;

/** Returns the place of a column in a list: that of a state first, then those of short values, then those of texts. */
function rankInList({ name, editor, filled_by }: PortalField): number {
  if (editor === 'enum' && /(^|_)(status|state|stage|phase)$/i.test(name)) return 0;
  if (LITTLE.test(name) || editor === 'json' || editor === 'array') return 4;
  if (editor === 'long text') return 3;
  return filled_by === 'database' ? 2 : 1;
}
