import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../../../contract/specification.ts';
import { entityFixture, fieldFixture } from '../../../../../test/support/entity-fixture.ts';
import { ApiFailure } from '../../../queries/api-failure.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { type Fix, nearest, nearestLabel, refusedGroups, unknownReferences } from './fixes.ts';

const tickets = entityFixture('tickets', {
  primary_key: ['id'],
  unique_keys: [['title']],
  fields: [
    fieldFixture('id', { type: 'integer' }),
    fieldFixture('title', { type: 'character varying(8)' }),
    fieldFixture('priority', { type: 'priority', enum_values: ['low', 'normal', 'high', 'urgent'], default: "'low'" }),
    fieldFixture('due', { type: 'date', nullable: true }),
    fieldFixture('customer', { type: 'uuid', references: { schema: 'public', entity: 'customers', field: 'id' } }),
  ],
});
const customers = new Map([
  ['Brightwater', 'b-key'],
  ['Hollis Freight', 'h-key'],
]);

const rule = (name: string, part: Partial<Rule>): Rule => ({
  ...{ id: `public.tickets ${name}`, entity: 'public.tickets', name, kind: 'check', fields: ['title'] },
  ...{ words: `${name} holds`, comment: `${name} holds`, sql: '', applies_to: 'all rows', sqlstate: '23514' },
  ...part,
});
const rules = [
  rule('title_length', {}),
  rule('title_key', { kind: 'unique', sqlstate: '23505', sql: 'UNIQUE (title)' }),
  rule('partial_key', { kind: 'unique', sqlstate: '23505', sql: 'CREATE UNIQUE INDEX … WHERE (id > 0)' }),
];

let line = 1;
const refused = (values: Row, code: string, message: string) => {
  line += 1;
  return { row: { line, values }, error: new ApiFailure(message, { code, status: 400 }) };
};

const groups = (...rows: ReturnType<typeof refused>[]) =>
  refusedGroups(tickets, rows, rules, new Map([['customer', customers]]));
const labels = (...rows: ReturnType<typeof refused>[]) =>
  groups(...rows).map(({ fixes }) => fixes.map(({ label }) => label));
const changed = (fix: Fix | undefined, values: Row) =>
  fix && 'change' in fix ? fix.change({ line: 1, values })?.values : undefined;

