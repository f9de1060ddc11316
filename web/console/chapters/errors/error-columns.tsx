import type { ErrorLine } from '../../../../contract/specification.ts';
import { Changing } from '../../../ui/fig.tsx';
import { SparkBars } from '../../../ui/spark-bars.tsx';
import { count } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { type ErrorWindow, errorFrom, errorName, times } from './error-words.ts';

const heads: Readonly<Record<ErrorWindow, string>> = { hour: '1 h', day: '24 h', week: '7 d' };

/** The columns of the errors, with counts of a window; the bars of the selected one are blue. */
export const errorColumns = (window: ErrorWindow, selected: ErrorLine | null): readonly ListColumn<ErrorLine>[] => [
  { name: 'Code', bar: 120, cell: (line) => <code>{errorName(line)}</code> },
  { name: 'HTTP', bar: 24, cell: ({ status }) => <span className="soft">{status ?? '–'}</span> },
  { name: 'Meaning', look: 'words', rank: 'second', bar: 200, cell: ({ meaning }) => meaning },
  { name: 'From', rank: 'third', bar: 70, cell: (line) => <span className="soft">{errorFrom(line)}</span> },
  {
    name: heads[window],
    look: 'figure',
    bar: 20,
    cell: (line) =>
      times(line, window) > 0 && <Changing value={times(line, window)}>{count(times(line, window))}</Changing>,
  },
  {
    name: 'By hour',
    rank: 'third',
    bar: 70,
    cell: (line) => line.figures && <SparkBars values={line.figures.hours} lit={line.id === selected?.id} />,
  },
  {
    name: 'Last',
    look: 'figure',
    rank: 'second',
    bar: 30,
    cell: ({ figures }) =>
      figures && (
        <span className="soft">
          <TimeAgo iso={figures.last_at} short />
        </span>
      ),
  },
];
