import { anyone } from '../../../../access/outcomes.ts';
import type { ExclusionFact } from '../../../../catalog/constraints.ts';
import { readCondition } from '../../../../sql-reader/condition.ts';
import { phrase } from '../../words/phrase.ts';

/**
 * Returns words for a unique key: "no two rows have the same email, among those where …".
 * @param emptyToo True for NULLS NOT DISTINCT.
 */
export function uniqueWords(keys: readonly string[], condition: string | null, emptyToo: boolean): string {
  return `no two rows have the same ${keys.join(', ')}${among(condition)}${emptyToo ? '; no value counts as a value' : ''}`;
}

const among = (condition: string | null): string =>
  condition === null ? '' : `, among those where ${phrase(readCondition(condition), anyone)}`;

/**
 * Returns words for an exclusion constraint: "no two rows have the same room and overlap in during". Two rows violate
 * it only if they satisfy all of its conditions together.
 */
export function exclusionWords({
  keys,
  condition,
}: Pick<ExclusionFact, 'condition'> & { keys: readonly Compared[] }): string {
  const by = new Map<string, string[]>();
  for (const { key, operator } of keys) by.set(operator, [...(by.get(operator) ?? []), key]);
  const parts = [...by].map(
    ([operator, names]) => `${verbs[operator] ?? `are ${operator} one another in`} ${names.join(', ')}`,
  );
  const last = parts.pop() ?? '';
  return `no two rows ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}${among(condition)}`;
}

type Compared = { key: string; operator: string };

/** Words for the operators with which an exclusion constraint compares two rows. */
const verbs: Readonly<Record<string, string>> = {
  '=': 'have the same',
  '<>': 'differ in',
  '&&': 'overlap in',
  '-|-': 'are adjacent in',
};

/** Returns words for a key WITHOUT OVERLAPS, whose last field is a period. */
export const periodWords = (fields: readonly string[]): string =>
  exclusionWords({
    condition: null,
    keys: fields.map((key, i) => ({ key, operator: i === fields.length - 1 ? '&&' : '=' })),
  });

export interface Reference {
  fields: readonly string[];
  /** The referenced fields. */
  targets: readonly string[];
  /** The name of the referenced table for a reader. */
  table: string;
  /** True for FOREIGN KEY … PERIOD, whose last field is a period. */
  period: boolean;
  matchFull: boolean;
}

/** Returns words for a reference: "customer is the id of a row in customers". */
export function referenceWords({ fields, targets, table, period, matchFull }: Reference): string {
  if (period) {
    const [during, there] = [fields[fields.length - 1] ?? '', targets[targets.length - 1] ?? ''];
    const row = pointing(fields.slice(0, -1), targets.slice(0, -1), table);
    return `at every point of ${during}, ${row} whose ${there} holds that point; ${during} is not an empty range`;
  }
  const words = pointing(fields, targets, table);
  return matchFull && fields.length > 1 ? `${words}, or none of them has a value` : words;
}

const pointing = (fields: readonly string[], targets: readonly string[], table: string): string =>
  `${fields.join(', ')} ${fields.length === 1 ? 'is' : 'are'} the ${targets.join(', ')} of a row in ${table}`;
