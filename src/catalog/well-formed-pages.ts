import type { MenuGroup, PagePart, PartValue } from '../../contract/description.ts';
import { limits } from '../../contract/limits.ts';
import type { MenuFact, PageFact } from './description.ts';

const values: readonly PartValue['value'][] = ['count', 'sum', 'avg', 'min', 'max'];

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isTexts: Test = (value) => isObject(value) && Object.values(value).every(isText);
const isTextList: Test = (value) => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The properties of parts that are not a text. */
const tests = new Map<string, Test>([
  ...['titles', 'texts'].map((name): [string, Test] => [name, isTexts]),
  ...['routes', 'columns'].map((name): [string, Test] => [name, isTextList]),
  ['value', (value) => values.some((known) => known === value)],
  ['rows', (value) => typeof value === 'number' && value >= 1 && value <= limits.pageListRows.default],
]);

const ofRows = ['titles', 'filter'];

/** The properties that a part needs, and those that it can have, by its kind. */
const kinds = new Map<unknown, readonly [needed: readonly string[], more: readonly string[]]>([
  ['text', [['text'], ['texts']]],
  ['buttons', [['routes'], []]],
  [
    'number',
    [
      ['title', 'entity'],
      [...ofRows, 'value', 'of', 'over'],
    ],
  ],
  [
    'bars',
    [
      ['title', 'entity', 'by'],
      [...ofRows, 'value', 'of'],
    ],
  ],
  [
    'line',
    [
      ['title', 'entity', 'over'],
      [...ofRows, 'value', 'of', 'by'],
    ],
  ],
  [
    'list',
    [
      ['title', 'entity'],
      [...ofRows, 'order_by', 'columns', 'rows'],
    ],
  ],
]);

function isPart(part: unknown): part is PagePart {
  const [needed, more] = (isObject(part) && kinds.get(part.kind)) || [];
  if (!isObject(part) || !needed || !more) return false;
  const { kind: _, ...rest } = part;
  const allowed = [...needed, ...more];
  return (
    needed.every((name) => Object.hasOwn(rest, name)) &&
    Object.entries(rest).every(([name, value]) => allowed.includes(name) && (tests.get(name) ?? isText)(value)) &&
    ((rest.value ?? 'count') === 'count') === (rest.of === undefined)
  );
}

/**
 * Returns pages without the parts that ninefold.define_page would refuse. The owner of an app can write any JSON into the
 * table, and the code that shows a part trusts its types. Pure.
 */
export const wellFormedPages = (pages: readonly PageFact[]): PageFact[] =>
  pages.map((page) => {
    const parts = page.parts.filter(isPart);
    return parts.length === page.parts.length ? page : { ...page, parts, malformed: page.parts.length - parts.length };
  });

/** Returns menus with the groups that ninefold.define_menu accepts, and with the properties of a group only. Pure. */
export const wellFormedMenus = (menus: readonly MenuFact[]): MenuFact[] =>
  menus.map((menu) => ({
    ...menu,
    groups: (menu.groups as readonly unknown[]).flatMap((group): MenuGroup[] => {
      if (!isObject(group) || !isTextList(group.routes)) return [];
      const { title = null, titles, routes } = group;
      if ((title !== null && !isText(title)) || (titles !== undefined && !isTexts(titles))) return [];
      return [{ title, ...(titles !== undefined && { titles }), routes } as MenuGroup];
    }),
  }));
