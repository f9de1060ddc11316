import type { limitGroups } from '../../../../contract/limits/limit.ts';
import type { LimitLine } from '../../../../contract/specification.ts';
import { bytes, count, counted } from '../../format/format.ts';

type Unit = LimitLine['unit'];

const spans: readonly (readonly [seconds: number, word: string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

/** Formats seconds in the largest unit that divides them: 3600 → "1 hour", 90 → "90 seconds". */
function seconds(value: number): string {
  for (const [span, word] of spans) if (value >= span && value % span === 0) return counted(value / span, word);
  return counted(value, 'second');
}

/** Formats a number with its unit: "10 MB", "1 hour", "8 seconds", "1,000"; "no limit" for null. */
export function amount(value: number | null, unit: Unit): string {
  if (value === null) return 'no limit';
  switch (unit) {
    case 'bytes':
      return bytes(value);
    case 'seconds':
      return seconds(value);
    case 'milliseconds':
      return value >= 1000 && value % 1000 === 0 ? seconds(value / 1000) : `${count(value)} ms`;
    case 'hours':
      return counted(value, 'hour');
    case 'days':
      return counted(value, 'day');
    case 'characters':
      return counted(value, 'character');
    case 'count':
      return count(value);
  }
}

/** Formats the number in the unit of its setting, for comparison: "3,600 seconds". Null for a count. */
export const exactAmount = (value: number | null, unit: Unit): string =>
  value === null ? 'no limit' : unit === 'count' ? count(value) : `${count(value)} ${unit}`;

/** The subjects by which a builder looks for a limit, in their order, with the groups of the contract that belong to each. */
const subjects: readonly (readonly [name: string, groups: readonly (keyof typeof limitGroups)[]])[] = [
  ['Requests', ['requests', 'answers']],
  ['Sign-in', ['passwords', 'accounts', 'factors']],
  ['Sessions', ['sessions']],
  ['Mails and texts', ['mails', 'notifications']],
  ['Data', ['database', 'apps']],
  ['Files', ['storage']],
  ['Realtime', ['realtime']],
  ['Edge functions', ['functions']],
  ['Scheduled work', ['jobs']],
  ['Logs', ['records']],
  ['Node', ['settings', 'backups', 'builders']],
];

/** Returns the subject of a limit, by which chapter 9 groups the limits. */
export const subjectOf = ({ group }: Pick<LimitLine, 'group'>): string =>
  subjects.find(([, groups]) => groups.some((one) => one === group))?.[0] ?? group;

/** Returns the position of a limit's subject. */
export const subjectRank = (line: Pick<LimitLine, 'group'>): number =>
  subjects.findIndex(([name]) => name === subjectOf(line));

/** Share of a limit from which the app is near it. */
const NEAR = 0.8;

/** Returns the share of a limit that the app uses, 0 to 1; null if the use is not known, or there is no limit. */
export const usedShare = ({ figures, value }: Pick<LimitLine, 'figures' | 'value'>): number | null =>
  figures == null || figures.used === null || value === null || value <= 0 ? null : Math.min(1, figures.used / value);

/** Returns true if a request exceeded the limit within 7 days, or the app is near the limit. */
export const isReached = (line: Pick<LimitLine, 'figures' | 'value'>): boolean =>
  (line.figures?.week ?? 0) > 0 || (usedShare(line) ?? 0) >= NEAR;

/** Returns true for a default that is higher than the usual one because the node serves only its own machine. */
const isWideDefault = ({ set_in, change }: LimitLine): boolean => set_in === 'environment' && change?.by === 'setting';

/**
 * Returns true if a builder or the operator changed the value of a limit. Returns false for values that the server
 * itself sets.
 */
export const isChanged = (line: LimitLine): boolean =>
  line.value !== line.default && line.change !== null && !isWideDefault(line);

/** Describes where the current value is set. */
export function setIn(line: LimitLine): string {
  const { set_in, change } = line;
  if (isWideDefault(line)) return 'the default of a local node';
  switch (set_in) {
    case 'code':
      return 'the default';
    case 'setting':
      return change ? `setting ${change.key}` : 'a setting';
    case 'environment':
      return change ? `environment, ${change.key}` : 'the environment';
    case 'database':
      return 'the database';
  }
}

/** Parses the typed text as a number in the limit's unit, or returns why the text is invalid. */
export function readAmount(text: string, { range, unit }: LimitLine): { value: number } | { wrong: string } {
  const bare = text.trim().replaceAll(/[,_\s]/g, '');
  if (!/^-?\d+$/.test(bare) || !Number.isSafeInteger(Number(bare))) {
    return { wrong: unit === 'count' ? 'Write a whole number.' : `Write a whole number of ${unit}.` };
  }
  const value = Number(bare);
  if (range && (value < range[0] || value > range[1])) {
    return { wrong: `Write a number from ${count(range[0])} to ${count(range[1])}.` };
  }
  return { value };
}
