import type { ReactNode } from 'react';
import { classNames } from '../../ui/class-names.ts';
import styles from './node.module.css';

const HEIGHT = 64;
/** The points are placed in this width. The chart is stretched to its column. */
const WIDTH = 100;

/** A chart of one figure over time, with its current value. Screen readers get the value only. */
export function HistoryChart({
  title,
  span,
  value,
  note,
  points,
  max,
  bound = null,
  isWarning = false,
}: {
  title: string;
  /** Time that the chart covers, such as "3 hours". */
  span: string;
  value: string;
  note: ReactNode;
  points: readonly number[];
  /** Value at the top of the chart; the largest point by default. */
  max?: number;
  /** Value from which the page warns, as a dashed line. */
  bound?: number | null;
  isWarning?: boolean;
}) {
  const top = max ?? Math.max(...points, 0);
  const yOf = (point: number) => (top === 0 ? HEIGHT : HEIGHT - (Math.min(point, top) / top) * (HEIGHT - 4));
  const step = points.length > 1 ? WIDTH / (points.length - 1) : 0;
  const line = points.map((point, i) => `${(i * step).toFixed(2)} ${yOf(point).toFixed(1)}`).join('L');
  const last = points.at(-1);
  return (
    <figure className={classNames(styles.chart, isWarning && styles.warning)}>
      <figcaption>
        <b>{title}</b>
        <span>{span}</span>
      </figcaption>
      <p>
        <span className={styles.value}>{value}</span> {note}
      </p>
      <div className={styles.plot} aria-hidden="true">
        {points.length > 1 && (
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
            <title>{title}</title>
            <path className={styles.ground} d={`M0 ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}z`} />
            <path className={styles.line} d={`M${line}`} />
            {bound !== null && <path className={styles.bound} d={`M0 ${yOf(bound)}H${WIDTH}`} />}
          </svg>
        )}
        {points.length > 1 && last !== undefined && <i style={{ top: yOf(last) }} />}
        {points.length < 2 && <small>The first points come two minutes after the start.</small>}
      </div>
    </figure>
  );
}
