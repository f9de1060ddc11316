import { describe, expect, it } from 'vitest';
import type { Entity } from '../../../contract/specification-entities.ts';
import { fieldFixture as field } from '../../../test/support/entity-fixture.ts';
import { functionQuestion, newRow, questionOf, sameRow, touchedField } from './explain.ts';

const entity = {
  schema: 'shop',
  name: 'order lines',
  primary_key: ['order', 'line'],
  unique_keys: [],
  fields: [
    field('order', { type: 'bigint', identity: 'always' }),
    field('line', { type: 'integer' }),
    field('total', { generated: 'stored', default: 'a * b' }),
    field('what'),
    field('kind', { type: 'public.kind', enum_values: ['usual', 'rare'] }),
    field('at', { type: 'timestamp with time zone', default: 'now()' }),
    field('note', { nullable: true }),
  ],
} as unknown as Entity;

describe('questionOf and functionQuestion', () => {
  it('identify a row by all fields of its key, and contain a body only for a write', () => {
    expect(questionOf('update', entity, 'u1', ['7', '1'], '{"what":"x"}')).toEqual({
      requestRole: 'u1',
      method: 'PATCH',
      path: 'order%20lines',
      schema: 'shop',
      parameters: [
        ['"order"', 'eq.7'],
        ['line', 'eq.1'],
      ],
      body: '{"what":"x"}',
    });
    expect(questionOf('select', entity, 'anon', ['7', '1'], '{}').body).toBeNull();
    expect(questionOf('insert', entity, 'service', null, '{}').parameters).toEqual([]);
  });

  it.each([
    ['public.close_ticket(bigint)', 'public', 'rpc/close_ticket'],
    ['"My shop"."say ""hi"""(text, text)', 'My shop', 'rpc/say%20%22hi%22'],
  ])('call the function %s', (id, schema, path) =>
    expect(functionQuestion(id, 'anon', '{}')).toMatchObject({ method: 'POST', schema, path }),
  );

  it('return null for an id that is no function', () => expect(functionQuestion('close', 'anon', '{}')).toBeNull());
});

it('newRow fills a new row with the required fields, but not with fields that PostgreSQL generates', () =>
  expect(JSON.parse(newRow(entity))).toEqual({ line: 1, what: '…', kind: 'usual' }));

it('sameRow updates a field that is no key to its own value', () => {
  expect(touchedField(entity)).toBe('what');
  expect(sameRow(entity, { what: 'chair', line: '1' })).toBe('{"what":"chair"}');
  expect(sameRow({ ...entity, fields: [] }, {})).toBe('{}');
});
