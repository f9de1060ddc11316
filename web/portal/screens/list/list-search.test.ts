import { beforeAll, describe, expect, it } from 'vitest';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { en } from '../../../language/en.ts';
import { setLanguage } from '../../../language/messages.ts';
import { conditionsIn, conditionWords, dataConditions, orderIn, rangeCondition, rangeIn } from './list-search.ts';

beforeAll(() => setLanguage('en', en));

const field = (name: string, editor: string, more: object = {}) => ({
  ...{ name, label: name, editor, readable: true, sortable: true, nullable: false, values: null },
  ...more,
});
const entity = {
  fields: [
    field('price', 'money'),
    field('day', 'date'),
    field('at', 'date and time'),
    field('clock', 'date and time', { zoneless: true }),
    field('name', 'text'),
    field('a,b', 'number'),
  ],
} as unknown as PortalEntity;

const now = new Date(2026, 10, 24, 15, 30);

describe('dataConditions', () => {
  it("writes a range as two conditions, and a range of times by the days of the reader's time zone", () => {
    expect(dataConditions(entity, 'price', 'gte.-1.5,lte.20', now)).toEqual(['gte.-1.5', 'lte.20']);
    expect(dataConditions(entity, 'day', 'gte.2026-01-01,lte.2026-01-31', now)).toEqual([
      'gte.2026-01-01',
      'lt.2026-02-01',
    ]);
    expect(dataConditions(entity, 'clock', 'lte.2026-12-31', now)).toEqual(['lt.2027-01-01T00:00:00']);
    expect(dataConditions(entity, 'at', 'gte.2026-01-01', now)).toEqual([`gte.${new Date(2026, 0, 1).toISOString()}`]);
  });

  it('converts a number of days from today to two dates', () => {
    expect(dataConditions(entity, 'day', 'days.0', now)).toEqual(['gte.2026-11-24', 'lt.2026-11-25']);
    expect(dataConditions(entity, 'day', 'days.-7', now)).toEqual(['gte.2026-11-18', 'lt.2026-11-25']);
    expect(dataConditions(entity, 'day', 'days.7', now)).toEqual(['gte.2026-11-24', 'lt.2026-12-01']);
  });
});

describe('conditionsIn', () => {
  it('accepts a condition only if the kind of the field allows it', () => {
    const search = {
      'f.price': 'gte.1',
      'f.day': 'days.-30',
      'f.name': 'gte.a',
      'f.at': 'gte.1);drop',
      'f.other': 'eq.1',
    };
    expect(conditionsIn(search, entity)).toEqual({ price: 'gte.1', day: 'days.-30' });
  });
});

describe('rangeIn', () => {
  it('reads each condition that rangeCondition writes', () => {
    for (const range of [
      { from: '1', to: '2' },
      { from: '', to: '2.5' },
      { from: '-1', to: '' },
    ]) {
      expect(rangeIn(rangeCondition(range) ?? '')).toEqual(range);
    }
    expect([rangeCondition({ from: '', to: '' }), rangeIn('eq.1'), rangeIn('')]).toEqual([null, null, null]);
  });
});

describe('conditionWords', () => {
  it('describes a range and a number of days in words', () => {
    expect(conditionWords(entity, 'price', 'gte.10,lte.20')).toBe('price from 10.00 to 20.00');
    expect(conditionWords(entity, 'price', 'lte.20')).toBe('price up to 20.00');
    expect(conditionWords(entity, 'price', 'not.in.(10,20)')).toBe('price is not 10, 20');
    expect(conditionWords(entity, 'at', 'days.-7')).toBe('at is in the last 7 days');
  });
});

describe('orderIn', () => {
  it('accepts an order by known fields, whatever characters their names contain, and otherwise uses the order of the screen', () => {
    expect(orderIn({ order: '"a,b".desc' }, entity, null)).toEqual({
      text: '"a,b".desc',
      field: 'a,b',
      isDescending: true,
    });
    expect(orderIn({ order: 'secret' }, entity, 'day')).toMatchObject({ text: 'day', field: 'day' });
  });
});
