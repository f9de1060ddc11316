/** Escapes and joins texts as lines of Markdown do, for tests that look for a text in a line. */
export const inline = (text: string): string => oneLine(text).replace(/[\\`*[\]<>|~$]/g, '\\$&');
export const code = (text: string): string => `\`${oneLine(text).replaceAll('|', '\\|')}\``;
export const block = (sql: string): string => sql;
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
export const count = (number: number, singular: string, plural = `${singular}s`): string =>
  `${number} ${number === 1 ? singular : plural}`;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
