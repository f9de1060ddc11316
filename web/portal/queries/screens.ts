import { queryOptions } from '@tanstack/react-query';
import { createContext, use } from 'react';
import type {
  PortalAdditions,
  PortalEntity,
  PortalField,
  PortalPage,
  PortalScreen,
  PortalScreens,
} from '../../../contract/portal.ts';
import { textOf, timeOf } from '../../fields/format.ts';
import { dateFormat } from '../../language/messages.ts';
import type { Portal } from './client.ts';
import { reach } from './connection.ts';
import { chosenLanguage } from './language.ts';
import { keyOf, pointedTo } from './query.ts';
import { callerHeaders, Refusal } from './rest.ts';

/** Interval in ms at which the pages read the screens again. The server usually responds with 304. */
const REFRESH_MILLISECONDS = 60_000;

/** Reads the screens that the caller may open. */
export const screens = (portal: Portal, userId: string | null) =>
  queryOptions({
    queryKey: ['screens', userId],
    queryFn: async (): Promise<PortalScreens> => {
      const headers = await callerHeaders(portal);
      const [response, closed] = await Promise.all([
        reach('/portal/v1/screens', {
          headers: { ...headers, 'accept-language': chosenLanguage() ?? navigator.languages.join(',') },
        }),
        closedEntities(headers),
      ]);
      if (!response.ok) throw new Refusal(response.status, await response.json().catch(() => null));
      return withoutAdditions(await response.json(), closed);
    },
    refetchInterval: REFRESH_MILLISECONDS,
    staleTime: 5000,
  });

/** Returns the entities to which the policies let the caller add no row. Returns none if the server cannot tell. */
async function closedEntities(headers: Record<string, string>): Promise<ReadonlySet<string>> {
  try {
    const response = await reach('/portal/v1/additions', { headers });
    const { closed }: PortalAdditions = response.ok ? await response.json() : { closed: [] };
    return new Set(closed);
  } catch {
    return new Set();
  }
}

/** Returns the screens without what would add rows to these entities. */
function withoutAdditions(all: PortalScreens, closed: ReadonlySet<string>): PortalScreens {
  if (closed.size === 0) return all;
  const entities = all.entities.map((entity) =>
    closed.has(entity.id) ? { ...entity, access: { ...entity.access, insert: { open: false } } } : entity,
  );
  const isForm = (route: string) =>
    all.screens.some(({ kind, entity, route: own }) => own === route && kind === 'form' && closed.has(entity));
  const navigation = all.navigation
    .map((group) => ({ ...group, routes: group.routes.filter((route) => !isForm(route)) }))
    .filter(({ routes }) => routes.length > 0);
  return { ...all, entities, navigation };
}

/** Context with the screens that the caller may open. */
export const ScreensContext = createContext<PortalScreens | null>(null);

/** Returns the screens of the caller. */
export function useScreens(): PortalScreens {
  const found = use(ScreensContext);
  if (!found) throw new Error('useScreens needs a ScreensContext above it.');
  return found;
}

/** A screen with its entity, and the key of the row if the address contains one. */
export interface Place {
  readonly screen: PortalScreen;
  readonly entity: PortalEntity;
  /** Values of the key's fields, by field. Empty for a screen that shows several rows. */
  readonly rowKey: Readonly<Record<string, string>>;
}

/**
 * Returns the screen at a path. If several routes match, the one with the fewest fields is used: `/tickets/new` before
 * `/tickets/:id`. A path whose part cannot be the key of a row leads to no screen: the member may not open the form
 * `/tickets/new`, so `new` is no ticket, and the database would refuse it.
 */
export function placeAt(all: PortalScreens, path: string): Place | null {
  // A page may have the path of a row, such as /tickets/overview.
  if (pageAt(all, path)) return null;
  const { screens, entities } = all;
  const parts = segments(path);
  const found = screens
    .map((screen) => ({ screen, rowKey: keyIn(segments(screen.route), parts) }))
    .filter((one): one is { screen: PortalScreen; rowKey: Record<string, string> } => one.rowKey !== null)
    .sort((a, b) => Object.keys(a.rowKey).length - Object.keys(b.rowKey).length)[0];
  const entity = entities.find(({ id }) => id === found?.screen.entity);
  return found && entity && isKey(entity, found.rowKey) ? { ...found, entity } : null;
}

/** Returns the page of several parts at a path. */
export function pageAt({ pages }: PortalScreens, path: string): PortalPage | undefined {
  const parts = segments(path);
  return pages.find(({ route }) => keyIn(segments(route), parts) !== null);
}

/** Returns the title of the screen or the page with a route; null if the caller may open neither. */
export const titleAt = ({ screens, pages }: PortalScreens, route: string): string | null =>
  [...screens, ...pages].find((one) => one.route === route)?.title ?? null;

const shapes = {
  integer: /^-?\d{1,19}$/,
  uuid: /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i,
};

/** Returns true if values can be the key of a row of an entity. */
const isKey = ({ fields }: PortalEntity, key: Readonly<Record<string, string>>): boolean =>
  Object.entries(key).every(([name, value]) => {
    const { shape } = fields.find((field) => field.name === name) ?? {};
    return shape === undefined || shapes[shape].test(value);
  });

const segments = (path: string): string[] => path.split('/').filter(Boolean).map(decoded);

