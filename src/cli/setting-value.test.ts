import { expect, it } from 'vitest';
import { readValue } from './setting-value.ts';

it('reads a value by the kind of its setting', () => {
  expect(readValue('db_schemas', 'api, extra')).toEqual(['api', 'extra']);
  expect(readValue('db_schemas', '["with, comma"]')).toEqual(['with, comma']);
  expect(readValue('db_extra_search_path', '')).toEqual([]);
  expect(readValue('db_max_rows', 'null')).toBeNull();
  expect(readValue('db_max_rows', '25')).toBe(25);
  expect(readValue('disable_signup', 'true')).toBe(true);
  expect(readValue('jwt_role_claim_key', '.roles[0]')).toBe('.roles[0]');
  expect(readValue('jwt_role_claim_key', 'null')).toBe('null');
  expect(readValue('jwt_aud', 'here')).toBe('here');
  expect(readValue('smtp_pass', 'secret')).toBe('secret');
  expect(readValue('smtp_pass', 'null')).toBeNull();
  expect(() => readValue('disable_signup', 'yes')).toThrow('is not JSON');
});
