const DIGITS = 14;
const FIELD = '"at":"';

/** Returns milliseconds of a clock that all processes of the machine share. */
export function sharedNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

/** Returns the time as text of a fixed length, for a field `at` of a message. */
export const timeText = (): string => sharedNow().toFixed(3).padStart(DIGITS, '0');

/** Returns the age of a message in milliseconds by its field `at`; null without this field. */
export function ageOf(bytes: Buffer, start: number, end: number): number | null {
  const at = bytes.indexOf(FIELD, start, 'latin1');
  if (at < 0 || at >= end) return null;
  const from = at + FIELD.length;
  return sharedNow() - Number(bytes.toString('latin1', from, from + DIGITS));
}

export const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
