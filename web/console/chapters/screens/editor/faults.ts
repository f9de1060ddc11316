import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { Field } from '../../../../../contract/specification-entities.ts';
import type { RoleCell } from '../../../../../contract/specification-roles.ts';
import type { Definition } from './definitions.ts';
import { isFilterComplete } from './filter-text.ts';
import { computedValue } from './part-design.ts';

export type OptionName =
  | 'title'
  | 'route'
  | 'fields'
  | 'filter'
  | 'sort'
  | 'group'
  | 'related'
  | 'actions'
  | 'calendar'
  | 'picture'
  | 'who'
  | 'parts';

/** A reason why a definition is refused or cannot be shown, and the option that causes it. */
export interface Fault {
  readonly option: OptionName;
  readonly words: string;
}

/** Routes of screens may contain fields of the key; those of pages may not (ninefold.screens and ninefold.pages). */
const ROUTES = {
  screen: /^(?:\/:?[\w%.~-]+)+$/,
  page: /^(?:\/[\w%.~-]+)+$/,
} as const;
/** Max number of characters of a route and of a title. */
const CHARACTERS = 200;

/** The paths of an app's origin that show pages of the server itself. */
const SERVER_PAGES = /^\/(?:account|admin|apps|docs|health)(?:\/|$)/;

/**
 * Returns what is wrong with a definition before the server tries it. Pure.
 * @param own The route of the item at the beginning; null for a new one.
 */
export function definitionFaults(
  item: Definition,
  fields: readonly Field[],
  { screens, pages = [] }: ScreensChapter,
  own: string | null,
): Fault[] {
  const { type, route, title } = item;
  const isTaken =
    route !== own &&
    (pages.some((one) => one.route === route) ||
      screens.some((one) => one.route === route && (type === 'page' || one.origin !== 'derived')));
  const faults: (Fault | false)[] = [
    title.trim() === '' && { option: 'title', words: 'Give it a title.' },
    title.length > CHARACTERS && { option: 'title', words: `A title has at most ${CHARACTERS} characters.` },
    (!ROUTES[type].test(route) || route.length > CHARACTERS) && {
      option: 'route',
      words: 'A route begins with a slash and has letters, digits and hyphens: /open-tickets.',
    },
    isTaken && { option: 'route', words: `There is another screen at ${route}.` },
    SERVER_PAGES.test(route) && { option: 'route', words: `The server shows a page of its own at ${route}.` },
    ...(item.type === 'page' ? pageFaults(item.parts) : screenFaults(item, fields)),
  ];
  return faults.filter((fault) => fault !== false);
}

function screenFaults(item: Extract<Definition, { type: 'screen' }>, fields: readonly Field[]): (Fault | false)[] {
  return [
    item.columns?.length === 0 && { option: 'fields', words: 'Choose a field.' },
    !isFilterComplete(item.filter, fields) && { option: 'filter', words: 'A condition has no value.' },
    (item.starts === '') !== (item.ends === '') && { option: 'calendar', words: 'Choose both the start and the end.' },
  ];
}

function pageFaults(parts: Extract<Definition, { type: 'page' }>['parts']): (Fault | false)[] {
  const wrong = (words: string): Fault => ({ option: 'parts', words });
  return [
    parts.length === 0 && wrong('Add a part.'),
    ...parts.flatMap((part, index) => {
      const name = `Part ${index + 1}`;
      if (part.kind === 'text') return part.text.trim() === '' ? [wrong(`${name} has no text.`)] : [];
      if (part.kind === 'buttons') return part.routes.length === 0 ? [wrong(`${name} has no button.`)] : [];
      return [
        part.title.trim() === '' && wrong(`${name} has no title.`),
        part.entity === '' && wrong(`${name} needs a table.`),
        part.kind === 'bars' && part.by === '' && wrong(`${name} needs the field whose values are the bars.`),
        part.kind === 'line' && part.over === '' && wrong(`${name} needs a time.`),
        part.kind !== 'list' &&
          computedValue(part) !== 'count' &&
          !part.of &&
          wrong(`${name} needs the field to compute.`),
      ];
    }),
  ];
}

/**
 * Returns the fields of a screen that no member may read or, in a form, write: the screen is then only for the secret key.
 * Pure.
 * @param cells The cells of chapter 6.
 */
export function closedFields(item: Definition, cells: readonly RoleCell[]): Fault[] {
  if (item.type === 'page') return [];
  const operations = item.kind === 'form' ? ['insert', 'update'] : ['select'];
  const open = cells.filter(
    ({ role, entity, operation, verdict }) =>
      role !== 'service_role' && entity === item.entity && operations.includes(operation) && verdict !== 'never',
  );
  const verb = item.kind === 'form' ? 'write' : 'read';
  return (item.columns ?? [])
    .filter((name) => !open.some(({ columns }) => columns?.includes(name) ?? true))
    .map((name) => ({ option: 'fields', words: `No member may ${verb} ${name}.` }));
}

/** Patterns of the reasons in chapter 2 why a screen cannot be shown, with the option that causes each. */
const patterns: readonly (readonly [RegExp, OptionName])[] = [
  [/filter/, 'filter'],
  [/\border\b/, 'sort'],
  [/its groups/, 'group'],
  [/no start and end/, 'calendar'],
  [/the function/, 'actions'],
  [/route|another page/, 'route'],
  [/role .* (?:is gone|may not read the column)|nobody may|may neither|may not (?:read|write)|no call has/, 'who'],
  [/column|nobody writes/, 'fields'],
];

/** Returns the option that causes a reason of chapter 2. Pure. */
export const optionOfReason = (reason: string, type: Definition['type']): OptionName =>
  patterns.find(([pattern]) => pattern.test(reason))?.[1] ?? (type === 'page' ? 'parts' : 'fields');
