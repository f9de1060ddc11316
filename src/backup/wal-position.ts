/**
 * A position in the write-ahead log, in bytes (PostgreSQL manual, "pg_lsn Type"). PostgreSQL prints the upper and the
 * lower 32 bits as hexadecimal digits, with a slash between them.
 */
export type Lsn = bigint;

const LOG_BYTES = 1n << 32n;
/** Digits of each of the three numbers in the name of a segment. */
const HEX_DIGITS = 8;

/** Parses `16/B374D848`. @throws TypeError for any other text. */
export function parseLsn(text: string | null | undefined): Lsn {
  const [, upper, lower] = /^([\dA-F]{1,8})\/([\dA-F]{1,8})$/i.exec(text ?? '') ?? [];
  if (upper === undefined || lower === undefined) throw new TypeError(`“${text}” is no position of the WAL`);
  return BigInt(`0x${upper}`) * LOG_BYTES + BigInt(`0x${lower}`);
}

/** Returns a position as PostgreSQL prints it. */
export const formatLsn = (lsn: Lsn): string =>
  `${(lsn / LOG_BYTES).toString(16).toUpperCase()}/${(lsn % LOG_BYTES).toString(16).toUpperCase()}`;

const hex = (value: bigint | number): string => value.toString(16).toUpperCase().padStart(HEX_DIGITS, '0');

/** Returns a timeline as it begins the names of files. */
export const timelineName = (timeline: number): string => hex(timeline);

/** Returns the name of the file of PostgreSQL with the segment that contains a position. */
export function segmentName(timeline: number, lsn: Lsn, segmentBytes: number): string {
  const number = lsn / BigInt(segmentBytes);
  const perLog = LOG_BYTES / BigInt(segmentBytes);
  return hex(timeline) + hex(number / perLog) + hex(number % perLog);
}

/** Returns the timeline of a segment. */
export const timelineOf = (name: string): number => Number.parseInt(name.slice(0, HEX_DIGITS), 16);

/** Returns the position of the first byte of a segment. */
export function segmentStart(name: string, segmentBytes: number): Lsn {
  const perLog = LOG_BYTES / BigInt(segmentBytes);
  return (BigInt(`0x${name.slice(8, 16)}`) * perLog + BigInt(`0x${name.slice(16, 24)}`)) * BigInt(segmentBytes);
}
