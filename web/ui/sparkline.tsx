import styles from './sparkline.module.css';

/**
 * Returns the points of a sparkline within a box: evenly spaced, the largest value at the top, zero at the bottom.
 * Pure.
 */
export function sparklinePoints(
  values: readonly number[],
  width: number,
  height: number,
): (readonly [number, number])[] {
  const max = Math.max(1, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values.map((value, index) => [index * step, height - (value / max) * height]);
}

/**
 * Line chart in one colour and without axes. Its last point is blue. Screen readers ignore the chart, because the page
 * contains the figures as text.
 */
export function Sparkline({
  values,
  width = 336,
  height = 48,
}: {
  values: readonly number[];
  width?: number;
  height?: number;
}) {
  const points = sparklinePoints(values, width - 6, height);
  const last = points.at(-1);
  if (!last) return null;
  const line = points.map(([x, y]) => `${(x + 1).toFixed(1)} ${(y + 3).toFixed(1)}`).join('L');
  return (
    <svg className={styles.sparkline} viewBox={`0 0 ${width} ${height + 6}`} aria-hidden="true">
      <path className={styles.ground} d={`M1 ${height + 3}L${line}L${(last[0] + 1).toFixed(1)} ${height + 3}z`} />
      <path className={styles.line} d={`M${line}`} />
      <circle className={styles.point} cx={last[0] + 1} cy={last[1] + 3} r="2" />
    </svg>
  );
}
