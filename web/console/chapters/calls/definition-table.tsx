import type { DefinitionEntry } from '../../../../contract/specification-calls.ts';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';

const columns: readonly WordsColumn<DefinitionEntry>[] = [
  { name: 'Object', look: 'name', cell: ({ id }) => <code>{id}</code>, title: ({ id }) => id },
  { name: 'Definition', look: 'words', cell: ({ sql }) => <code>{sql}</code>, title: ({ sql }) => sql },
];

/** Table of types, operators and other objects that statements use and that no other chapter describes. */
export const DefinitionTable = ({
  number,
  definitions,
}: {
  number: string;
  definitions: readonly DefinitionEntry[];
}) => (
  <TextTable
    number={number}
    caption="Types and other definitions"
    what={['Definitions', 'definitions']}
    columns={columns}
    rows={definitions}
    keyOf={({ id }) => id}
  />
);
