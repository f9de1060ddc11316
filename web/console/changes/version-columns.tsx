import type { VersionEntry } from '../../../contract/changes.ts';
import type { ListColumn } from '../chapters/list/list-table.tsx';
import { TimeAgo } from '../format/time-ago.tsx';
import { causeWords, summary, whoMade } from './change-words.ts';

/** A version as a row of the table. */
export interface VersionRow extends VersionEntry {
  /** The number as the address bar contains it. */
  id: string;
}

export const versionColumns: readonly ListColumn<VersionRow>[] = [
  { name: 'Version', bar: 30, cell: ({ number }) => `v${number}` },
  { name: 'What changed', look: 'words', share: 60, bar: 220, cell: (row) => summary(row) },
  {
    name: 'Cause',
    look: 'words',
    share: 40,
    rank: 'second',
    bar: 120,
    cell: (row) => causeWords(row),
  },
  { name: 'Who', rank: 'third', bar: 60, cell: (row) => whoMade(row) },
  { name: 'Hash', rank: 'third', bar: 50, cell: ({ hash }) => <code className="soft">{hash.slice(0, 7)}</code> },
  { name: 'When', look: 'figure', bar: 40, cell: ({ at }) => <TimeAgo iso={at} short /> },
];
