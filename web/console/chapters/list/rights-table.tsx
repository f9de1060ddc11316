import { useMemo } from 'react';
import { shortCell } from '../../../../contract/cell-words.ts';
import type { Verdict as VerdictName } from '../../../../contract/specification-roles.ts';
import { Verdict } from '../../../ui/verdict.tsx';
import { TextTable, type WordsColumn } from './text-table.tsx';

/** A cell of chapter 6 on something other than rows and functions. */
export interface RightsCell {
  readonly role: string;
  readonly verdict: VerdictName;
  readonly words: string;
  readonly reason: string;
}

/** A row of the table: one operation on one subject, with the cell of each role. */
interface RightsRow {
  readonly subject: string;
  readonly operation: string;
  readonly cells: ReadonlyMap<string, RightsCell>;
}

function rowsOf<Cell extends RightsCell>(
  cells: readonly Cell[],
  nameOf: (cell: Cell) => readonly [subject: string, operation: string],
): RightsRow[] {
  const rows = new Map<string, { subject: string; operation: string; cells: Map<string, RightsCell> }>();
  for (const cell of cells) {
    const [subject, operation] = nameOf(cell);
    const key = JSON.stringify([subject, operation]);
    const row = rows.get(key) ?? { subject, operation, cells: new Map() };
    rows.set(key, row);
    row.cells.set(cell.role, cell);
  }
  return [...rows.values()];
}

/** Returns everything that a cell says, in words. */
const cellWords = ({ verdict, words, reason }: RightsCell): string =>
  verdict === 'when' ? `when ${words === '' ? reason : words}` : verdict;

const columnsOf = (subject: string, roles: readonly string[]): readonly WordsColumn<RightsRow>[] => [
  { name: subject, look: 'name', cell: (row) => <code>{row.subject}</code>, title: (row) => row.subject },
  { name: 'Operation', cell: ({ operation }) => operation },
  ...roles.map(
    (role): WordsColumn<RightsRow> => ({
      name: role,
      look: 'name',
      cell: ({ cells }) => {
        const cell = cells.get(role);
        return cell && <Verdict of={cell.verdict} words={shortCell(cell) ?? cell.verdict} />;
      },
      title: ({ cells }) => {
        const cell = cells.get(role);
        return cell ? `${cellWords(cell)}: ${cell.reason}` : '';
      },
    }),
  ),
];

/** Table of what each role may do with subjects that are no entities. Without cells, there is no table. */
export function RightsTable<Cell extends RightsCell>({
  number,
  caption,
  what,
  subject,
  cells = [],
  nameOf,
}: {
  number: string;
  caption: string;
  what: string;
  /** Heading of the first column. */
  subject: string;
  cells: readonly Cell[] | undefined;
  /** Returns the names of the subject and of the operation of a cell. A function of the module. */
  nameOf: (cell: Cell) => readonly [subject: string, operation: string];
}) {
  const rows = useMemo(() => rowsOf(cells, nameOf), [cells, nameOf]);
  const columns = useMemo(() => columnsOf(subject, [...new Set(cells.map(({ role }) => role))]), [subject, cells]);
  if (rows.length === 0) return null;
  return (
    <TextTable
      number={number}
      caption={caption}
      what={[what, 'operations']}
      columns={columns}
      rows={rows}
      keyOf={(row) => JSON.stringify([row.subject, row.operation])}
    />
  );
}
