const SECONDS: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  μs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
};

/** The longest duration of Go, 2^63 nanoseconds. */
const LONGEST_SECONDS = 9_223_372_036;

/**
 * Returns a duration in Go's notation (`24h`, `1h30m`, `1.5s`; package time, ParseDuration) in seconds; null for any
 * other text.
 */
export function parseDuration(value: string): number | null {
  if (value === '0') return 0;
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(value);
  if (!match?.[2]) return null;
  let seconds = 0;
  for (const [, amount, unit] of match[2].matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    seconds += Number(amount) * (SECONDS[unit ?? ''] ?? 0);
  }
  if (seconds > LONGEST_SECONDS) return null;
  return match[1] === '-' ? -seconds : seconds;
}
