import { describe, expect, it } from 'vitest';
import { fieldFixture } from '../../../../../test/support/entity-fixture.ts';
import { convert, guessFields, notationOf } from './convert.ts';

const now = new Date(2026, 10, 24);
const converted = (type: string, ...texts: string[]) =>
  texts.map((text) => convert(fieldFixture('f', { type }), text, now, notationOf(texts)));

describe('convert', () => {
  it('reads numbers with separators of thousands, a decimal comma and a currency', () => {
    expect(converted('numeric', '1.234,50', '12,5 €', '1.234', '-3')).toEqual(['1234.50', '12.5', '1234', '-3']);
    expect(converted('numeric', '$1,234.50', '1,234', '7')).toEqual(['1234.50', '1234', '7']);
    expect(converted('bigint', '1,234,567', '0,5')).toEqual(['1234567', '0.5']);
  });

  it('leaves a number that may mean two values as it is, so that PostgreSQL refuses it', () => {
    expect(converted('numeric', '1,234', '7', 'free')).toEqual(['1,234', '7', 'free']);
  });

  it('reads days before months, unless a day of the column shows that the month is first', () => {
    expect(converted('date', '03/04/2026', '24/11/2026')).toEqual(['2026-04-03', '2026-11-24']);
    expect(converted('date', '03/04/2026', '11/24/2026')).toEqual(['2026-03-04', '2026-11-24']);
    expect(converted('date', '24.11.2026', '24 Nov 2026', '2026-11-24', '31/02/2026')).toEqual([
      ...['2026-11-24', '2026-11-24', '2026-11-24'],
      '31/02/2026',
    ]);
  });

  it('reads a list with commas and a JSON list as an array', () => {
    expect(converted('text[]', 'red, blue', '["a \\"b\\"", 1]', '{x,y}', '[{}]')).toEqual([
      ...['{"red","blue"}', '{"a \\"b\\"","1"}', '{x,y}'],
      '[{}]',
    ]);
  });
});

describe('guessFields', () => {
  const fields = ['title', 'priority', 'due', 'due_at'].map((name) => fieldFixture(name, {}));

  it('compares names without case and signs, then takes the only field that begins like the column', () => {
    expect(guessFields(['Title', 'Prio', 'Due-At', 'Ticket no.'], fields)).toEqual([
      'title',
      'priority',
      'due_at',
      null,
    ]);
    expect(guessFields(['DUE', 'du'], fields)).toEqual(['due', null]);
  });
});