function keyIn(route: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (route.length !== parts.length) return null;
  const key: Record<string, string> = {};
  for (const [i, segment] of route.entries()) {
    const part = parts[i] ?? '';
    if (segment.startsWith(':')) key[segment.slice(1)] = part.replace(/^~/, '');
    else if (segment !== part) return null;
  }
  return key;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export const entityIn = ({ entities }: PortalScreens, id: string): PortalEntity | undefined =>
  entities.find((entity) => entity.id === id);

export const fieldIn = ({ fields }: PortalEntity, name: string): PortalField | undefined =>
  fields.find((field) => field.name === name);

/** Matches values that are no title: an e-mail address, which is private, and a uuid, which means nothing to a member. */
const NO_TITLE = /^(\S+@\S+\.\S+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** Number of references that a label follows: a label may contain that of another row. */
const LABEL_DEPTH = 2;

/**
 * Returns the label of a row, from the values of its title fields; null if these are empty or no titles. The label of a
 * referenced row is a part of it, and so is a time: "Meeting room, 2 December, 10:00".
 */
export function labelOf(
  all: PortalScreens,
  entity: PortalEntity,
  row: Readonly<Record<string, unknown>>,
  depth = LABEL_DEPTH,
): string | null {
  const fields = entity.title_fields.flatMap((name) => fieldIn(entity, name) ?? []);
  const parts = fields.flatMap((field): string[] => {
    const target = field.reference && entityIn(all, field.reference.entity);
    if (target) {
      const pointed = pointedTo(row, field.name);
      const label = pointed && depth > 0 ? labelOf(all, target, pointed, depth - 1) : null;
      return label === null ? [] : [label];
    }
    const value = row[field.name];
    if (value == null || value === '' || NO_TITLE.test(String(value))) return [];
    return [fields.length > 1 ? timeInLabel(field, value) : textOf(field, value)];
  });
  const isEvent = fields.some(({ editor, reference }) => reference !== null || editor === 'date and time');
  return parts.join(isEvent ? ', ' : ' ') || null;
}

/** Formats a value of a label. A time of this year has no year, and no time of the day if it is a day. */
function timeInLabel(field: PortalField, value: unknown): string {
  const time = field.editor === 'date and time' ? timeOf(value) : null;
  if (!time) return textOf(field, value);
  const year = time.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' as const };
  const day = dateFormat({ day: 'numeric', month: 'long', ...year }).format(time);
  return `${day}, ${dateFormat({ timeStyle: 'short' }).format(time)}`;
}

/** Returns the fields with these names in the order of the names. Omits fields that the caller may not read. */
export const readableFields = (entity: PortalEntity, names: readonly string[]): PortalField[] =>
  names.flatMap((name) => entity.fields.find((field) => field.name === name && field.readable) ?? []);

/** Returns the address of the page of a row. Null if the caller has no screen for single rows of the entity, or if the row has no key. */
export function rowPath(
  all: PortalScreens,
  entity: PortalEntity,
  row: Readonly<Record<string, unknown>>,
): string | null {
  if (entity.opens) {
    const target = entityIn(all, entity.opens.entity);
    const [key] = target?.key ?? [];
    return target && key !== undefined ? rowPath(all, target, { [key]: row[entity.opens.field] }) : null;
  }
  const screen = all.screens.find(({ kind, entity: id }) => kind === 'detail' && id === entity.id);
  if (!screen || entity.key.length === 0 || entity.key.some((name) => row[name] == null)) return null;
  const key = keyOf(entity, row);
  const path = (marked: RegExp) =>
    screen.route
      .split('/')
      .map((part) => (part.startsWith(':') ? keySegment(String(key[decoded(part).slice(1)]), marked) : part))
      .join('/');
  // The mark distinguishes the row with the key `new` from the form `/tickets/new`.
  const plain = path(/^(?:~|\.{0,2}$)/);
  return [...all.screens, ...all.pages].some(({ route }) => route === plain) ? path(/^/) : plain;
}

/**
 * Returns a value of a key as a segment of a path. A tilde marks a value that is empty, that a browser would remove from
 * the path, or that starts with a tilde.
 * @param marked Matches the values to mark.
 */
const keySegment = (value: string, marked: RegExp): string =>
  encodeURIComponent(value)
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/^/, marked.test(value) ? '~' : '');

/**
 * Returns the list to which the page of a row links back: the list whose address is the beginning of the page's
 * address, or else any list of the entity.
 */
export function listFor({ screens }: PortalScreens, entity: PortalEntity): PortalScreen | undefined {
  const lists = screens.filter(({ kind, entity: id }) => kind === 'list' && id === entity.id);
  const detail = screens.find(({ kind, entity: id }) => kind === 'detail' && id === entity.id);
  return lists.find(({ route }) => detail?.route.startsWith(`${route}/`)) ?? lists[0];
}

/** Returns the screens of the navigation in their order. */
export const shownScreens = ({ navigation, screens }: PortalScreens): PortalScreen[] =>
  navigation.flatMap(({ routes }) => routes.flatMap((route) => screens.find((one) => one.route === route) ?? []));

/** Returns the lists of the navigation except the home screen. */
export const shownLists = (all: PortalScreens): PortalScreen[] =>
  shownScreens(all).filter(({ kind, route }) => kind === 'list' && route !== all.home);

/** Returns the entity of the rows that a list opens: for some views, that of their base table. */
export const openedEntity = (all: PortalScreens, entity: PortalEntity): PortalEntity =>
  (entity.opens && entityIn(all, entity.opens.entity)) ?? entity;

/** Returns the form that adds a row of an entity; undefined if the caller cannot add rows. */
export const formFor = ({ screens }: PortalScreens, entity: PortalEntity): PortalScreen | undefined =>
  entity.access.insert.open ? screens.find(({ kind, entity: id }) => kind === 'form' && id === entity.id) : undefined;
