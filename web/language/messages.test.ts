import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { formatParts } from './message-format.ts';
import { dateFormat, inSentence, type MessageKey, numberText, setLanguage, t } from './messages.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  setLanguage('en', en);
});

/** Returns the names of the arguments of a message. */
const argumentsOf = (message: string): string[] =>
  [...new Set([...message.matchAll(/\{\s*(\w+)\s*[,}]/g)].map(([, name]) => name ?? ''))].sort();

describe('the message catalog', () => {
  it.each([
    ['de', de],
    ['ar', ar],
  ] as const)(
    'has every message in %s, with the same arguments and in a syntax that can be formatted',
    (language, all) => {
      expect(Object.keys(all)).toEqual(Object.keys(en));
      const keys = Object.keys(en) as MessageKey[];
      expect(keys.filter((key) => all[key].trim() === '')).toEqual([]);
      expect(keys.filter((key) => String(argumentsOf(all[key])) !== String(argumentsOf(en[key])))).toEqual([]);
      const values = Object.fromEntries(keys.flatMap((key) => argumentsOf(en[key])).map((name) => [name, 3]));
      for (const key of keys) {
        expect(formatParts(all[key], values, language).join('')).not.toMatch(/[{}]/);
        expect(formatParts(en[key], values, 'en').join('')).not.toMatch(/[{}]/);
      }
    },
  );

  it('contains only messages that a page uses', () => {
    const sources = ['../portal', '../fields', '../files', '../ui'].flatMap((folder) =>
      readdirSync(new URL(folder, import.meta.url), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
        .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8')),
    );
    const text = sources.join('\n');
    expect(Object.keys(en).filter((key) => !text.includes(`'${key}'`))).toEqual([]);
  });

  it('has Arabic letters in every Arabic message that contains words, except names', () => {
    const keys = Object.keys(ar) as MessageKey[];
    const latin = keys.filter(
      (key) => !/\p{Script=Arabic}/u.test(ar[key]) && /\p{L}{2,}/u.test(ar[key].replaceAll(/\{\w+\}/g, '')),
    );
    expect(latin).toEqual(['emailExample', 'keyCtrlEnter', 'keyEsc']);
  });
});

describe('t', () => {
  it.each<[string, MessageKey, Record<string, string | number>, string]>([
    ['en', 'listCount', { count: 0, one: 'ticket', label: 'tickets', words: '0' }, 'No tickets.'],
    ['en', 'listCount', { count: 1, one: 'ticket', label: 'tickets', words: '1' }, 'One ticket.'],
    ['en', 'listCount', { count: 4000, one: 'ticket', label: 'tickets', words: 'about 4,000' }, 'about 4,000 tickets.'],
    ['de', 'durationDays', { count: 1 }, '1 Tag'],
    ['de', 'durationDays', { count: 1200 }, '1.200 Tage'],
    ['ar', 'durationDays', { count: 2 }, 'يومان'],
    ['ar', 'durationDays', { count: 5 }, '5 أيام'],
    ['ar', 'durationDays', { count: 11 }, '11 يومًا'],
    ['en', 'mailValid', { minutes: 60 }, 'It is valid for 1 hour.'],
  ])('formats in %s the message %s of %j', (language, key, values, text) => {
    setLanguage(language as 'en', { en, de, ar }[language] as typeof en);
    expect(t(key, values)).toBe(text);
  });

  it('formats dates and numbers, and labels within a sentence, by the rules of the language', () => {
    expect([numberText(1234.5), inSentence('Tickets')]).toEqual(['1,234.5', 'tickets']);
    setLanguage('de', de);
    expect([numberText(1234.5), inSentence('Anfragen')]).toEqual(['1.234,5', 'Anfragen']);
    expect(dateFormat({ dateStyle: 'long', timeZone: 'UTC' }).format(new Date('2026-03-04'))).toBe('4. März 2026');
  });

  it('formats numbers by the first valid locale of the browser in the language of the page', () => {
    vi.stubGlobal('navigator', { languages: ['de-DE@posix', 'en-GB', 'de-CH'] });
    setLanguage('de', de);
    expect(numberText(1234.5)).toBe(new Intl.NumberFormat('de-CH').format(1234.5));
    vi.stubGlobal('navigator', { languages: ['en-US@posix'] });
    setLanguage('en', en);
    expect(numberText(1234.5)).toBe('1,234.5');
  });
});

describe('formatParts', () => {
  it('returns values that are no strings as separate parts, and includes numbers and choices in the strings', () => {
    const bold = { bold: true };
    const message =
      '{who} {kind, select, new {asks} other {has asked}} {n, plural, one {# question} other {# questions}}: {mark}.';
    expect(formatParts(message, { who: 'Ada', kind: 'new', n: 1000, mark: bold }, 'en')).toEqual([
      'Ada',
      ' ',
      'asks',
      ' ',
      '1,000',
      ' questions',
      ': ',
      bold,
      '.',
    ]);
  });

  it.each(['{', '{a', '{a, plural}', '{a, plural, one {x}}', 'a}', '{a, date}'])(
    'refuses the message %s',
    (message) => {
      expect(() => formatParts(message, { a: 1 }, 'en')).toThrow('another syntax');
    },
  );
});
