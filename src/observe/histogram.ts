/** Counts durations in buckets. The last bucket has no upper bound. */
export class Histogram {
  /** One count for each bucket, then the sum of all durations in seconds. */
  #values: Float64Array;
  readonly #bounds: readonly number[];

  /** @param bounds Upper bounds of the buckets in seconds, in ascending order. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#values = new Float64Array(bounds.length + 2);
  }

  add(seconds: number): void {
    addDuration(this.#values, 0, this.#bounds, seconds);
  }

  /** Returns the counts and the sum since the last call. */
  take(): Float64Array {
    const taken = this.#values;
    this.#values = new Float64Array(taken.length);
    return taken;
  }
}

/** Adds a duration to a histogram that begins at `offset` of an array: one count for each bucket, then the sum. */
export function addDuration(values: Float64Array, offset: number, bounds: readonly number[], seconds: number): void {
  let bucket = 0;
  while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
  values[offset + bucket] = (values[offset + bucket] as number) + 1;
  const sum = offset + bounds.length + 1;
  values[sum] = (values[sum] as number) + seconds;
}

/** Adds the values of `more` to `values`, which has at least the same length. */
export function addAll(values: Float64Array, more: Float64Array): void {
  for (let i = 0; i < more.length; i++) values[i] = (values[i] as number) + (more[i] as number);
}
