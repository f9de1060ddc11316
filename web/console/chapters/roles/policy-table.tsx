import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { PolicyEntry } from '../../../../contract/specification-roles.ts';
import { listed, shortId } from '../../format/format.ts';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';

const columnsOf = (ref: string): readonly WordsColumn<PolicyEntry>[] => [
  { name: 'Entity', cell: ({ entity }) => <code>{shortId(entity)}</code> },
  {
    name: 'Policy',
    look: 'name',
    cell: ({ name, sql }) => (
      <Link to="/app/$ref/sql" params={{ ref }} search={{ sql }}>
        {name}
      </Link>
    ),
  },
  {
    name: 'Command',
    look: 'wide',
    cell: ({ command, permissive }) => (
      <>
        {command}
        {!permissive && <span className="soft">, restrictive</span>}
      </>
    ),
  },
  { name: 'For', look: 'wide', cell: ({ roles }) => listed(roles) },
  { name: 'Condition', look: 'words', cell: ({ words }) => words, title: ({ words }) => words },
];

/** Table of every policy, with a description of the rows that it allows. */
export function PolicyTable({ appRef, policies }: { appRef: string; policies: readonly PolicyEntry[] }) {
  const columns = useMemo(() => columnsOf(appRef), [appRef]);
  return (
    <TextTable
      number="Table 6.3"
      caption="Policies and their conditions"
      what={['Policies', 'policies']}
      columns={columns}
      rows={policies}
      keyOf={({ entity, name }) => `${entity} ${name}`}
    />
  );
}
