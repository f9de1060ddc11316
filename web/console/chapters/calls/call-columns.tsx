import type { CallEntry } from '../../../../contract/specification.ts';
import type { ListColumn } from '../list/list-table.tsx';

/** The headings of the calls, by area. */
export const callGroups: Readonly<Record<CallEntry['area'], string>> = {
  auth: 'Sign-in and sessions',
  rest: 'Rows',
  rpc: 'Functions',
};

export const callColumns: readonly ListColumn<CallEntry>[] = [
  { name: 'Path', bar: 160, cell: ({ path }) => <code>{path}</code> },
  { name: 'Method', bar: 32, cell: ({ method }) => <span className="soft">{method}</span> },
  { name: 'What it does', look: 'words', rank: 'second', bar: 200, cell: ({ summary }) => summary },
  {
    name: 'For',
    rank: 'third',
    bar: 120,
    cell: ({ roles }) => (roles.length > 0 ? roles.join(', ') : <span className="soft">nobody</span>),
  },
];
