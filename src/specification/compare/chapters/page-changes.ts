import type { PagePart } from '../../../../contract/description.ts';
import { fewWords, isObject, items, listWords, quoted, text, texts, thing } from '../../derive/words/sentence-parts.ts';
import { type DescribedChange, matches } from '../describer.ts';
import { canonical, type Difference } from '../differences.ts';

/** Words for the parts of a page, by kind. */
const kinds: Readonly<Record<PagePart['kind'], string>> = {
  text: 'a text',
  buttons: 'buttons',
  number: 'the number',
  bars: 'the bars',
  line: 'the line',
  list: 'the list',
};

/** Returns true for a difference of pages or menus. */
export const isOfPages = ({ path }: Difference): boolean =>
  ['pages', 'pages/*', 'menus', 'menus/*'].some((pattern) => matches(path, pattern));

/** Describes a changed page or menu, or all of them if the chapter had none before or has none now. */
export function pageChange(difference: Difference): DescribedChange {
  const { path, before, after } = difference;
  const [list] = path;
  const words = list === 'pages' ? pageWords : menuWords;
  const pairs = path.length === 1 ? pairsOf(before, after) : [[before, after] as const];
  return { words: pairs.map(([was, is]) => words(was, is)).join(' '), of: [difference] };
}

/** Pairs the items of two lists, one of which is empty. */
const pairsOf = (before: unknown, after: unknown): (readonly [unknown, unknown])[] => [
  ...(Array.isArray(before) ? before.map((one) => [one, undefined] as const) : []),
  ...(Array.isArray(after) ? after.map((one) => [undefined, one] as const) : []),
];

function pageWords(before: unknown, after: unknown): string {
  const route = text(after ?? before, 'route');
  if (!isObject(after)) return `The page ${route} is gone.`;
  const parts = items(after, 'parts').map(partWords);
  const broken = texts(after, 'broken');
  const faults = broken.length === 0 ? [] : [`a part cannot be shown: ${broken.join('; ')}`];
  if (!isObject(before)) {
    const content = `New page ${route} (${quoted(text(after, 'title'))}) with ${listWords(parts)}`;
    return `${[content, `for ${rolesWords(after)}`, ...faults].join('; ')}.`;
  }
  const differs = (name: string) => canonical(before[name]) !== canonical(after[name]);
  const changes = [
    ...(differs('title')
      ? [`is now called ${quoted(text(after, 'title'))} (before: ${quoted(text(before, 'title'))})`]
      : []),
    ...(differs('parts') ? [`now has ${fewWords(parts)}`] : []),
    ...(differs('roles') ? [`now for ${rolesWords(after)}`] : []),
    ...(differs('home')
      ? [after.home ? 'is now the first page of the portal' : 'is no longer the first page of the portal']
      : []),
    ...(differs('place')
      ? [
          after.place === undefined
            ? 'has no position in the navigation now'
            : `is now at position ${String(after.place)} of the navigation`,
        ]
      : []),
    ...(differs('broken') ? (faults.length > 0 ? faults : ['all parts can be shown again']) : []),
  ];
  return `The page ${route}: ${changes.join('; ')}.`;
}

const rolesWords = (page: unknown): string => listWords(texts(page, 'roles')) || 'nobody';

/** Describes a part: "the bars “By topic” of tickets where status=eq.open, the sum of price by topic". */
function partWords(part: unknown): string {
  const kind = text(part, 'kind') as PagePart['kind'];
  const words = kinds[kind] ?? kind;
  if (kind === 'text') return `${words} ${quoted(text(part, 'text'))}${titleWords(part, 'texts')}`;
  if (kind === 'buttons') return `${words} to ${listWords(texts(part, 'routes')) || 'nothing'}`;
  const [filter, of, by, over, order] = ['filter', 'of', 'by', 'over', 'order_by'].map((name) => text(part, name));
  const value = text(part, 'value') || 'count';
  const columns = texts(part, 'columns');
  const rows = isObject(part) && part.rows !== undefined ? [`at most ${String(part.rows)} rows`] : [];
  const details = [
    ...(kind === 'list' ? [] : [`the ${value}${of ? ` of ${of}` : ''}`]),
    ...(by ? [`by ${by}`] : []),
    ...(over ? [`over ${over}`] : []),
    ...(columns.length > 0 ? [`with ${fewWords(columns)}`] : []),
    ...(order ? [`ordered by ${order}`] : []),
    ...rows,
  ];
  const title = `${words} ${quoted(text(part, 'title'))}${titleWords(part, 'titles')}`;
  const entity = thing(text(part, 'entity'));
  return `${title}${entity && ` of ${entity}`}${filter && ` where ${filter}`} (${details.join(', ') || 'all fields'})`;
}

/** Returns the titles of other languages: " (de: “Anfragen”)". */
function titleWords(item: unknown, name: string): string {
  const titles = isObject(item) && isObject(item[name]) ? Object.entries(item[name]) : [];
  return titles.length === 0
    ? ''
    : ` (${titles.map(([language, title]) => `${language}: ${quoted(String(title))}`).join(', ')})`;
}

function menuWords(before: unknown, after: unknown): string {
  const role = text(after ?? before, 'role');
  if (!isObject(after)) return `The menu of ${role} follows from the screens again.`;
  const groups = items(after, 'groups').map((group) => {
    const routes = texts(group, 'routes').join(', ') || 'nothing';
    const title = text(group, 'title');
    return title === ''
      ? `${routes}${titleWords(group, 'titles')}`
      : `${title}${titleWords(group, 'titles')}: ${routes}`;
  });
  const home = text(after, 'home');
  const broken = texts(after, 'broken');
  const first = home === '' ? 'the first page says what needs the member' : `the first page is ${home}`;
  const content = `${groups.join('; ') || 'no entry'}; ${first}`;
  const faults = broken.length === 0 ? '' : ` An entry is left out: ${broken.join('; ')}.`;
  return `The menu of ${role} ${isObject(before) ? 'is now' : 'is defined'}: ${content}.${faults}`;
}
