import { count, counted } from '../../format/format.ts';

/** The value that a typed text stands for, or the reason why the text is invalid. */
interface Read {
  value: unknown;
  wrong: string | null;
}

const refused = (wrong: string): Read => ({ value: undefined, wrong });

/** The units of a duration, in seconds. */
export const spanUnits = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const;

/** Returns the largest unit that divides a number of seconds. */
export function bestUnit(seconds: number): keyof typeof spanUnits {
  const units = ['days', 'hours', 'minutes'] as const;
  return (seconds > 0 && units.find((unit) => seconds % spanUnits[unit] === 0)) || 'seconds';
}

/** Formats seconds in the largest unit that divides them: "30 days", "90 seconds". */
export function spanWords(seconds: number): string {
  const unit = bestUnit(seconds);
  return counted(seconds / spanUnits[unit], unit.slice(0, -1));
}

/** The minimum and the maximum of a setting. */
type Range = readonly [number, number];

/** Reads a whole number within the range of a setting. */
export function readWhole(text: string, range: Range): Read {
  if (!/^\d{1,15}$/.test(text.trim())) return refused('Type a whole number.');
  return within(Number(text), range, (value) => count(value));
}

/** Reads a duration that is typed in a unit. The returned value is in seconds. */
export function readSpan(text: string, unit: keyof typeof spanUnits, range: Range): Read {
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text.trim())) return refused('Type a number.');
  const seconds = Math.round(Number(text) * spanUnits[unit]);
  return within(seconds, range, spanWords);
}

function within(value: number, [min, max]: Range, words: (value: number) => string): Read {
  return value >= min && value <= max ? { value, wrong: null } : refused(`Type ${words(min)} to ${words(max)}.`);
}

/** Reads a JSON object with a text for each name. */
export function readObject(text: string): Read {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject && Object.values(value).every((each) => typeof each === 'string')) return { value, wrong: null };
  } catch {
    // JSON.parse failed: the message below also applies to a text that is not JSON.
  }
  return refused('Type a JSON object whose values are texts: {"name": "value"}.');
}
