/** Two operations count as different if the same operation is slower in this share of the pairs of times. */
const NEEDED_SHARE = 0.9;

/**
 * Returns true if the times of two operations differ: one takes `factor` times as long in nearly all pairs. The two
 * times of a pair are measured directly one after the other, so that other load on the machine slows down both. If the
 * operations are equal, either one of a pair is slower with equal probability: ten such pairs appear different by
 * chance in 2 of 100 tests if `factor` is 1, and much less often for a larger `factor`.
 */
export function areToldApart(pairs: readonly (readonly [number, number])[], factor = 1.5): boolean {
  const needed = Math.ceil(pairs.length * NEEDED_SHARE);
  const slower = pairs.filter(([a, b]) => a > b * factor).length;
  const faster = pairs.filter(([a, b]) => b > a * factor).length;
  return Math.max(slower, faster) >= needed;
}

/** Returns how long the work takes, in milliseconds. */
export async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/**
 * Returns the processor time of this process for synchronous work, in milliseconds. Other load on the machine does not
 * lengthen it.
 */
export function processorTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
