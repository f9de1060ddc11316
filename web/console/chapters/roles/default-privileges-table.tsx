import type { RolesChapter } from '../../../../contract/specification-roles.ts';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';

type Line = RolesChapter['default_privileges'][number];

const columns: readonly WordsColumn<Line>[] = [
  { name: 'Object and privileges', look: 'words', cell: ({ words }) => words },
];

/** Table of the privileges that new tables and functions will have. */
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
