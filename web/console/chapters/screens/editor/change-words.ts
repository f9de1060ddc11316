import { counted, listed } from '../../../format/format.ts';
import { type Definition, type Definitions, newPage, newScreen } from './definitions.ts';

/** Names of the properties of a definition, as the editor calls them. */
const names: Readonly<Record<string, string>> = {
  route: 'route',
  title: 'title',
  columns: 'fields',
  filter: 'filter',
  orderBy: 'sort',
  roles: 'who',
  groupBy: 'group',
  related: 'related lists',
  actions: 'actions',
  home: 'first page',
  place: 'menu',
  empty: 'words when empty',
  starts: 'start',
  ends: 'end',
  picture: 'picture',
  parts: 'parts',
};

/** Describes the changes of the definitions: "Fields and sort of Queue, 2 labels". Pure. */
export function changeWords(
  before: Definitions,
  after: Definitions,
  start: Definition | null,
  item: Definition,
): string {
  const labels = changedLabels(before, after);
  const menus = after.menus.filter(
    (menu) => JSON.stringify(before.menus.find(({ role }) => role === menu.role)) !== JSON.stringify(menu),
  );
  const properties = start ? changedProperties(start, item) : [];
  const kind = item.type === 'page' ? 'page' : item.kind;
  const words = [
    ...(start ? [] : [`new ${kind}`]),
    ...(properties.length > 0 ? [listed(properties)] : []),
    ...(labels > 0 ? [counted(labels, 'label')] : []),
    ...(menus.length > 0 && properties.every((name) => name !== 'route') ? [counted(menus.length, 'menu')] : []),
  ].join(', ');
  return words === '' ? 'No change' : words.charAt(0).toUpperCase() + words.slice(1);
}

function changedProperties(start: Definition, item: Definition): string[] {
  const blank = start.type === 'page' ? newPage() : newScreen(start.kind, start.entity);
  return Object.keys(blank).flatMap((name) => {
    const [was, is] = [start, item].map((one) => JSON.stringify(one[name as keyof Definition]));
    return was === is ? [] : (names[name] ?? []);
  });
}

function changedLabels({ labels: before }: Definitions, { labels: after }: Definitions): number {
  const entries = (labels: typeof before) =>
    Object.entries(labels).flatMap(([language, texts]) =>
      Object.entries(texts).map(([key, text]) => `${language} ${key} ${JSON.stringify(text)}`),
    );
  const [old, now] = [entries(before), entries(after)];
  const keyOf = (entry: string) => entry.slice(0, entry.indexOf(' {'));
  const changed = [...old.filter((one) => !now.includes(one)), ...now.filter((one) => !old.includes(one))];
  return new Set(changed.map(keyOf)).size;
}
