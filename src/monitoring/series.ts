import { type Metric, type MetricName, metrics } from '../../contract/metrics.ts';

/** Escapes the value of a label (Prometheus text format 0.0.4). */
const escaped = (value: string): string =>
  value.replace(/[\\"\n]/g, (letter) => (letter === '\n' ? '\\n' : `\\${letter}`));

/** Returns labels as the text format has them, without braces; an empty text without labels. */
export const labelText = (names: readonly string[], values: readonly string[]): string =>
  names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',');

/** Returns the name of a metric with its labels, as a line of the text format begins. */
export function series(name: MetricName, ...values: readonly string[]): string {
  const { labels = [] }: Metric = metrics[name];
  return labels.length === 0 ? name : `${name}{${labelText(labels, values)}}`;
}
