import type { Labels, LabelTexts } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { arrayLiteral, callSql, literal } from '../../../queries/sql.ts';
import type { Definition, Definitions, MenuDefinition, PageDefinition, ScreenDefinition } from './definitions.ts';

const textOrNull = (text: string): string | null => (text === '' ? null : literal(text));
const listOrNull = (texts: readonly string[] | null): string | null =>
  texts === null || texts.length === 0 ? null : arrayLiteral(texts);

/** Writes a JSON array with one item on each line, as an SQL literal. */
const jsonLines = (items: readonly unknown[]): string =>
  items.length === 0
    ? `'[]'::jsonb`
    : `${literal(`[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`)}::jsonb`;

/** Returns the SQL that defines a screen or a page. Pure. */
export const defineSql = (item: Definition): string => (item.type === 'screen' ? screenSql(item) : pageSql(item));

const screenSql = (screen: ScreenDefinition): string =>
  callSql('ninefold.define_screen', {
    route: literal(screen.route),
    title: literal(screen.title),
    kind: literal(screen.kind),
    entity: literal(screen.entity),
    columns: listOrNull(screen.columns),
    filter: textOrNull(screen.filter),
    order_by: textOrNull(screen.orderBy),
    roles: listOrNull(screen.roles),
    group_by: textOrNull(screen.groupBy),
    related: listOrNull(screen.related),
    actions: listOrNull(screen.actions),
    home: screen.home ? 'true' : null,
    place: screen.place === null ? null : String(screen.place),
    empty: textOrNull(screen.empty),
    starts: textOrNull(screen.starts),
    ends: textOrNull(screen.ends),
    picture: textOrNull(screen.picture),
  });

const pageSql = ({ route, title, parts, roles, home, place }: PageDefinition): string =>
  callSql('ninefold.define_page', {
    route: literal(route),
    title: literal(title),
    parts: jsonLines(parts),
    roles: listOrNull(roles),
    home: home ? 'true' : null,
    place: place === null ? null : String(place),
  });

/** Returns the SQL that removes the definition of a screen or a page. Pure. */
export const dropSql = ({ type, route }: Pick<Definition, 'type' | 'route'>): string =>
  `select ninefold.drop_${type}(${literal(route)});`;

const menuSql = ({ role, groups, home }: MenuDefinition): string =>
  callSql('ninefold.define_menu', {
    role: literal(role),
    groups: jsonLines(groups),
    home: home === null ? null : literal(home),
  });

/**
 * Returns the migration that leads from one set of definitions to another; empty if they are equal. The migration back
 * is the result for the sets in the other order. Pure.
 * @param entities The entities whose labels may differ.
 */
export function definitionsSql(before: Definitions, after: Definitions, entities: readonly Entity[]): string {
  return [
    ...droppedItems(before, after).map(dropSql),
    ...changedItems(before, after).map(defineSql),
    ...labelStatements(before.labels, after.labels, entities),
    ...menuStatements(before.menus, after.menus),
  ].join('\n');
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const isSameItem = (a: Definition, b: Definition): boolean => a.type === b.type && a.route === b.route;

const droppedItems = (before: Definitions, after: Definitions): Definition[] =>
  before.items.filter((item) => !after.items.some((other) => isSameItem(item, other)));

/** Returns the new and the changed items. The one that becomes the first page is last, because the others would end that. */
function changedItems(before: Definitions, after: Definitions): Definition[] {
  const hasHome = after.items.some(({ home }) => home);
  const changed = after.items.filter((item) => {
    const known = before.items.find((other) => isSameItem(item, other));
    if (!known || defineSql(known) === defineSql(item)) return !known;
    // A new first page ends the former one by itself.
    return !(hasHome && known.home && !item.home && defineSql({ ...known, home: false }) === defineSql(item));
  });
  return [...changed.filter(({ home }) => !home), ...changed.filter(({ home }) => home)];
}

function menuStatements(before: readonly MenuDefinition[], after: readonly MenuDefinition[]): string[] {
  return [
    ...before
      .filter(({ role }) => !after.some((menu) => menu.role === role))
      .map(({ role }) => `select ninefold.drop_menu(${literal(role)});`),
    ...after
      .filter(
        (menu) =>
          !same(
            before.find(({ role }) => role === menu.role),
            menu,
          ),
      )
      .map(menuSql),
  ];
}

function labelStatements(before: Labels, after: Labels, entities: readonly Entity[]): string[] {
  const languages = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return languages.flatMap((language) => {
    const [old, now] = [before[language] ?? {}, after[language] ?? {}];
    return [...new Set([...Object.keys(old), ...Object.keys(now)])]
      .sort()
      .filter((key) => !same(textsIn(old[key]), textsIn(now[key])))
      .flatMap((key) => labelSql(language, key, now[key], entities));
  });
}

const textsIn = (texts: LabelTexts | undefined) => texts && [texts.label, texts.one ?? '', texts.help ?? ''];

/** Returns the statement that sets or removes a label, on one line. */
function labelSql(language: string, key: string, texts: LabelTexts | undefined, entities: readonly Entity[]): string[] {
  const subject = labelSubject(key, entities);
  if (!subject) return [];
  const named = Object.entries(subject).map(([name, text]) => `${name} => ${literal(text)}`);
  const rest = (['one', 'help'] as const).flatMap((name) =>
    texts?.[name] ? [`${name} => ${literal(texts[name])}`] : [],
  );
  const label = texts ? literal(texts.label) : 'null';
  return [`select ninefold.label(${[literal(language), label, ...named, ...rest].join(', ')});`];
}

/** Returns the arguments of ninefold.label that name the object of a label; null for an object that the editor does not label. */
function labelSubject(key: string, entities: readonly Entity[]): Readonly<Record<string, string>> | null {
  if (key.startsWith('/')) return { screen: key };
  if (key.startsWith(ACTION)) return { action: key.slice(ACTION.length) };
  for (const { id, fields } of entities) {
    const field = fields.find(({ name }) => key === fieldKey(id, name));
    if (field) return { entity: id, field: field.name };
  }
  return null;
}

const ACTION = 'action ';

/** Keys of labels in chapter 2; that of a screen is its route. */
export const fieldKey = (entity: string, field: string): string => `${entity}.${field}`;
export const actionKey = (action: string): string => `${ACTION}${action}`;
