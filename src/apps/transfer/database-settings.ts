import { quoteIdentifier as id, quoteLiteral as literal } from '../../database/statement.ts';
import type { DatabaseSetting } from './read-source.ts';

/** Settings whose value is a list of names that PostgreSQL stores quoted (GUC_LIST_QUOTE in guc_tables.c). */
const LISTS: ReadonlySet<string> = new Set([
  ...['local_preload_libraries', 'search_path', 'session_preload_libraries', 'shared_preload_libraries'],
  ...['temp_tablespaces', 'unix_socket_directories'],
]);

const ITEM = /\s*(?:"((?:[^"]|"")*)"|([^\s,"][^,"]*?))\s*(,|$)/y;

/**
 * Returns the statement that sets a setting in a database. The owner of the app chose the value, so it never becomes SQL.
 * Returns null for a list that PostgreSQL would not store.
 */
export function settingStatement(database: string, { role, name, value }: DatabaseSetting): string | null {
  const target = role === null ? `database ${id(database)}` : `role ${id(role)} in database ${id(database)}`;
  const parameter = name.split('.').map(id).join('.');
  if (!LISTS.has(name.toLowerCase())) return `alter ${target} set ${parameter} to ${literal(value)}`;
  const items = splitNames(value);
  return items && `alter ${target} set ${parameter} to ${items.map(literal).join(', ')}`;
}

/** Returns the names of a list; null if the text is no list. An empty list has one empty name. */
function splitNames(value: string): string[] | null {
  if (value.trim() === '') return [''];
  const names: string[] = [];
  ITEM.lastIndex = 0;
  for (;;) {
    const found = ITEM.exec(value);
    if (!found) return null;
    names.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') return names;
  }
}
