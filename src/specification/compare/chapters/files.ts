import type { BucketEntry, FileRule } from '../../../../contract/specification-files.ts';
import type { FileCell } from '../../../../contract/specification-roles.ts';
import { groupBy } from '../../../catalog/group.ts';
import { bytesWords } from '../../derive/words/bytes.ts';
import { flag, fromTo, isObject, items, text, texts } from '../../derive/words/sentence-parts.ts';
import { type ChapterPair, type DescribedChange, matches } from '../describer.ts';
import type { Difference } from '../differences.ts';
import { either, type Members, restWords } from '../generic.ts';

const sizeWords = (size: unknown): string => (typeof size === 'number' ? bytesWords(size) : 'no limit of its own');
const typeWords = (types: unknown): string =>
  Array.isArray(types) && types.length > 0 ? types.join(', ') : 'every type';

const bucketMembers: Members<BucketEntry> = {
  id: 'its id',
  name: 'its name',
  public: either('everybody may read its files', 'its files are no longer public'),
  file_size_limit: (before, after) => `its largest file has ${sizeWords(after)} (before: ${sizeWords(before)})`,
  allowed_mime_types: (before, after) => `it takes ${typeWords(after)} (before: ${typeWords(before)})`,
};

/** Describes the changes of buckets in chapter 3. */
export const describeBuckets = (differences: readonly Difference[]): DescribedChange[] =>
  differences
    .filter(({ path }) => matches(path, 'buckets') || matches(path, 'buckets/*'))
    .map((difference) => ({
      words: difference.path.length === 1 ? storageWords(difference) : bucketWords(difference),
      of: [difference],
    }));

/** Describes that an app got or lost files as a whole. */
function storageWords({ before, after }: Difference): string {
  const names = (buckets: unknown): string =>
    Array.isArray(buckets) && buckets.length > 0
      ? `, with the buckets ${buckets.map((one) => text(one, 'id')).join(', ')}`
      : '';
  return before === undefined
    ? `The app now stores files${names(after)}.`
    : `The app no longer stores files${names(before)}.`;
}

function bucketWords({ before, after }: Difference): string {
  const id = text(after ?? before, 'id');
  if (after === undefined) return `The bucket ${id} is gone.`;
  if (before === undefined) return `There is a new ${flag(after, 'public') ? 'public ' : ''}bucket ${id}.`;
  if (!isObject(before) || !isObject(after)) return `The bucket ${id} ${fromTo(before, after)}.`;
  return `The bucket ${id} has changed: ${restWords(before, after, [], bucketMembers).join('; ')}.`;
}

const ruleMembers: Members<FileRule> = {
  id: 'its id',
  bucket: 'its bucket',
  words: (before, after) => `${String(after)} (before: ${String(before)})`,
  code: 'the code of its error',
};

/** Describes the changes of the rules of buckets in chapter 5. */
export const describeFileRules = (differences: readonly Difference[]): DescribedChange[] =>
  differences
    .filter(({ path }) => matches(path, 'files') || matches(path, 'files/*'))
    .map((difference) => ({ words: ruleWords(difference), of: [difference] }));

function ruleWords({ path, before, after }: Difference): string {
  if (path.length === 1) return before === undefined ? 'Files have rules.' : 'Files no longer have rules.';
  const of = `Files of the bucket ${text(after ?? before, 'bucket')}`;
  if (before === undefined) return `${of}: ${text(after, 'words')}.`;
  if (after === undefined) return `${of} no longer have the rule: ${text(before, 'words')}.`;
  if (!isObject(before) || !isObject(after)) return `${of}: a rule ${fromTo(before, after)}.`;
  return `${of}: ${restWords(before, after, [], ruleMembers).join('; ')}.`;
}

const cellMembers: Members<FileCell> = {
  role: 'its role',
  bucket: 'its bucket',
  operation: 'the operation',
  verdict: null,
  words: null,
  reason: 'the reason',
  policies: (before, after) => `its policies are ${namesOf(after)} (before: ${namesOf(before)})`,
};

const namesOf = (names: unknown): string =>
  Array.isArray(names) && names.length > 0 ? names.map((name) => `“${name}”`).join(', ') : 'none';

/** Describes who may do other things with files. Operations and roles with the same change share a sentence. */
export function describeFileCells(differences: readonly Difference[], sides: ChapterPair): DescribedChange[] {
  const whole = differences.filter(({ path }) => matches(path, 'files'));
  const cells = differences.filter(({ path }) => matches(path, 'files/*'));
  const ids = (chapters: ChapterPair['before']) =>
    new Set(items(chapters.roles, 'files').map((one) => text(one, 'bucket')));
  const [was, is] = [ids(sides.before), ids(sides.after)];
  const groups = groupBy(cells, (cell) => {
    const bucket = bucketOf(cell);
    if (!is.has(bucket)) return `gone ${bucket}`;
    return was.has(bucket) ? `${bucket} ${changeOf(cell)}` : `new ${bucket} ${changeOf(cell)}`;
  });
  return [
    ...whole.map((difference) => ({
      words:
        difference.before === undefined
          ? 'The chapter says who may do what with files.'
          : 'The chapter no longer says who may do what with files.',
      of: [difference],
    })),
    ...[...groups.values()].map((group): DescribedChange => {
      const [first] = group;
      const bucket = first ? bucketOf(first) : '';
      if (!is.has(bucket)) return { words: `The rights on files of the bucket ${bucket} are gone with it.`, of: group };
      return { words: `Files of the bucket ${bucket}: ${whoOf(group)} ${first ? changeOf(first) : ''}.`, of: group };
    }),
  ];
}

const bucketOf = ({ before, after }: Difference): string => text(after ?? before, 'bucket');

/** Returns the operations of each role of the cells: "anon, authenticated (read, list)". */
function whoOf(group: readonly Difference[]): string {
  const byRole = groupBy(group, ({ before, after }) => text(after ?? before, 'role'));
  const byOperations = groupBy([...byRole], ([, cells]) =>
    cells.map(({ before, after }) => text(after ?? before, 'operation')).join(', '),
  );
  return [...byOperations]
    .map(([operations, roles]) => `${roles.map(([role]) => role).join(', ')} (${operations})`)
    .join(', ');
}

function changeOf({ before, after }: Difference): string {
  if (before === undefined) return stateOf(after);
  if (after === undefined) return `is no longer said (before: ${stateOf(before)})`;
  if (stateOf(before) !== stateOf(after)) return `now ${stateOf(after)} (before: ${stateOf(before)})`;
  if (!isObject(before) || !isObject(after)) return fromTo(before, after);
  return (
    restWords(before, after, [], cellMembers).join('; ') || `has other policies: ${texts(after, 'policies').join(', ')}`
  );
}

function stateOf(cell: unknown): string {
  const verdict = text(cell, 'verdict');
  return verdict === 'when' ? `when ${text(cell, 'words') || text(cell, 'reason')}` : verdict;
}
