import { beforeAll, expect, it } from 'vitest';
import { en } from '../language/en.ts';
import { setLanguage } from '../language/messages.ts';
import { memberName, textOf } from './format.ts';

beforeAll(() => setLanguage('en', en));

it('textOf formats an interval of PostgreSQL in words', () => {
  const words = (value: string) => textOf({ editor: 'duration', values: null }, value);
  expect(['1 day 02:30:00', '00:05:00', '2 years 1 mon', '24:00:00', '00:00:00', '00:00:01.5'].map(words)).toEqual([
    '1 day 2 h 30 min',
    '5 min',
    '2 years 1 month',
    '24 h',
    '0 min',
    '1.5 s',
  ]);
});

it('textOf formats all digits of a large number, and a time of day without seconds that are 0', () => {
  const words = (editor: 'number' | 'time', value: string) => textOf({ editor, values: null }, value);
  expect(words('number', '9007199254740993')).toBe('9,007,199,254,740,993');
  expect(words('number', '0.12345678901234567')).toBe('0.12345678901234567');
  expect(words('number', 'NaN')).toBe('NaN');
  expect([words('time', '13:45:00'), words('time', '13:45:30'), words('time', '13:45:00+02')]).toEqual([
    expect.stringMatching(/^(13:45|1:45.PM)$/),
    expect.stringMatching(/^(13:45:30|1:45:30.PM)$/),
    '13:45:00+02',
  ]);
});

it('memberName returns the name or the full name of an account, or else the address or the phone number', () => {
  expect(memberName({ user_metadata: { name: 'Ada', full_name: 'Ada Lovelace' } })).toBe('Ada');
  expect(memberName({ user_metadata: { name: ' ', full_name: 'Ada Lovelace' }, email: 'ada@example.com' })).toBe(
    'Ada Lovelace',
  );
  expect(memberName({ user_metadata: { name: 5 }, email: 'ada@example.com' })).toBe('ada@example.com');
  expect(memberName({ user_metadata: {}, email: '', phone: '491' })).toBe('491');
});
