/** In how many pairs of ten the same one must be slower before the times count as different. */
const NEEDED_SHARE = 0.9;

/**
 * Returns true if the times of two things tell them apart: one takes `factor` times as long in nearly all pairs. The two times of a pair
 * are measured one right after the other, so that other work of the machine slows down both alike. For equal things it is a coin flip
 * which of the pair is slower: ten pairs of equal things differ by chance in 2 of 100 tests if `factor` is 1, and in far fewer above.
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
