import { classNames } from './class-names.ts';
import styles from './spark-bars.module.css';

const width = 80;
const height = 20;

/**
 * Bar chart with one bar for each value. The largest value has the full height. Screen readers ignore the chart,
 * because the page contains the figures as text.
 */
export function SparkBars({ values, lit = false }: { values: readonly number[]; lit?: boolean }) {
  const max = Math.max(1, ...values);
  const step = width / Math.max(1, values.length);
  return (
    <svg className={classNames(styles.bars, lit && styles.lit)} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {values
        .map((value, place) => ({ value, place, high: value === 0 ? 0.8 : Math.max(2, (value / max) * (height - 2)) }))
        .map(({ value, place, high }) => (
          <rect
            key={place}
            className={value === 0 ? styles.none : styles.some}
            x={(place * step).toFixed(1)}
            y={(height - high).toFixed(1)}
            width={(step * 0.63).toFixed(1)}
            height={high.toFixed(1)}
          />
        ))}
    </svg>
  );
}
