import type { Screen } from '../../contract/description.ts';
import type { PortalEntity, PortalGroup, PortalScreen, PortalScreens } from '../../contract/portal.ts';
import type { Chapters } from '../../contract/specification.ts';
import { Lookup } from '../access/lookup.ts';
import { compareText } from '../catalog/names.ts';
import { cellsOfCaller, type MemberCaller } from './chapters/roles/roles.ts';
import { namesAskedBy } from './chapters/screens/screens.ts';
import { memberEntities, type OpenEntity, openEntities } from './member-entities.ts';
import { sentenceCase } from './member-words.ts';
import { type InputFacts, inputs } from './types/input.ts';

/**
 * Returns the screens of chapter 2 that one caller may open, with the parts of their entities that the caller may know.
 * The result contains nothing that the caller has no privilege on. Pure.
 *
 * @param types The facts that `chapters` are derived from, with the names of types.
 */
export function memberScreens(types: InputFacts, chapters: Chapters, caller: MemberCaller): PortalScreens {
  const { facts } = types;
  const cells = cellsOfCaller(new Lookup(facts), caller);
  const open = openEntities(chapters.entities?.entities ?? [], cells);
  const [defaultSchema] = facts.exposedSchemas;
  const entities = memberEntities({ chapters, inputs: inputs(types), caller, open, defaultSchema });
  const shown = new Map(entities.map((entity) => [entity.id, entity]));
  const screens = (chapters.screens?.screens ?? []).flatMap((screen) => {
    const [entity, rights] = [shown.get(screen.entity), open.get(screen.entity)];
    return entity && rights ? memberScreen(screen, entity, rights, caller) : [];
  });
  const defined = new Set(facts.screens.map(({ route }) => route));
  return {
    roles: caller.memberRoles.map(sentenceCase),
    navigation: navigation(screens, shown, defined),
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
  { rights }: OpenEntity,
  { role, memberRoles }: MemberCaller,
): PortalScreen[] {
  const { kind, origin } = screen;
  const isFor = screen.roles.some(
    (name) => name === role || memberRoles.includes(name.replace(/ \(of members\)$/, '')),
  );
  // The caller's privileges alone determine access to a derived screen.
  if (screen.broken.length > 0 || (origin !== 'derived' && !isFor)) return [];
  const isForm = kind === 'form';
  const isOpen = isForm ? entity.access.insert.open || entity.access.update.open : entity.access.select.open;
  const columns = screen.columns.filter((name) =>
    isForm ? rights.insert.has(name) || rights.update.has(name) : rights.read.has(name),
  );
  const isAskable = namesAskedBy(screen).every((name) => rights.read.has(name));
  const isShowable =
    (kind !== 'board' || entity.machine !== null) && (kind !== 'detail' || entity.key.length > 0) && columns.length > 0;
  if (!isOpen || !isAskable || !isShowable) return [];
  const title = origin === 'derived' ? derivedTitle(screen, entity) : screen.title;
  return [
    { route: screen.route, title, kind, entity: entity.id, columns, filter: screen.filter, order: screen.order_by },
  ];
}

function derivedTitle({ kind, title }: Screen, { one, label, access, machine }: PortalEntity): string {
  switch (kind) {
    case 'form':
      return access.insert.open ? `New ${one}` : `Change ${one}`;
    case 'detail':
      return sentenceCase(one);
    case 'board':
      return `${label} by ${machine?.field ?? title}`;
    default:
      return label;
  }
}

/**
 * Groups the lists, the boards, and the forms that no list links to: first the defined screens of entities with one
 * screen, then each entity with several screens, then the derived lists.
 */
function navigation(
  screens: readonly PortalScreen[],
  entities: ReadonlyMap<string, PortalEntity>,
  defined: ReadonlySet<string>,
): PortalGroup[] {
  const listed = new Set(screens.filter(({ kind }) => kind === 'list').map(({ entity }) => entity));
  const shown = screens.filter(
    ({ kind, entity }) => kind === 'list' || kind === 'board' || (kind === 'form' && !isOffered(entity)),
  );
  function isOffered(entity: string): boolean {
    return listed.has(entity) && entities.get(entity)?.access.insert.open === true;
  }
  const of = (entity: string) => shown.filter((screen) => screen.entity === entity);
  const isDefined = ({ route }: PortalScreen) => Number(defined.has(route));
  const isForm = ({ kind }: PortalScreen) => Number(kind === 'form');
  const byDefinition = (a: PortalScreen, b: PortalScreen) =>
    isForm(a) - isForm(b) || isDefined(b) - isDefined(a) || compareText(a.title, b.title);
  const routes = (list: readonly PortalScreen[]) => [...list].sort(byDefinition).map(({ route }) => route);
  const single = shown.filter(({ entity }) => of(entity).length === 1);
  const ownScreens = (id: string) => of(id).filter((screen) => isDefined(screen) && !isForm(screen)).length;
  const several = [...entities.values()]
    .filter(({ id }) => of(id).length > 1)
    .sort((a, b) => ownScreens(b.id) - ownScreens(a.id));
  const groups: PortalGroup[] = [
    { title: null, routes: routes(single.filter(({ route }) => defined.has(route))) },
    ...several.map(({ id, label }) => ({ title: label, routes: routes(of(id)) })),
    {
      title: several.length > 0 || single.some(({ route }) => defined.has(route)) ? 'Lists' : null,
      routes: routes(single.filter(({ route }) => !defined.has(route))),
    },
  ];
  return groups.filter((group) => group.routes.length > 0);
}
