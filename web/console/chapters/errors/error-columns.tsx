import type { StatisticsWindow } from '../../../../contract/observed.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { SparkBars } from '../../../ui/spark-bars.tsx';
import { count } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { windowHeads } from '../window-choice.tsx';
import { ErrorAction } from './error-action.tsx';
import { errorFrom, errorName, times } from './error-words.ts';

/** Returns the columns of the table of errors, with the counts of a time window. The bars of the selected error are blue. */
export const errorColumns = (
  appRef: string,
  window: StatisticsWindow,
  selected: ErrorLine | null,
): readonly ListColumn<ErrorLine>[] => [
  { name: 'Code', bar: 120, cell: (line) => <code>{errorName(line)}</code> },
  { name: 'HTTP', bar: 24, cell: ({ statuses }) => <span className="soft">{statuses.join(', ') || '–'}</span> },
  { name: 'Meaning', look: 'words', rank: 'second', bar: 200, cell: ({ meaning }) => meaning },
  { name: 'From', rank: 'third', bar: 70, cell: (line) => <span className="soft">{errorFrom(line)}</span> },
  { name: 'You can', rank: 'second', bar: 70, cell: (line) => <ErrorAction appRef={appRef} line={line} /> },
  {
    name: windowHeads[window],
    look: 'figure',
    bar: 20,
    cell: (line) =>
      times(line, window) > 0 && (
        <FlashOnChange value={times(line, window)}>{count(times(line, window))}</FlashOnChange>
      ),
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
