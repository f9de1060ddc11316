import { storageCalls } from '../../../../contract/calls.ts';
import { limits } from '../../../../contract/limits.ts';
import type { CallEntry } from '../../../../contract/specification-calls.ts';
import type { BucketEntry, FileRule } from '../../../../contract/specification-files.ts';
import type { FileCell } from '../../../../contract/specification-roles.ts';
import { groupBy } from '../../../catalog/group.ts';
import { bytesWords } from '../../derive/words/bytes.ts';
import { code, count, inline, table } from './escape.ts';

/** Returns the buckets of chapter 3; nothing if the app has none. */
export function bucketParts(buckets: readonly BucketEntry[] | undefined): string[] {
  if (buckets === undefined || buckets.length === 0) return [];
  const rows = buckets.map((bucket) => [
    `${code(bucket.id)}${bucket.name === undefined ? '' : ` (${inline(bucket.name)})`}`,
    bucket.public ? 'everybody' : 'those whom chapter 6 names',
    bucket.file_size_limit === null ? 'as chapter 9 says' : bytesWords(bucket.file_size_limit),
    bucket.allowed_mime_types === null ? 'every type' : bucket.allowed_mime_types.map(code).join(', '),
  ]);
  const isCut = buckets.length >= limits.describedBuckets.default;
  return [
    '### Buckets of files',
    table(['Bucket', 'Read by', 'Largest file', 'Types'], rows),
    ...(isCut ? [`Only the first ${buckets.length} buckets are listed.`] : []),
  ];
}

/** Returns the rules of buckets in chapter 5. */
export const fileRuleParts = (rules: readonly FileRule[] | undefined): string[] =>
  rules === undefined || rules.length === 0
    ? []
    : [
        '### Files',
        [...groupBy(rules, ({ bucket }) => bucket)]
          .map(([bucket, group]) => `- Bucket ${code(bucket)}: ${group.map(({ words }) => inline(words)).join('; ')}`)
          .join('\n'),
      ];

/** Returns the calls of files in chapter 7: first the app's buckets, then the calls, which are the same in every app. */
export function fileCallParts(
  calls: readonly CallEntry[],
  buckets: readonly BucketEntry[] | undefined,
  cells: readonly FileCell[] | undefined,
): string[] {
  if (calls.length === 0) return [];
  const same = calls.length === storageCalls.length ? ', as in every app' : '';
  const lines = (buckets ?? []).map((bucket) => `- ${bucketLine(bucket, cells ?? [])}`);
  return [
    '### Files',
    lines.length === 0 ? 'The app has no bucket yet.' : lines.join('\n'),
    `${count(calls.length, 'call')} of ${code('/storage/v1')}${same}: ${code('docs/files.md')}.`,
  ];
}

/** Describes how clients read and write the files of a bucket. */
function bucketLine({ id, public: isPublic }: BucketEntry, cells: readonly FileCell[]): string {
  const path = encodeURIComponent(id);
  const read = isPublic
    ? `anyone reads with ${code(`GET /storage/v1/object/public/${path}/…`)}`
    : `callers read with ${code(`GET /storage/v1/object/authenticated/${path}/…`)}, or by a signed URL`;
  const writers = cells.filter(
    ({ bucket, operation, verdict }) => bucket === id && operation === 'upload' && verdict !== 'never',
  );
  const write =
    writers.length === 0
      ? 'nobody uploads'
      : `${writers.map(({ role }) => inline(role)).join(', ')} upload with ${code(`POST /storage/v1/object/${path}/…`)}`;
  return `Bucket ${code(id)}: ${read}; ${write}.`;
}
