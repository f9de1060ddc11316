import { expect, it } from 'vitest';
import { readValue } from './setting-value.ts';

it('readValue reads a value by the type of its setting', () => {
  const list = { default: ['public'], type: 'list of schema names, at least one' };
  expect(readValue(list, 'api, extra')).toEqual(['api', 'extra']);
  expect(readValue(list, '["with, comma"]')).toEqual(['with, comma']);
  expect(readValue({ default: ['public'], type: 'list of schema names' }, '')).toEqual([]);
  expect(readValue({ default: 1000, type: 'whole number of rows, or null for no limit' }, 'null')).toBeNull();
  expect(readValue({ default: 1000, type: 'whole number' }, '25')).toBe(25);
  expect(readValue({ default: false, type: 'true or false' }, 'true')).toBe(true);
  expect(readValue({ default: '.role', type: 'JSON path' }, '.roles[0]')).toBe('.roles[0]');
  expect(readValue({ default: null, type: 'string, or null to accept any' }, 'here')).toBe('here');
  expect(() => readValue({ default: false, type: 'true or false' }, 'yes')).toThrow('is not JSON');
});
