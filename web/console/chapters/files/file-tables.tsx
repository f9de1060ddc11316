import type { BucketEntry, FileRule } from '../../../../contract/specification-files.ts';
import type { FileCell } from '../../../../contract/specification-roles.ts';
import { bytes } from '../../format/format.ts';
import { RightsTable } from '../list/rights-table.tsx';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';

const bucketColumns: readonly WordsColumn<BucketEntry>[] = [
  { name: 'Bucket', look: 'name', cell: ({ id }) => <code>{id}</code>, title: ({ id }) => id },
  { name: 'Read by', cell: ({ public: isPublic }) => (isPublic ? 'everybody' : 'callers with a policy') },
  {
    name: 'Largest file',
    look: 'wide',
    cell: ({ file_size_limit: size }) => (size === null ? 'the limit of the app' : bytes(size)),
  },
  {
    name: 'Types',
    look: 'words',
    cell: ({ allowed_mime_types: types }) => types?.join(', ') ?? 'every type',
    title: ({ allowed_mime_types: types }) => types?.join(', ') ?? 'every type',
  },
];

/** Table of the buckets of chapter 3. An app without a bucket has no such table. */
export const BucketTable = ({
  number,
  buckets = [],
}: {
  number: string;
  buckets: readonly BucketEntry[] | undefined;
}) =>
  buckets.length > 0 && (
    <TextTable
      number={number}
      caption="Buckets of files"
      what={['Buckets', 'buckets']}
      columns={bucketColumns}
      rows={buckets}
      keyOf={({ id }) => id}
    />
  );

const ruleColumns: readonly WordsColumn<FileRule>[] = [
  { name: 'Bucket', look: 'name', cell: ({ bucket }) => <code>{bucket}</code>, title: ({ bucket }) => bucket },
  { name: 'Rule', look: 'words', cell: ({ words }) => words, title: ({ words }) => words },
  { name: 'Error', look: 'wide', cell: ({ code }) => <code>{code}</code> },
];

/** Table of the rules of buckets in chapter 5. */
export const FileRuleTable = ({ number, rules = [] }: { number: string; rules: readonly FileRule[] | undefined }) =>
  rules.length > 0 && (
    <TextTable
      number={number}
      caption="Rules of files"
      what={['Rules of files', 'rules']}
      columns={ruleColumns}
      rows={rules}
      keyOf={({ id }) => id}
    />
  );

const nameOfFileCell = ({ bucket, operation }: FileCell) => [bucket, operation] as const;

/** Table of what each role may do with the files of each bucket, from chapter 6. */
export const FileRightsTable = ({ number, cells }: { number: string; cells: readonly FileCell[] | undefined }) => (
  <RightsTable
    number={number}
    caption="Files: who may do what"
    what="Rights on files"
    subject="Bucket"
    cells={cells}
    nameOf={nameOfFileCell}
  />
);
