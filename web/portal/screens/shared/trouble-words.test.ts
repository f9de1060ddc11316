import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../../language/en.ts';
import { setLanguage } from '../../../language/messages.ts';
import { Refusal } from '../../queries/rest.ts';
import { hintOf, troubleWords } from './trouble-words.ts';

const refused = (code: string, message: string, hint: string | null = null, status = 400) =>
  new Refusal(status, { code, message, ...(hint !== null && { hint }) });

beforeAll(() => setLanguage('en', en));

describe('troubleWords', () => {
  it.each([
    ['BK007', 'It is not open at that time.', 'It is not open at that time.'],
    ['P0001', 'Ask public.find_times() first.', 'Ask find times first.'],
    ['23514', 'That is too late.', 'That is too late.'],
    [
      '23514',
      'new row for relation "bookings" violates check constraint "bookings_forward"',
      'A rule of this app refuses this.',
    ],
    [
      '22P02',
      'invalid input syntax for type bigint: "x"',
      'One of the values does not fit. Check what you have entered.',
    ],
    [
      'PGRST202',
      'Could not find the function public.free_times',
      'The app cannot do this now. Its team can find out why.',
    ],
    [
      'NF001',
      'The transition confirm, from requested to confirmed, is not open to this caller.',
      'This change of state is not possible now, or not open to you.',
    ],
  ])('describes the error %s with the message %j as %j', (code, message, expected) => {
    expect(troubleWords(refused(code, message))).toBe(expected);
  });

  it('shows the comment of a rule and the advice of the app without names of the schema, and no advice of PostgreSQL', () => {
    expect(
      troubleWords(refused('23P01', 'conflicting key value', 'That time is taken: choose one of free_times.')),
    ).toBe('That time is taken: choose one of free times.');
    expect(hintOf(refused('BK007', 'It is closed.', 'Choose one of free_times.'))).toBe('Choose one of free times.');
    expect(
      hintOf(refused('42883', 'operator does not exist', 'You might need to add explicit type casts.')),
    ).toBeNull();
  });

  it('leaves paths, addresses and file names as they are', () => {
    const words = 'See https://a.example/my_page, me_too@a.example, Europe/Isle_of_Man and my_plan.pdf.';
    expect(troubleWords(refused('P0001', words))).toBe(words);
  });
});
