import { createElement, Fragment, type ReactNode } from 'react';
import type { en } from './en.ts';
import { formatParts } from './message-format.ts';

/** The key of a message. */
export type MessageKey = keyof typeof en;

/** The messages in one language. */
export type Messages = Readonly<Record<MessageKey, string>>;

/** A language of the pages for members. Mails exist in the same languages. */
export type Language = 'en' | 'de' | 'ar';

/** The name of each language in the language itself. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ar: 'العربية' };

let current: { readonly language: Language; readonly locale: string; readonly messages: Messages | null } = {
  language: 'en',
  locale: navigatorLocale('en'),
  messages: null,
};

/** Sets the language of the pages. It must be called before the first page is drawn. */
export function setLanguage(language: Language, messages: Messages): void {
  current = { language, locale: navigatorLocale(language), messages };
}

function messageOf(key: MessageKey): string {
  if (!current.messages) throw new Error('setLanguage must be called before the first message is shown.');
  return current.messages[key];
}

export const currentLanguage = (): Language => current.language;

/** Returns the direction of the current language. */
export const currentDirection = (): 'ltr' | 'rtl' => (current.language === 'ar' ? 'rtl' : 'ltr');

/** Returns the locale in which dates and numbers are formatted: the current language, with the region of the browser. */
export const currentLocale = (): string => current.locale;

/** Returns the first locale of the browser that belongs to a language. If there is none, returns the language itself. */
function navigatorLocale(language: Language): string {
  const all = typeof navigator === 'undefined' ? [] : navigator.languages;
  return all.find((tag) => tag.split('-')[0]?.toLowerCase() === language && isLocale(tag)) ?? language;
}

/** Returns false for a locale of the browser that is no language tag. Chromium on Linux may return `en-US@posix`. */
function isLocale(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

type Values<T> = Readonly<Record<string, string | number | T>>;

/** Returns a message as a string. */
export const t = (key: MessageKey, values: Values<never> = {}): string =>
  formatParts(messageOf(key), values, current.locale).join('');

/** Returns a message in which the values of arguments may be elements. */
export const tNodes = (key: MessageKey, values: Values<ReactNode>): ReactNode =>
  formatParts(messageOf(key), values, current.locale).map((part, i) => createElement(Fragment, { key: i }, part));

/** Returns a label for use within a sentence. In English it then begins with a small letter; in other languages it is unchanged. */
export const inSentence = (label: string): string => (current.language === 'en' ? label.toLowerCase() : label);

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns a formatter of dates for the current locale. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${current.locale} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(current.locale, options);
    formats.set(key, format);
  }
  return format;
}

/** Formats a number in the current locale. */
export const numberText = (value: number | `${number}`, options?: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(current.locale, options).format(value as number);

/** Returns the parts of a list of so many elements in the current language: the places of the elements, and the texts between them. */
export function listParts(length: number): (number | string)[] {
  const places = Array.from({ length }, (_, i) => String(i));
  const parts = new Intl.ListFormat(current.locale, { type: 'conjunction' }).formatToParts(places);
  return parts.map(({ type, value }) => (type === 'element' ? Number(value) : value));
}