describe('refusedGroups', () => {
  it('groups the rows that break one rule, and offers to leave them out', () => {
    const check = 'new row for relation "tickets" violates check constraint "title_length"';
    const [group, ...others] = groups(refused({ title: 'x' }, '23514', check), refused({ title: 'y' }, '23514', check));
    expect([group?.rows.length, group?.words, others]).toEqual([2, 'title_length holds', []]);
    expect(group?.fixes.map(({ label }) => label)).toEqual(['Leave the rows out']);
    expect(group?.fixes.map((fix) => ('change' in fix ? fix.change({ line: 1, values: {} }) : undefined))).toEqual([
      null,
    ]);
  });

  it('offers to trim blanks only if every row of the group has blanks', () => {
    const check = 'violates check constraint "title_length"';
    const blank = refused({ title: ' x ' }, '23514', check);
    expect(labels(blank)).toEqual([['Trim blanks of title', 'Leave the row out']]);
    expect(labels(blank, refused({ title: 'x' }, '23514', check))).toEqual([['Leave the rows out']]);
    expect(changed(groups(blank)[0]?.fixes[0], { id: '1', title: ' x ' })).toEqual({ id: '1', title: 'x' });
  });

  it('offers to cut a text that is too long for its type', () => {
    const [group] = groups(
      refused({ title: 'Printer on fire' }, '22001', 'value too long for type character varying(8)'),
    );
    expect(changed(group?.fixes[0], { title: 'Printer on fire' })).toEqual({ title: 'Printer ' });
  });

  it('offers the nearest values of an enum, and its default', () => {
    const [group] = groups(
      refused({ priority: 'hihg', title: 'x' }, '22P02', 'invalid input value for enum priority: "hihg"'),
    );
    expect(group?.fixes[0]?.label).toBe('Use high for hihg');
    expect(changed(group?.fixes[0], { priority: 'hihg', title: 'x' })).toEqual({ priority: 'high', title: 'x' });
    const byDefault = group?.fixes.find(({ label }) => label === 'Use the default of priority');
    expect(changed(byDefault, { priority: 'hihg', title: 'x' })).toEqual({ title: 'x' });
  });

  it('offers the row with the nearest label for a reference that names no row, and none that is far', () => {
    const unknown = (customer: string) =>
      refused({ customer }, '22P02', `invalid input syntax for type uuid: "${customer}"`);
    const [near, far] = groups(unknown('Bright Water GmbH'), unknown('Nobody'), unknown('Nobody'));
    expect([near?.words, near?.fixes[0]?.label]).toEqual([
      'customers has no row “Bright Water GmbH”.',
      'Use Brightwater for Bright Water GmbH',
    ]);
    expect(changed(near?.fixes[0], { customer: 'Bright Water GmbH' })).toEqual({ customer: 'b-key' });
    expect([far?.rows.length, far?.fixes.map(({ label }) => label)]).toEqual([2, ['Leave the rows out']]);
    expect(unknownReferences(tickets, [unknown('Nobody'), unknown('Nobody'), unknown('x')], rules)).toEqual(
      new Map([['customer', ['Nobody', 'x']]]),
    );
  });

  it('says what fits the field instead of the error of PostgreSQL', () => {
    expect(groups(refused({ due: '31/02/2027' }, '22008', 'out of range: "31/02/2027"'))[0]?.words).toBe(
      '“31/02/2027” does not fit due. A date, 2026-11-20.',
    );
    expect(groups(refused({ priority: 'x' }, '22P02', 'invalid: "x"'))[0]?.words).toBe(
      '“x” is no value of priority: low, normal, high, urgent.',
    );
  });

  it('finds the field of a value that contains quotes', () => {
    const [group] = groups(
      refused({ title: '{"a":}', due: null }, '22P02', 'invalid input syntax for type json: "{"a":}"'),
    );
    expect(group?.words).toMatch(/^“{"a":}” does not fit title/);
  });

  it('empties a field that may be empty', () => {
    const [group] = groups(refused({ due: '31/02/2027' }, '22008', 'date out of range: "31/02/2027"'));
    expect(group?.fixes.map(({ label }) => label)).toEqual(['Empty due', 'Leave the row out']);
    expect(changed(group?.fixes[0], { due: '31/02/2027' })).toEqual({ due: null });
  });

  it('offers to skip or update rows whose key exists, unless the unique index is partial', () => {
    const unique = (name: string) =>
      groups(refused({ title: 'x' }, '23505', `duplicate key value violates unique constraint "${name}"`))[0]?.fixes;
    expect(unique('title_key')?.slice(0, 2)).toEqual([
      { label: 'Skip rows that exist', conflict: { fields: ['title'], resolution: 'ignore' } },
      { label: 'Update rows that exist', conflict: { fields: ['title'], resolution: 'merge' } },
    ]);
    expect(unique('partial_key')?.map(({ label }) => label)).toEqual(['Leave the row out']);
  });
});

describe('nearestLabel', () => {
  it('returns a label that differs in at most half of the characters', () => {
    expect(nearestLabel('hollis frieght', [...customers.keys()])).toBe('Hollis Freight');
    expect(nearestLabel('Nobody', [...customers.keys()])).toBeNull();
    expect(nearestLabel('Nobody', [])).toBeNull();
  });
});

describe('nearest', () => {
  it('returns three values, the most similar first', () => {
    expect(nearest('Hgh', ['low', 'normal', 'high', 'urgent'])[0]).toBe('high');
    expect(nearest('x', ['a', 'b', 'c', 'd'])).toHaveLength(3);
  });
});
