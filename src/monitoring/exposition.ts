import { type Metric, metrics } from '../../contract/metrics.ts';
import { labelText } from './series.ts';

/** Path of the metrics. On the node's origin it needs the operator's token, and it leads to the node on no origin of an app. */
export const METRICS_PATH = '/metrics';
/** Media type of the text format that Prometheus reads. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** A histogram of one combination of labels: one count for each bucket, then the sum. */
export interface HistogramValue {
  readonly labels: readonly string[];
  readonly values: Float64Array;
}

/** The values of all metrics: by series (`series`), and the histograms by name. */
export interface MetricValues {
  readonly values: ReadonlyMap<string, number>;
  readonly histograms: ReadonlyMap<string, readonly HistogramValue[]>;
}

/**
 * Returns metrics in the text format 0.0.4 of Prometheus. A metric without a value has its description only.
 *
 * ```
 * # HELP ninefold_workers Worker processes that serve requests.
 * # TYPE ninefold_workers gauge
 * ninefold_workers 2
 * ```
 */
export function exposition({ values, histograms }: MetricValues): string {
  const linesOf = new Map<string, string[]>();
  for (const [key, value] of values) {
    const brace = key.indexOf('{');
    const name = brace < 0 ? key : key.slice(0, brace);
    const lines = linesOf.get(name) ?? [];
    lines.push(`${key} ${numberText(value)}\n`);
    linesOf.set(name, lines);
  }
  let text = '';
  for (const [name, metric] of Object.entries<Metric>(metrics)) {
    text += `# HELP ${name} ${metric.meaning.replaceAll('\\', '\\\\')}\n# TYPE ${name} ${metric.kind}\n`;
    text += (linesOf.get(name) ?? []).join('');
    for (const one of histograms.get(name) ?? []) text += histogramLines(name, metric, one);
  }
  return text;
}

function histogramLines(name: string, { labels = [], buckets = [] }: Metric, one: HistogramValue): string {
  const own = labelText(labels, one.labels);
  const prefix = own === '' ? '' : `${own},`;
  const all = own === '' ? '' : `{${own}}`;
  let [text, count] = ['', 0];
  for (let i = 0; i <= buckets.length; i++) {
    count += one.values[i] as number;
    text += `${name}_bucket{${prefix}le="${buckets[i] ?? '+Inf'}"} ${count}\n`;
  }
  return `${text}${name}_sum${all} ${numberText(one.values[buckets.length + 1] ?? 0)}\n${name}_count${all} ${count}\n`;
}

/** Rounds to nanoseconds, so that sums of floating-point numbers have no long tails. */
const numberText = (value: number): string => String(Number.isInteger(value) ? value : Number(value.toFixed(9)));
