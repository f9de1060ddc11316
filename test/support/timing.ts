/** Minimum share of the pairs in which the same operation must be slower, so that two operations count as different. */
const NEEDED_SHARE = 0.9;

/**
 * Returns true if two operations take different times: one of them takes `factor` times as long as the other in nearly
 * all pairs. The two times of a pair are measured one directly after the other, so other load on the machine slows down
 * both. If the operations are equal, each of them is the slower one equally often. With `factor` 1, ten pairs of equal
 * operations then appear different by chance in 2 of 100 tests; with a larger `factor`, much less often.
 */
export function areDistinguishable(pairs: readonly (readonly [number, number])[], factor = 1.5): boolean {
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
 * Returns the processor time that this process needs for synchronous work, in milliseconds. Other load on the machine
 * does not lengthen this time.
 */
export function processorTimeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
