import type { RealtimeCounts } from './worker-usage.ts';

/** Milliseconds between two samples, and of the period of a rate. */
const SAMPLE_MILLISECONDS = 1000;
const PERIOD_MILLISECONDS = 10_000;

interface Sample {
  readonly at: number;
  readonly counts: RealtimeCounts;
}

/** Computes rates from counts that only grow. */
export class Rates {
  readonly #samples: Sample[] = [];

  /** Takes a sample, at most one a second. @param now Milliseconds of `performance.now()`. */
  sample(now: number, counts: RealtimeCounts): void {
    const last = this.#samples.at(-1);
    if (last && now - last.at < SAMPLE_MILLISECONDS) return;
    this.#samples.push({ at: now, counts: { ...counts } });
    while (this.#samples[1] && now - this.#samples[1].at >= PERIOD_MILLISECONDS) this.#samples.shift();
  }

  /** Returns how much the counts grew in the last ten seconds, or since the first sample, and how long that is. */
  growth(now: number, counts: RealtimeCounts): { counts: RealtimeCounts; seconds: number } {
    const first = this.#samples[0] ?? { at: now, counts: { sent: 0, dropped: 0, received: 0, joins: 0 } };
    return {
      counts: {
        sent: counts.sent - first.counts.sent,
        dropped: counts.dropped - first.counts.dropped,
        received: counts.received - first.counts.received,
        joins: counts.joins - first.counts.joins,
      },
      seconds: Math.max(1, (now - first.at) / 1000),
    };
  }
}
