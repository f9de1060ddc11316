import type { FieldKind } from './field-kind.ts';

/** Maximum number of characters of a text in a cell. The editor and the panel show the complete text. */
const cellCharacters = 300;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number): string => String(value).padStart(2, '0');

interface Moment {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const stamp = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(\.\d+)?(?:([+-]\d\d)(?::?(\d\d))?)?)?$/;

/** Parses a date or time as PostgreSQL prints it. Returns null for infinity and for years before Christ. */
function momentOf(text: string, inReadersZone: boolean): Moment | null {
  const match = stamp.exec(text);
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', , zone, zoneMinutes = '00'] = match;
  if (inReadersZone && zone !== undefined) {
    const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}:${zoneMinutes}`);
    if (Number.isNaN(at.getTime())) return null;
    return {
      year: at.getFullYear(),
      month: at.getMonth() + 1,
      day: at.getDate(),
      hour: at.getHours(),
      minute: at.getMinutes(),
      second: at.getSeconds(),
    };
  }
  return {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
}

const dayOf = ({ day, month }: Moment): string => `${day} ${months[month - 1]}`;

/** Formats a time: "20 Nov 13:59" in the current year, "20 Nov 2024 13:59" in other years. */
function shortTime(moment: Moment, thisYear: number): string {
  const year = moment.year === thisYear ? '' : ` ${moment.year}`;
  return `${dayOf(moment)}${year} ${two(moment.hour)}:${two(moment.minute)}`;
}

/** Formats a complete time: "20 Nov 2026 13:59:04". */
const fullTime = (moment: Moment): string =>
  `${dayOf(moment)} ${moment.year} ${two(moment.hour)}:${two(moment.minute)}:${two(moment.second)}`;

/** Number of dimensions of a vector that a cell shows, and the highest number of dimensions that it shows all of. */
const cellDimensions = { first: 2, all: 4 };

/**
 * Shortens the text of a vector (pgvector): "[0.12, −0.4, … 1536]", where the last number is the number of dimensions.
 * Other texts, such as those of sparse vectors, stay unchanged.
 */
function shortVector(text: string): string {
  const parts = /^\[([^[\]]*)\]$/.exec(text)?.[1]?.split(',');
  if (!parts) return shortened(text);
  const shown = parts.length > cellDimensions.all ? parts.slice(0, cellDimensions.first) : parts;
  const numbers = shown.map((part) => part.trim().replace('-', '−')).join(', ');
  return parts.length === shown.length ? `[${numbers}]` : `[${numbers}, … ${parts.length}]`;
}

const shortened = (text: string): string => (text.length > cellCharacters ? `${text.slice(0, cellCharacters)}…` : text);

/**
 * Formats a value for a cell, given the text that PostgreSQL prints. Times with a zone are shown in the reader's time
 * zone; times without a zone stay unchanged. The year is omitted if it is `thisYear`.
 */
export function cellText(value: string, kind: FieldKind, thisYear: number): string {
  const moment = timeOf(value, kind);
  if (moment) return kind === 'date' ? `${dayOf(moment)} ${moment.year}` : shortTime(moment, thisYear);
  if (kind === 'boolean') return booleanWord(value);
  if (kind === 'json') return shortened(value.replace(/\s*\n\s*/g, ' '));
  if (kind === 'vector') return shortVector(value);
  return shortened(value);
}

/** Formats a value for the panel without truncating it. Times include their seconds. */
export function fullText(value: string, kind: FieldKind): string {
  const moment = timeOf(value, kind);
  if (moment) return kind === 'date' ? `${dayOf(moment)} ${moment.year}` : fullTime(moment);
  return kind === 'boolean' ? booleanWord(value) : value;
}

const timeOf = (value: string, kind: FieldKind): Moment | null =>
  kind === 'date' || kind === 'timestamp' || kind === 'timestamptz' ? momentOf(value, kind === 'timestamptz') : null;

/** Converts a boolean to true or false. PostgreSQL prints t and f in results, but true and false when it casts to text. */
const booleanWord = (value: string): string => (value === 't' ? 'true' : value === 'f' ? 'false' : value);
