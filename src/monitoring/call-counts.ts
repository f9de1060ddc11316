import { metrics } from '../../contract/metrics.ts';
import { addDuration } from '../observe/histogram.ts';

/** The APIs and the classes of statuses by which calls are counted. */
export const areas = ['rest', 'auth', 'storage', 'realtime', 'functions', 'portal', 'admin', 'web'] as const;
export const classes = ['2xx', '3xx', '4xx', '5xx'] as const;
const bounds = metrics.ninefold_call_seconds.buckets;

/** The place in an array of counts at which the histogram of the durations begins. */
const HISTOGRAM = areas.length * classes.length;

/** Returns the counts of an app without calls: one count by area and class, then the histogram of the durations. */
export const noCalls = (): Float64Array => new Float64Array(HISTOGRAM + bounds.length + 2);

/** Adds one call to the counts of its app. */
export function addCall(counts: Float64Array, area: (typeof areas)[number], status: number, seconds: number): void {
  const place = areas.indexOf(area) * classes.length + Math.min(Math.max(Math.floor(status / 100) - 2, 0), 3);
  counts[place] = (counts[place] as number) + 1;
  addDuration(counts, HISTOGRAM, bounds, seconds);
}

/** Returns the number of calls of an area and a class, such as `rest` and `2xx`. */
export const callsOf = (counts: Float64Array, area: number, statusClass: number): number =>
  counts[area * classes.length + statusClass] as number;

/** Returns the number of all calls, and of those with a status from 500. */
export function sumOf(counts: Float64Array): { calls: number; failed: number } {
  let [calls, failed] = [0, 0];
  for (let i = 0; i < HISTOGRAM; i++) {
    calls += counts[i] as number;
    if (i % classes.length === classes.length - 1) failed += counts[i] as number;
  }
  return { calls, failed };
}

/** Returns the histogram of the durations: one count for each bucket, then the sum in seconds. */
export const durationsOf = (counts: Float64Array): Float64Array => counts.subarray(HISTOGRAM);

/** Returns the upper bound in seconds of the bucket that contains a quantile of the durations; null without calls. */
export function quantileSeconds(counts: Float64Array, quantile: number): number | null {
  const durations = durationsOf(counts);
  const { calls } = sumOf(counts);
  if (calls === 0) return null;
  let seen = 0;
  for (const [i, bound] of bounds.entries()) {
    seen += durations[i] as number;
    if (seen >= quantile * calls) return bound;
  }
  return bounds[bounds.length - 1] ?? null;
}
