import type { Screen } from '../../../../../contract/description.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { sqlName } from '../../../../catalog/names.ts';
import { tokenise } from '../../../../sql-reader/tokens.ts';

/** Returns the id of an entity from a name in SQL. SQL and ids quote alike except for keywords. */
export function idOf(name: string): string {
  const words = (tokenise(name) ?? []).flatMap((token) => (token.kind === 'word' ? [sqlName(token.value)] : []));
  return words.length === 2 ? words.join('.') : name;
}

/** The parts of a definition that name columns. */
interface NamingColumns {
  columns: readonly string[] | null;
  filter: string | null;
  order_by: string | null;
  group_by?: string | null;
}

/** Returns in words the columns that a definition names and the entity does not have, and conditions that no call accepts. */
export function lostNames(fact: NamingColumns, entity: Entity): string[] {
  const names = new Set(entity.fields.map((field) => field.name));
  // Defining a screen does not check its filter and its order. So a column in them may never have existed.
  const asked = new Set([...names, ...(entity.computed ?? []).map(({ name }) => name)]);
  const lost = (list: readonly string[], where: string) =>
    [...new Set(list)].filter((name) => !asked.has(name)).map((name) => `there is no column ${name} for its ${where}`);
  return [
    ...[...new Set(fact.columns ?? [])].filter((name) => !names.has(name)).map((name) => `the column ${name} is gone`),
    ...lost(filteredNames(fact.filter ?? ''), 'filter'),
    ...unreadConditions(fact.filter ?? ''),
    ...lost(orderedNames(fact.order_by ?? ''), 'order'),
    ...lost(fact.group_by == null ? [] : [fact.group_by], 'groups'),
  ];
}

/** Returns the columns that a screen's filter, order and groups name. */
export const namesAskedBy = ({
  filter,
  order_by,
  group_by,
}: Pick<Screen, 'filter' | 'order_by'> & { group_by?: string | null | undefined }): string[] => [
  ...filteredNames(filter ?? ''),
  ...orderedNames(order_by ?? ''),
  ...(group_by == null ? [] : [group_by]),
];

/**
 * Returns the columns that a filter names at its first level: `status=neq.closed`, `metadata->>kind=eq.x`. Omits those
 * within and(…), or(…).
 */
const filteredNames = (filter: string): string[] =>
  [...new URLSearchParams(filter).keys()]
    .filter((name) => !/^(not\.)?(and|or)$/.test(name) && !name.includes('.'))
    .map((name) => fieldOf(name));

/** Matches the operator before the value of a filter (PostgREST docs, "Operators"). */
const operation =
  /^(not\.)?((eq|gte?|lte?|i?like|i?match)(\((any|all)\))?|neq|c[sd]|ov|s[lr]|nx[rl]|adj|(pl|ph|w)?fts(\(\w+\))?|in(?=\.\()|is|isdistinct)\./;

/** Returns in words the conditions of a filter that no data call accepts. */
const unreadConditions = (filter: string): string[] =>
  [...new URLSearchParams(filter)].flatMap(([name, value]) =>
    /(^|\.)(and|or)$/.test(name) || operation.test(value)
      ? []
      : [`its filter ${name}=${value} has no operator that calls know, as eq in ${name}=eq.1`],
  );

const orderedNames = (order: string): string[] =>
  order
    .split(',')
    .flatMap((term) =>
      term.trim() === '' || term.includes('(')
        ? []
        : [fieldOf(term.trim().replace(/\.(asc|desc|nullsfirst|nullslast)\b.*$/, ''))],
    );

/** Returns the column that `column->path` reads, without quotes. */
const fieldOf = (text: string): string => text.replace(/->.*$/, '').replace(/^"(.*)"$/, '$1');
