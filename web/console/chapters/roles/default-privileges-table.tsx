import type { RolesChapter } from '../../../../contract/specification-roles.ts';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';

type Line = RolesChapter['from_now_on'][number];

const columns: readonly WordsColumn<Line>[] = [
  { name: 'Object and privileges', look: 'words', cell: ({ words }) => words },
];

/** The rights with which tables and functions begin that are yet to be made. */
export function DefaultPrivilegesTable({ lines }: { lines: readonly Line[] }) {
  return (
    <TextTable
      number="Table 6.4"
      caption="Default privileges for new tables and functions"
      what={['Default privileges', 'lines']}
      columns={columns}
      rows={lines}
      keyOf={({ id }) => id}
    />
  );
}
