import { useMemo } from 'react';
import type { BucketEntry, FileCell, FileRule } from '../../../../contract/specification-files.ts';
import { Verdict } from '../../../ui/verdict.tsx';
import { bytes } from '../../format/format.ts';
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

/** A row of the table of rights: one operation on the files of a bucket, with the cell of each role. */
interface RightsRow {
  readonly bucket: string;
  readonly operation: string;
  readonly cells: ReadonlyMap<string, FileCell>;
}

function rowsOf(cells: readonly FileCell[]): RightsRow[] {
  const rows = new Map<string, { bucket: string; operation: string; cells: Map<string, FileCell> }>();
  for (const cell of cells) {
    const key = `${cell.bucket} ${cell.operation}`;
    const row = rows.get(key) ?? { bucket: cell.bucket, operation: cell.operation, cells: new Map() };
    rows.set(key, row);
    row.cells.set(cell.role, cell);
  }
  return [...rows.values()];
}

/** Returns what a cell says, in words. */
const cellWords = ({ verdict, words, reason }: FileCell): string =>
  verdict === 'when' ? `when ${words === '' ? reason : words}` : verdict;

const columnsOf = (roles: readonly string[]): readonly WordsColumn<RightsRow>[] => [
  { name: 'Bucket', look: 'name', cell: ({ bucket }) => <code>{bucket}</code>, title: ({ bucket }) => bucket },
  { name: 'Operation', cell: ({ operation }) => operation },
  ...roles.map(
    (role): WordsColumn<RightsRow> => ({
      name: role,
      look: 'name',
      cell: ({ cells }) => {
        const cell = cells.get(role);
        return cell && <Verdict of={cell.verdict} words={cellWords(cell)} />;
      },
      title: ({ cells }) => {
        const cell = cells.get(role);
        return cell ? `${cellWords(cell)}: ${cell.reason}` : '';
      },
    }),
  ),
];

/** Table of what each role may do with the files of each bucket, from chapter 6. */
export function FileRightsTable({ number, cells = [] }: { number: string; cells: readonly FileCell[] | undefined }) {
  const rows = useMemo(() => rowsOf(cells), [cells]);
  const columns = useMemo(() => columnsOf([...new Set(cells.map(({ role }) => role))]), [cells]);
  if (rows.length === 0) return null;
  return (
    <TextTable
      number={number}
      caption="Files: who may do what"
      what={['Rights on files', 'operations']}
      columns={columns}
      rows={rows}
      keyOf={({ bucket, operation }) => `${bucket} ${operation}`}
    />
  );
}
