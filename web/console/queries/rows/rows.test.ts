import { describe, expect, it } from 'vitest';
import type { Entity, Field } from '../../../../contract/specification-entities.ts';
import { entityFixture, fieldFixture } from '../../../../test/support/entity-fixture.ts';
import { keyParameters, keysParameter } from '../../../rows/query.ts';
import { restRequest } from '../../../rows/rest-request.ts';
import { type Filter, operatorsFor } from './filter.ts';
import { filterParameter, isComplete, listOf, orderOf, portions, selectOf } from './query-string.ts';
import { keyFields, keyFromText, keyOf, keyText } from './row.ts';
import { rowBody } from './row-body.ts';

const field = (name: string, type: string, more: Partial<Field> = {}): Field =>
  fieldFixture(name, { type, nullable: true, ...more });

const entity = (more: Partial<Entity>): Entity => entityFixture('t', { primary_key: [], ...more });

const filter = (operator: Filter['operator'], value = '', name = 'f'): Filter => ({ field: name, operator, value });

describe('filterParameter', () => {
  it.each([
    [filter('eq', 'a b'), 'f', 'eq.a b'],
    [filter('like', 'TK-%'), 'f', 'like.TK-%'],
    [filter('after', '2026-01-01'), 'f', 'gt.2026-01-01'],
    [filter('in', 'open, on hold'), 'f', 'in.("open","on hold")'],
    [filter('in', '"a,b", c"d'), 'f', 'in.("a,b","c\\"d")'],
    [filter('true'), 'f', 'is.true'],
    [filter('not-null'), 'f', 'not.is.null'],
    [filter('contains', '{"a":1}'), 'f', 'cs.{"a":1}'],
    [filter('holds', 'a, b'), 'f', 'cs.{"a","b"}'],
    [filter('overlaps', '{a,b}'), 'f', 'ov.{a,b}'],
  ] as const)('writes the filter %j as a query parameter', (given, name, value) => {
    expect(filterParameter(given)).toEqual([name, value]);
  });

  it('quotes names, so that PostgREST reads no name as a reserved word or as syntax', () => {
    expect(filterParameter(filter('eq', '1', 'select'))[0]).toBe('"select"');
    expect(filterParameter(filter('eq', '1', 'a"b\\c'))[0]).toBe('"a\\"b\\\\c"');
    expect(restRequest('t', null, { parameters: [['"a&b"', 'eq.1&limit=0']] }).url).toBe(
      '/rest/v1/t?%22a%26b%22=eq.1%26limit%3D0',
    );
  });

  it('says that a filter is complete only if it has the value that its operator needs', () => {
    expect(isComplete(filter('eq', ''))).toBe(false);
    expect(isComplete(filter('in', ' , '))).toBe(false);
    expect(isComplete(filter('null'))).toBe(true);
  });

  it('parses a list of values as a person types it', () => {
    expect(listOf('a, b ,c')).toEqual(['a', 'b', 'c']);
    expect(listOf('"x, y", z')).toEqual(['x, y', 'z']);
    expect(listOf('')).toEqual([]);
  });
});

it('operatorsFor offers only the operators that the type of the field allows', () => {
  expect(operatorsFor('boolean', false)).toEqual(['true', 'false']);
  expect(operatorsFor('json', true)).toEqual(['contains', 'null', 'not-null']);
  expect(operatorsFor('integer', false)).not.toContain('like');
});

it('selectOf selects every field as text, so that no digit of a number is lost', () => {
  expect(selectOf(['id', 'Order no'])).toBe('id::text,"Order no"::text');
});

it('orderOf orders by the key after the chosen field, so that pages do not overlap', () => {
  expect(orderOf(null, ['a', 'b'])).toBe('a,b');
  expect(orderOf({ field: 'at', descending: true }, ['id'])).toBe('at.desc,id');
  expect(orderOf({ field: 'id', descending: true }, ['id'])).toBe('id.desc');
  expect(orderOf(null, [])).toBe('');
});

describe('keyFields, keyText and key parameters', () => {
  it('use the primary key, or else a unique key without nullable fields, or else no fields', () => {
    expect(keyFields(entity({ primary_key: ['id'] }))).toEqual(['id']);
    const fields = [field('a', 'text', { nullable: false }), field('b', 'text')];
    expect(keyFields(entity({ unique_keys: [['b'], ['a']], fields }))).toEqual(['a']);
    expect(keyFields(entity({ unique_keys: [['b']], fields }))).toEqual([]);
  });

  it('write a key into the URL as text and read it back', () => {
    const key = keyOf({ a: 'x,"y', b: '1' }, ['a', 'b']);
    expect(key).toEqual(['x,"y', '1']);
    expect(keyFromText(keyText(key ?? []), ['a', 'b'])).toEqual(key);
    expect(keyFromText('["x"]', ['a', 'b'])).toBeNull();
    expect(keyFromText('no', ['a'])).toBeNull();
    expect(keyOf({ a: null }, ['a'])).toBeNull();
  });

  it('select one row, or many rows with one parameter', () => {
    expect(keyParameters(['a', 'b'], ['1', 'x'])).toEqual([
      ['a', 'eq.1'],
      ['b', 'eq.x'],
    ]);
    expect(keysParameter(['id'], [['a'], ['b"c']])).toEqual(['id', 'in.("a","b\\"c")']);
    expect(keysParameter(['a', 'b'], [['1', 'x)']])).toEqual(['or', '(and(a.eq."1",b.eq."x)"))']);
  });

  it('divide a list of keys into portions that each fit into an address', () => {
    const keys = Array.from({ length: 500 }, (_, index) => [`key-${index}`]);
    const parts = portions(['id'], keys, 1000);
    expect(parts.length).toBeGreaterThan(5);
    expect(parts.flat()).toEqual(keys);
    expect(portions(['id'], [['x'.repeat(5000)]], 1000)).toHaveLength(1);
    expect(portions(['id'], [])).toEqual([]);
    const pairs = Array.from({ length: 300 }, (_, index) => [`${index}`, `a "${index}`]);
    for (const part of portions(['Order no', 'Line, no'], pairs, 2000)) {
      const parameters = [keysParameter(['Order no', 'Line, no'], part)];
      expect(restRequest('', null, { parameters }).url.length).toBeLessThan(2100);
    }
  });
});

describe('rowBody', () => {
  const fields = [field('big', 'bigint'), field('meta', 'jsonb'), field('tags', 'text[]'), field('a"b', 'text')];

  it('writes every value exactly as typed', () => {
    const body = rowBody(
      { big: '9007199254740993', meta: '{"n": 12345678901234567890}', tags: '{a,"b c"}', 'a"b': 'x"\n' },
      fields,
    );
    expect(body).toBe(
      '{"big":"9007199254740993","meta":{"n": 12345678901234567890},"tags":"{a,\\"b c\\"}","a\\"b":"x\\"\\n"}',
    );
  });

  it("omits fields without a value, and writes SQL's null as JSON null", () => {
    expect(rowBody({}, fields)).toBe('{}');
    expect(rowBody({ meta: null }, fields)).toBe('{"meta":null}');
  });
});
