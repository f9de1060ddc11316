import type { Database, Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { type ChangeGroup, groupsOf, type TableFollowers } from './change-groups.ts';
import type { ReadChange } from './change-view.ts';
import type { TableFilter } from './filter-sql.ts';
import { type Answer, askMembers, askThroughOwner, type Question } from './member-questions.ts';
import type { PublishedTable } from './published-tables.ts';
import { isOfTheImage, mustAskRow, rowQuery } from './row-questions.ts';
import { imageQuery } from './sight.ts';

/** Time of one filter for the rows of one read. Its followers end above it. */
const FILTER_MILLISECONDS = 500;

/** Whether a condition is true for the old and the new row of a change. */
export interface Seen {
  readonly old: boolean;
  readonly new: boolean;
}

/** The decisions about the changes of one read. */
export interface Sights {
  /** Returns the decisions of the policies for a group; an error if a policy raises one. */
  of(group: ChangeGroup, change: ReadChange): Seen | DatabaseError;
  /** Returns the decisions of a filter for a group. */
  filtered(group: ChangeGroup, filter: TableFilter, change: ReadChange): Seen | DatabaseError;
}

/** The ways to ask PostgreSQL, in the order in which they are tried. */
interface Ways {
  readonly images: Asking;
  readonly throughOwner: Asking;
  readonly rows: Asking;
}

/** SQLSTATE of a name in a schema that the caller may not use. */
const INSUFFICIENT_PRIVILEGE = '42501';

type Decisions = Map<ReadChange, Seen | DatabaseError>;

const always: Seen = { old: true, new: true };
const never: Seen = { old: false, new: false };

/** Decides which groups see which rows, and which rows pass which filters. */
export async function seeChanges(
  database: Executor,
  owner: () => Database,
  changes: readonly ReadChange[],
  followers: ReadonlyMap<number, TableFollowers>,
): Promise<Sights> {
  const policies = new Map<ChangeGroup, Decisions>();
  const filters = new Map<string, Decisions>();
  const images = new Asking((questions) => askMembers(database, questions));
  const throughOwner = new Asking((questions) => askThroughOwner(owner(), questions));
  const rows = new Asking((questions) => askMembers(database, questions));
  const ways = { images, throughOwner, rows };
  for (const [table, ofTable] of byTable(changes)) {
    for (const [group, ofGroup] of byGroup(followers.get(table.oid), ofTable)) {
      policies.set(group, decidePolicies(group, table, ofGroup, ways));
    }
  }
  await images.run();
  await throughOwner.run();
  await rows.run();
  const filtering = new Asking((questions) => askMembers(database, questions));
  for (const [group, decisions] of policies) decideFilters(group, decisions, filters, filtering);
  await filtering.run();
  return {
    of: (group, change) => policies.get(group)?.get(change) ?? never,
    filtered: (group, filter, change) =>
      filter.test
        ? { old: change.old !== null && filter.test(change.old), new: change.new !== null && filter.test(change.new) }
        : (filters.get(filterKey(group, filter))?.get(change) ?? never),
  };
}

/** Collects questions, and sends them together. */
class Asking {
  readonly #ask: (questions: readonly Question[]) => Promise<Answer[]>;
  readonly #questions: Question[] = [];
  readonly #takers: ((answer: Answer) => void)[] = [];

  constructor(ask: (questions: readonly Question[]) => Promise<Answer[]>) {
    this.#ask = ask;
  }

  add(question: Question, take: (answer: Answer) => void): void {
    this.#questions.push(question);
    this.#takers.push(take);
  }

  async run(): Promise<void> {
    if (this.#questions.length === 0) return;
    const answers = await this.#ask(this.#questions);
    for (const [i, answer] of answers.entries()) this.#takers[i]?.(answer);
  }
}

function decidePolicies(
  group: ChangeGroup,
  table: PublishedTable,
  changes: readonly ReadChange[],
  { images, throughOwner, rows }: Ways,
): Decisions {
  const { sight, as } = group;
  if (typeof sight === 'string') return new Map(changes.map((change) => [change, sight === 'all' ? always : never]));
  const decisions: Decisions = new Map();
  const asked: ReadChange[] = [];
  const ofRows: ReadChange[] = [];
  for (const change of changes) {
    if (group.asks === 'rows' || mustAskRow(table, sight.condition, change)) ofRows.push(change);
    else if (sight.test)
      decisions.set(
        change,
        testImages(change, (image) => sight.test?.(image, as) === true),
      );
    else asked.push(change);
  }
  if (asked.length > 0) {
    const question = { as, text: imageQuery(table, sight.condition), params: [imagesOf(asked)], searchPath: '' };
    const takeLast = (answer: Answer): void => {
      if (answer instanceof DatabaseError && isOfTheImage(answer)) {
        group.asks = 'rows';
        askRows(group, table, asked, rows, decisions);
      } else assign(decisions, asked, answer);
    };
    const take = (answer: Answer): void => {
      if (answer instanceof DatabaseError && answer.sqlstate === INSUFFICIENT_PRIVILEGE) {
        group.asks = 'through the owner';
        throughOwner.add(question, takeLast);
      } else takeLast(answer);
    };
    if (group.asks === 'images') images.add(question, take);
    else throughOwner.add(question, takeLast);
  }
  askRows(group, table, ofRows, rows, decisions);
  return decisions;
}

/**
 * Asks for the rows as they are. Whether the caller saw the row before is unknown, so nobody hears of its end.
 */
function askRows(
  { as, columns }: ChangeGroup,
  table: PublishedTable,
  changes: readonly ReadChange[],
  rows: Asking,
  decisions: Decisions,
): void {
  for (const isKeyOnly of [false, true]) {
    const asked = changes.filter(({ change, new: row }) => change.isTooLarge === isKeyOnly && row !== null);
    const text = rowQuery(table, columns, isKeyOnly);
    if (asked.length === 0 || text === null) continue;
    const params = [`[${asked.map(({ change }) => change.new).join(',')}]`];
    rows.add({ as, text, params, searchPath: '' }, (answer) => {
      for (const [i, change] of asked.entries()) {
        decisions.set(change, answer instanceof DatabaseError ? answer : { old: false, new: answer[i] === true });
      }
    });
  }
}

/**
 * Asks the filters of a group about the rows that the group sees. A filter that depends on other rows would reveal them by its
 * errors and by its time.
 */
function decideFilters(
  group: ChangeGroup,
  policies: Decisions,
  filters: Map<string, Decisions>,
  filtering: Asking,
): void {
  const seen = [...policies].flatMap(([change, sight]) =>
    sight instanceof DatabaseError || !(sight.old || sight.new) ? [] : [change],
  );
  for (const filter of sqlFilters(group)) {
    const key = filterKey(group, filter);
    const decisions: Decisions = filters.get(key) ?? new Map();
    filters.set(key, decisions);
    const asked = seen.filter((change) => !decisions.has(change));
    decideFilter(group, filter, asked, decisions, filtering);
  }
}

function decideFilter(
  { as }: ChangeGroup,
  filter: TableFilter,
  changes: readonly ReadChange[],
  decisions: Decisions,
  filtering: Asking,
): void {
  // The key alone does not tell whether a row passes.
  const asked = changes.filter(({ change }) => !change.isTooLarge);
  const [first] = asked;
  if (!first) return;
  // The other groups of the role need not ask again.
  for (const change of asked) decisions.set(change, never);
  const { condition, searchPath, values } = filter;
  const question = { as, text: imageQuery(first.table, condition), params: [imagesOf(asked), ...values], searchPath };
  filtering.add({ ...question, milliseconds: FILTER_MILLISECONDS }, (answer) => assign(decisions, asked, answer));
}

/** Equal filters are asked once for each role, because functions behind operators can depend on it. */
const filterKey = ({ as }: ChangeGroup, { condition, values, searchPath }: TableFilter): string =>
  JSON.stringify([as.role, condition, values, searchPath]);

function* sqlFilters({ members }: ChangeGroup): Iterable<TableFilter> {
  for (const { entries } of members) {
    for (const { filter } of entries) if (filter && !filter.test) yield filter;
  }
}

/** Returns the changes that each group may see. */
function byGroup(
  followers: TableFollowers | undefined,
  changes: readonly ReadChange[],
): Map<ChangeGroup, ReadChange[]> {
  const found = new Map<ChangeGroup, ReadChange[]>();
  if (!followers) return found;
  for (const change of changes) {
    for (const group of groupsOf(followers, change)) {
      const ofGroup = found.get(group);
      if (ofGroup) ofGroup.push(change);
      else found.set(group, [change]);
    }
  }
  return found;
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

const testImages = ({ old, new: row }: ReadChange, test: (image: NonNullable<ReadChange['old']>) => boolean): Seen => ({
  old: old !== null && test(old),
  new: row !== null && test(row),
});

/** Returns the images of the changes as one JSON list, each old row before its new row. */
const imagesOf = (changes: readonly ReadChange[]): string =>
  `[${changes.flatMap(({ change }) => [change.old, change.new].filter((image) => image !== null)).join(',')}]`;

/** Assigns the values for the images to their changes. */
function assign(decisions: Decisions, changes: readonly ReadChange[], answer: Answer): void {
  let at = 0;
  for (const change of changes) {
    decisions.set(
      change,
      answer instanceof DatabaseError
        ? answer
        : { old: change.old !== null && answer[at++] === true, new: change.new !== null && answer[at++] === true },
    );
  }
}
