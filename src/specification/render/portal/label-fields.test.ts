import { describe, expect, it } from 'vitest';
import { labelFields } from '../../../../contract/label-fields.ts';
import type { Field } from '../../../../contract/specification-entities.ts';

const field = (name: string, type = 'text'): Field => ({
  ...{ name, type, base_type: null, nullable: true, default: null, generated: null, identity: null },
  ...{ enum_values: null, comment: null, references: null },
});

const labelOf = (name: string, fields: readonly string[], key: readonly string[] = ['id']) =>
  labelFields({ name, primary_key: [...key], fields: fields.map((one) => field(one)) });

describe('labelFields', () => {
  it.each([
    ['tickets', ['code', 'author_name', 'subject'], ['subject']],
    ['categories', ['description', 'parent_name', 'category_name'], ['category_name']],
    ['address', ['postal_code', 'phone', 'address'], ['address']],
    ['employees', ['title', 'last_name', 'first_name'], ['first_name', 'last_name']],
    ['authors', ['familyName', 'bio'], ['familyName']],
    ['people', ['first_name', 'last_name', 'name'], ['name']],
    ['comments', ['author_name', 'body'], ['body']],
    ['suppliers', ['phone', 'contact', 'company_name'], ['company_name']],
    ['places', ['zip', 'street'], ['street']],
    ['tokens', ['access_token'], ['access_token']],
  ])('names a row of %s with the fields %j by %j', (entity, fields, expected) => {
    expect(labelOf(entity, fields)).toEqual(expected);
  });

  it('prefers any plain text to a key, and has none without a text', () => {
    expect(labelOf('customers', ['customer_id', 'city'], ['customer_id'])).toEqual(['city']);
    expect(labelOf('states', ['code'], ['code'])).toEqual(['code']);
    expect(labelFields({ name: 'points', primary_key: [], fields: [field('x', 'integer')] })).toEqual([]);
  });

  it('uses only fields that the reader may read, and a long text only if there is no other', () => {
    const tickets = { name: 'tickets', primary_key: [], fields: [field('name'), field('notes'), field('city')] };
    expect(
      labelFields(
        tickets,
        (name) => name !== 'name',
        (name) => name === 'notes',
      ),
    ).toEqual(['city']);
    expect(
      labelFields(
        tickets,
        (name) => name === 'notes',
        () => true,
      ),
    ).toEqual(['notes']);
  });
});
