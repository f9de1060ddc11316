import { currentLanguage, currentLocale, type Language } from '../language/messages.ts';
import { localNumber } from './read-number.ts';
import { clockText, dayText, readTime, type TypedTime } from './read-time.ts';
import type { TimeNotation } from './time-notation.ts';

/** The words that `readTime` reads besides the names of days and months, in the other languages of the pages. */
const words: Readonly<Record<Exclude<Language, 'en'>, Readonly<Record<string, string>>>> = {
  de: {
    heute: 'today',
    morgen: 'tomorrow',
    übermorgen: '+2d',
    gestern: 'yesterday',
    vorgestern: '-2d',
    jetzt: 'now',
    mittag: 'noon',
    mitternacht: 'midnight',
    um: 'at',
    uhr: '',
    ...{ tag: 'd', tage: 'd', tagen: 'd', woche: 'w', wochen: 'w', monat: 'mo', monaten: 'mo', jahr: 'y', jahren: 'y' },
    ...{ stunde: 'h', stunden: 'h', minute: 'min', minuten: 'min' },
  },
  ar: {
    اليوم: 'today',
    غدا: 'tomorrow',
    غدًا: 'tomorrow',
    غداً: 'tomorrow',
    أمس: 'yesterday',
    الآن: 'now',
    الظهر: 'noon',
    ظهرا: 'noon',
    الساعة: 'at',
    بعد: 'in',
    ...{ يوم: 'd', أيام: 'd', يومًا: 'd', أسبوع: 'w', أسابيع: 'w', شهر: 'mo', أشهر: 'mo', سنة: 'y' },
    ...{ ساعة: 'h', ساعات: 'h', دقيقة: 'min', دقائق: 'min' },
  },
};

const names = new Map<Language, Readonly<Record<string, string>>>();

/** Returns the names of the days of the week and of the months in a language, each with its English name. */
function calendarNames(language: Language): Readonly<Record<string, string>> {
  const known = names.get(language);
  if (known) return known;
  const found: Record<string, string> = {};
  for (const [options, days] of [
    [{ weekday: 'long' }, Array.from({ length: 7 }, (_, i) => new Date(2026, 1, 1 + i))],
    [{ month: 'long' }, Array.from({ length: 12 }, (_, i) => new Date(2026, i, 1))],
  ] as const) {
    const own = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, options);
    const english = new Intl.DateTimeFormat('en', options);
    for (const day of days) found[own.format(day).toLowerCase()] = english.format(day).toLowerCase();
  }
  names.set(language, found);
  return found;
}

/** Returns the English word for a word of a language. Names of days and months may be abbreviated. */
function englishWord(word: string, language: Exclude<Language, 'en'>): string {
  const bare = word.replace(/\.$/, '');
  const known = words[language][bare];
  if (known !== undefined) return known;
  if (bare.length < 2 || /\d/.test(bare)) return word;
  const [, name] = Object.entries(calendarNames(language)).find(([own]) => own.startsWith(bare)) ?? [];
  return name ?? word;
}

/** Returns true if a locale writes the month before the day, as in 11/24/2026. */
const isMonthFirst = (locale: string): boolean =>
  new Intl.DateTimeFormat(locale).formatToParts(new Date(2026, 0, 1)).find(({ type }) => type !== 'literal')?.type ===
  'month';

const MARKS = /[\u200e\u200f\u061c]/g;

/** Reads a date or time as a member types it in the member's language, for example "tomorrow", "mo 9" or "24.11. um 9 Uhr". Pure. */
export function readLocalTime(
  text: string,
  now: Date,
  language: Language = currentLanguage(),
  locale: string = currentLocale(),
): TypedTime | null {
  const typed = text
    .replaceAll(MARKS, '')
    .replaceAll(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll(/[،,](?=\s*\d{1,2}:\d)/g, ' ')
    .trim()
    .toLowerCase();
  const english =
    language === 'en'
      ? typed
      : typed
          .split(/\s+/)
          .map((word) => englishWord(word, language))
          .filter((word) => word !== '')
          .join(' ');
  const isSwapped = isMonthFirst(locale) && /^(0?\d|1[0-2])\/\d/.test(english);
  return readTime(isSwapped ? english.replace(/^(\d+)\/(\d+)/, '$2/$1') : english, now);
}

/** Formats a day, or a day and a time, so that the member can read and change it, for example "24.11.2026 16:30" in German. Pure. */
export function localTimeText(time: Date, isDay: boolean, language: Language = currentLanguage()): string {
  const [day, month, year] = [time.getDate(), time.getMonth() + 1, time.getFullYear()];
  const two = (value: number) => String(value).padStart(2, '0');
  const date =
    language === 'en'
      ? dayText(time)
      : language === 'de'
        ? `${two(day)}.${two(month)}.${year}`
        : `${day}/${month}/${year}`;
  const text = isDay ? date : `${date} ${clockText(time)}`;
  return language === 'ar' ? text.replaceAll(/\d/g, (digit) => localNumber(digit)) : text;
}

/** The notation of the member's language. */
export const members: TimeNotation = {
  read: readLocalTime,
  show: (time, kind) => localTimeText(time, kind === 'date'),
  isForBuilders: false,
};
