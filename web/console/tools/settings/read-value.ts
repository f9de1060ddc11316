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

/** Reads a whole number within the range that the type of the setting names ("whole number of digits, 6 to 10"). */
export function readWhole(text: string, type: string): Read {
  if (!/^\d{1,15}$/.test(text.trim())) return refused('Type a whole number.');
  return within(Number(text), type, (value) => count(value));
}

/** Reads a duration that is typed in a unit. The returned value is in seconds. */
export function readSpan(text: string, unit: keyof typeof spanUnits, type: string): Read {
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text.trim())) return refused('Type a number.');
  const seconds = Math.round(Number(text) * spanUnits[unit]);
  return within(seconds, type, spanWords);
}

function within(value: number, type: string, words: (value: number) => string): Read {
  const range = /\b(\d+) to (\d+)\b/.exec(type);
  const min = range ? Number(range[1]) : Number(/\bat least (\d+)\b/.exec(type)?.[1] ?? 0);
  const max = range ? Number(range[2]) : Number.MAX_SAFE_INTEGER;
  if (value >= min && value <= max) return { value, wrong: null };
  return refused(range ? `Type ${words(min)} to ${words(max)}.` : `Type at least ${words(min)}.`);
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
