import { beforeAll, describe, expect, it } from 'vitest';
import type { PortalField } from '../../contract/portal.ts';
import { en } from '../language/en.ts';
import type { Language } from '../language/messages.ts';
import { setLanguage } from '../language/messages.ts';
import { readDraft, toDraft } from './draft.ts';
import { isoDay, isoTime } from './read-time.ts';
import { localTimeText, readLocalTime } from './time-words.ts';

beforeAll(() => setLanguage('en', en));

/** The present time of the tests, a Tuesday. */
const now = new Date(2026, 10, 24, 14, 5, 30);
const read = (text: string, language: Language, locale: string = language): string | null => {
  const found = readLocalTime(text, now, language, locale);
  return found && (found.hasClock ? isoTime(found.time) : isoDay(found.time));
};

describe('readLocalTime', () => {
  it.each<[string, Language, string | null]>([
    ['morgen', 'de', '2026-11-25'],
    ['übermorgen', 'de', '2026-11-26'],
    ['Mo 9', 'de', '2026-11-30 09:00:00'],
    ['freitag um 9:30 Uhr', 'de', '2026-11-27 09:30:00'],
    ['3. März 2027', 'de', '2027-03-03'],
    ['24.12.', 'de', '2026-12-24'],
    ['24.12.2026, 09:00', 'de', '2026-12-24 09:00:00'],
    ['in 3 Tagen', 'de', '2026-11-27'],
    ['tomorrow', 'de', '2026-11-25'],
    ['irgendwann', 'de', null],
    ['غدًا', 'ar', '2026-11-25'],
    ['الجمعة 9', 'ar', '2026-11-27 09:00:00'],
    ['٢٤/١٢/٢٠٢٦', 'ar', '2026-12-24'],
    ['بعد 3 أيام', 'ar', '2026-11-27'],
  ])('reads "%s" in %s', (text, language, time) => {
    expect(read(text, language)).toBe(time);
  });

  it('reads the month first where the locale writes it first', () => {
    expect(read('3/4/2027', 'en', 'en-US')).toBe('2027-03-04');
    expect(read('3/4/2027', 'en', 'en-GB')).toBe('2027-04-03');
    expect(read('24/12/2027', 'en', 'en-US')).toBe('2027-12-24');
  });

  it.each<Language>(['en', 'de', 'ar'])('reads in %s what the field shows', (language) => {
    for (const time of [new Date(2026, 1, 3, 4, 5), new Date(2026, 11, 24, 16, 30, 15)]) {
      expect(read(localTimeText(time, false, language), language)).toBe(isoTime(time));
      expect(read(localTimeText(time, true, language), language)).toBe(isoDay(time));
    }
  });
});

describe('a draft of a time', () => {
  const field = (editor: PortalField['editor'], zoneless?: true) =>
    ({ editor, label: 'At', rules: [], values: null, ...(zoneless && { zoneless }) }) as unknown as PortalField;
  it.each([
    ['date', undefined, '2026-03-29', '29 Mar 2026', '2026-03-29'],
    ['date and time', true, '2026-03-09T02:30:00', '9 Mar 2026 02:30', '2026-03-09 02:30:00'],
    ['date and time', undefined, new Date(2026, 2, 9, 2, 30).toISOString(), '9 Mar 2026 02:30', null],
    ['date and time', undefined, 'infinity', 'infinity', 'infinity'],
    ['date', undefined, '0044-03-15 BC', '0044-03-15 BC', null],
    ['date and time', undefined, '12026-01-01T10:00:00+00:00', '12026-01-01T10:00:00+00:00', null],
  ] as const)(
    'of a %s shows the stored value, and reads the same value again',
    (editor, zoneless, value, shown, stored) => {
      expect(toDraft(field(editor, zoneless), value)).toBe(shown);
      expect(readDraft(field(editor, zoneless), shown)).toEqual({ value: stored ?? value });
    },
  );
});
