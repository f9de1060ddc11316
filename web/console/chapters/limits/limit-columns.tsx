import type { LimitLine } from '../../../../contract/specification.ts';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { count } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { amount, setIn, usedShare } from './limit-words.ts';
import styles from './limits.module.css';

export const limitColumns: readonly ListColumn<LimitLine>[] = [
  { name: 'Limit', look: 'words', bar: 240, cell: ({ meaning }) => meaning },
  {
    name: 'Used now',
    bar: 80,
    rank: 'second',
    cell: (line) => <Used line={line} />,
  },
  {
    name: 'In force',
    look: 'figure',
    bar: 50,
    cell: ({ value, unit, default: usual }) => (
      <span className={value === usual ? undefined : styles.own}>
        <FlashOnChange value={String(value)}>{amount(value, unit)}</FlashOnChange>
      </span>
    ),
  },
  {
    name: 'Default',
    look: 'figure',
    rank: 'second',
    bar: 50,
    cell: ({ default: usual, unit }) => <span className="soft">{amount(usual, unit)}</span>,
  },
  { name: 'Set in', rank: 'third', bar: 60, cell: (line) => <span className={styles.where}>{setIn(line)}</span> },
  {
    name: 'Reached',
    look: 'figure',
    rank: 'second',
    bar: 20,
    cell: ({ figures }) =>
      figures && figures.day > 0 && <FlashOnChange value={figures.day}>{count(figures.day)}</FlashOnChange>,
  },
  {
    name: 'Last',
    look: 'figure',
    rank: 'third',
    bar: 30,
    cell: ({ figures }) =>
      figures?.last_at && (
        <span className="soft">
          <TimeAgo iso={figures.last_at} short />
        </span>
      ),
  },
];

/** Shows how much of a limit the app uses: a bar and the figure. Shows nothing if the use is not known. */
function Used({ line }: { line: LimitLine }) {
  const { figures, unit } = line;
  if (figures == null || figures.used === null) return null;
  const part = usedShare(line);
  return (
    <span className={styles.used}>
      {part !== null && (
        <span className={styles.bar} aria-hidden="true">
          <span style={{ inlineSize: `${part * 100}%` }} />
        </span>
      )}
      <FlashOnChange value={String(figures.used)}>{amount(figures.used, unit)}</FlashOnChange>
    </span>
  );
}
