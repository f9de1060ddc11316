import type { PortalField } from '../../contract/portal.ts';
import { localNumber, plainNumber } from './read-number.ts';
import { type TimeKind, timeValue } from './time-notation.ts';
import { members } from './time-words.ts';

/** Ranges of dates, times and numbers (PostgreSQL manual, "Range Types"), as a form shows them: the first and the last value. Pure. */

type Kind = NonNullable<PortalField['range']>;

const DAY = 24 * 60 * 60 * 1000;

const timeKinds: Readonly<Record<Exclude<Kind, 'number' | 'whole number'>, TimeKind>> = {
  date: 'date',
  'date and time': 'timestamptz',
  'local date and time': 'timestamp',
};

export const rangeTimeKind = (kind: Kind): TimeKind | null =>
  kind === 'number' || kind === 'whole number' ? null : timeKinds[kind];

/** Returns the two bounds of a range as PostgreSQL prints it, the last value included; null for an empty range. */
export function boundsIn(kind: Kind, range: string): readonly [string, string] | null {
  const [, open, from = '', to = '', close] = /^([[(])"?([^",]*)"?,"?([^",]*)"?([\])])$/.exec(range) ?? [];
  if (open === undefined) return null;
  return [from, to !== '' && close === ')' ? before(kind, to) : to];
}

/** Returns the value before a bound that does not belong to the range. Only days and whole numbers have one. */
function before(kind: Kind, bound: string): string {
  if (kind === 'whole number') return String(Number(bound) - 1);
  const time = kind === 'date' ? Date.parse(`${bound}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(time) ? bound : new Date(time - DAY).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

/** Separates the two values in the typed value of a form. */
const BETWEEN = '\n';

/** Returns the two values of a typed range. */
export const partsOf = (typed: string): readonly [string, string] => {
  const [from = '', to = ''] = typed.split(BETWEEN);
  return [from, to];
};

/** Returns the typed range with these values; an empty text if both are empty. */
export const joined = (from: string, to: string): string => (from + to === '' ? '' : from + BETWEEN + to);

/** Converts a stored range to the typed value of a form. */
export function rangeDraft(kind: Kind, range: string): string {
  const bounds = boundsIn(kind, range);
  return bounds === null ? '' : joined(...(bounds.map((bound) => shown(kind, bound)) as [string, string]));
}

function shown(kind: Kind, bound: string): string {
  const time = rangeTimeKind(kind);
  if (time === null) return localNumber(bound);
  const parsed = new Date(time === 'date' ? `${bound}T00:00:00` : bound);
  return bound === '' || Number.isNaN(parsed.getTime()) ? bound : members.show(parsed, time);
}

/** Reads a typed range. Returns null if one of its values cannot be read. */
export function readRange(kind: Kind, typed: string): string | null {
  const time = rangeTimeKind(kind);
  const read = (text: string) =>
    text === '' ? '' : time === null ? plainNumber(text) : timeValue(text, time, new Date(), members);
  const [from, to] = partsOf(typed).map(read);
  if (from == null || to == null) return null;
  const close = kind === 'date and time' || kind === 'local date and time' ? ')' : ']';
  return `[${from},${to}${close}`;
}
