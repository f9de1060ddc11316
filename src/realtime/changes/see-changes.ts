import type { Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { ChangeGroup, TableFollowers } from './change-groups.ts';
import type { ReadChange } from './change-view.ts';
import type { TableFilter } from './filter-sql.ts';
import { type Answer, askMembers, type Question } from './member-questions.ts';
import type { PublishedTable } from './published-tables.ts';
import { imageQuery } from './sight.ts';

/** Whether a condition is true for the old and the new row of a change. */
export interface Seen {
  readonly old: boolean;
  readonly new: boolean;
}

/** The decisions about the changes of one read. */
export interface Sights {
  /** Decisions of the policies for a group; an error if a policy raises one. */
  of(group: ChangeGroup, change: ReadChange): Seen | DatabaseError;
  /** Decisions of a filter for a group. */
  filtered(group: ChangeGroup, filter: TableFilter, change: ReadChange): Seen | DatabaseError;
}

const always: Seen = { old: true, new: true };
const never: Seen = { old: false, new: false };

/** Decides which groups see which rows, and which rows pass which filters. */
export async function seeChanges(
  database: Executor,
  changes: readonly ReadChange[],
  followers: ReadonlyMap<number, TableFollowers>,
): Promise<Sights> {
  const policies = new Map<ChangeGroup, ReadonlyMap<ReadChange, Seen> | DatabaseError>();
  const filters = new Map<string, ReadonlyMap<ReadChange, Seen> | DatabaseError>();
  const questions: Question[] = [];
  const takers: ((answer: Answer) => void)[] = [];
  for (const [table, ofTable] of byTable(changes)) {
    const images = imagesOf(ofTable);
    for (const group of followers.get(table.oid)?.groups.values() ?? []) {
      if (typeof group.sight !== 'string') {
        questions.push({
          as: group.as,
          text: imageQuery(table, group.sight.condition),
          params: [images],
          searchPath: '',
        });
        takers.push((answer) => policies.set(group, seenBy(ofTable, answer)));
      }
      for (const filter of sqlFilters(group)) {
        const key = filterKey(group, filter);
        if (filters.has(key)) continue;
        filters.set(key, new Map());
        questions.push({
          as: group.as,
          text: imageQuery(table, filter.condition),
          params: [images, ...filter.values],
          searchPath: filter.searchPath,
        });
        takers.push((answer) => filters.set(key, seenBy(ofTable, answer)));
      }
    }
  }
  const answers = await askMembers(database, questions);
  for (const [i, answer] of answers.entries()) takers[i]?.(answer);
  const seenIn = (found: ReadonlyMap<ReadChange, Seen> | DatabaseError | undefined, change: ReadChange) =>
    found instanceof DatabaseError ? found : (found?.get(change) ?? never);
  return {
    of: (group, change) =>
      group.sight === 'all' ? always : group.sight === 'none' ? never : seenIn(policies.get(group), change),
    filtered: (group, filter, change) =>
      filter.test
        ? { old: change.old !== null && filter.test(change.old), new: change.new !== null && filter.test(change.new) }
        : seenIn(filters.get(filterKey(group, filter)), change),
  };
}

/** Equal filters are asked once for each role, because functions behind operators can depend on it. */
const filterKey = ({ as }: ChangeGroup, { condition, values, searchPath }: TableFilter): string =>
  JSON.stringify([as.role, condition, values, searchPath]);

function* sqlFilters({ members }: ChangeGroup): Iterable<TableFilter> {
  for (const { entries } of members) {
    for (const { filter } of entries) if (filter && !filter.test) yield filter;
  }
}

function byTable(changes: readonly ReadChange[]): Map<PublishedTable, ReadChange[]> {
  const found = new Map<PublishedTable, ReadChange[]>();
  for (const change of changes) {
    if (change.old === null && change.new === null) continue;
    const ofTable = found.get(change.table);
    if (ofTable) ofTable.push(change);
    else found.set(change.table, [change]);
  }
  return found;
}

/** Returns the images of the changes as one JSON list, each old row before its new row. */
const imagesOf = (changes: readonly ReadChange[]): string =>
  `[${changes.flatMap(({ change }) => [change.old, change.new].filter((image) => image !== null)).join(',')}]`;

/** Assigns the values for the images to their changes. */
function seenBy(changes: readonly ReadChange[], answer: Answer): ReadonlyMap<ReadChange, Seen> | DatabaseError {
  if (answer instanceof DatabaseError) return answer;
  let at = 0;
  return new Map(
    changes.map((change) => [
      change,
      { old: change.old !== null && answer[at++] === true, new: change.new !== null && answer[at++] === true },
    ]),
  );
}
