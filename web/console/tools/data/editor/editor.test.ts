import { beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '../../../../../contract/specification.ts';
import type { Machine } from '../../../../../contract/states.ts';
import { entityFixture, fieldFixture as field } from '../../../../../test/support/entity-fixture.ts';
import { en } from '../../../../language/en.ts';
import { setLanguage } from '../../../../language/messages.ts';
import { ApiFailure } from '../../../queries/api-failure.ts';
import { anywhereParameter, searchParameter } from '../../../queries/rows/query-string.ts';
import { keyText, type Row } from '../../../queries/rows/row.ts';
import type { SessionChange } from '../../../queries/rows/session-changes.ts';
import { reinsertSql, undoable } from '../../../queries/rows/undo-change.ts';
import { editorKind, meaningsOf } from './editor-kind.ts';
import { violatedRule } from './field-rule.tsx';
import { readTyped, readValues, shownText } from './typed-value.ts';
import { brokenBy, rulesIn, validWords } from './value-rules.ts';
import { waysOf } from './ways.ts';

describe('rulesIn and brokenBy', () => {
  beforeAll(() => setLanguage('en', en));

  const bounds = [
    { minimum: 1, $comment: 'A resource takes 1 to 5 people.' },
    { maximum: 5, $comment: 'A resource takes 1 to 5 people.' },
  ];
  const schema = {
    $defs: {
      'resources.update': { properties: { capacity: { type: 'integer', allOf: [] }, note: { type: 'string' } } },
      'resources.insert': {
        properties: {
          capacity: { type: 'integer', minimum: -2147483648, allOf: bounds },
          note: {
            anyOf: [{ type: 'string', allOf: [{ minLength: 3, $comment: 'note is 3 characters' }] }, { type: 'null' }],
          },
        },
      },
    },
  };
  const rules = rulesIn(JSON.stringify(schema));

  it('returns the words of the rule that a typed value breaks, and none for null, a reference and a valid value', () => {
    const capacity = field('capacity', { type: 'integer' });
    expect(brokenBy(capacity, rules.get('capacity'), '6')).toBe('A resource takes 1 to 5 people.');
    expect(brokenBy(field('note'), rules.get('note'), 'ab')).toBe('Note is 3 characters. This one has 2.');
    expect([brokenBy(capacity, rules.get('capacity'), '5'), brokenBy(capacity, rules.get('capacity'), null)]).toEqual([
      null,
      null,
    ]);
    const reference = field('capacity', { references: { schema: 'public', entity: 'halls', field: 'id' } });
    expect(brokenBy(reference, rules.get('capacity'), '6')).toBeNull();
    expect([...rulesIn('no JSON')]).toEqual([]);
  });

  it('describes the valid values of a field by the rule of the app, else by the type', () => {
    const rule = { fields: ['capacity'], kind: 'check', comment: null, words: 'capacity is 1 to 5' } as unknown as Rule;
    expect(validWords(field('capacity', { type: 'bigint' }), [rule])).toBe('Capacity is 1 to 5.');
    expect(validWords(field('id', { type: 'bigint', nullable: true }), [rule])).toBe('A whole number.');
  });
});

describe('editorKind and meaningsOf', () => {
  const customer = field('customer', {
    type: 'uuid',
    references: { schema: 'public', entity: 'customers', field: 'id' },
  });

  it('offers a picker for a reference to an entity or an account, and text for a reference outside of the API', () => {
    expect(editorKind(customer, undefined, [entityFixture('customers')])).toBe('reference');
    expect(editorKind(customer, undefined, [])).toBe('text');
    const account = field('id', { type: 'uuid', references: { schema: 'auth', entity: 'users', field: 'id' } });
    expect(editorKind(account, undefined, [])).toBe('reference');
  });

  it('reads the meanings of enum values from the comments of the field and its type', () => {
    const priority = field('priority', {
      ...{ type: 'public.priority', enum_values: ['low', 'lower', 'high'] },
      ...{ comment: 'How urgent it is.', type_comments: ['low: within 5 days; high: within 8 hours.'] },
    });
    expect([...meaningsOf(priority)]).toEqual([
      ['low', 'within 5 days'],
      ['high', 'within 8 hours'],
    ]);
  });
});

describe('readTyped and shownText', () => {
  const now = new Date(2026, 10, 24, 8, 0);

  it("convert a typed time to PostgreSQL's format, show it in the calendar's format, and refuse a text that is no time", () => {
    const due = field('due', { type: 'date' });
    expect(readTyped(due, '+2d', now)).toEqual({ value: '2026-11-26', wrong: null });
    expect(shownText(due, '2026-11-26', now)).toBe('26 Nov 2026');
    expect(readTyped(due, 'infinity', now).wrong).toBeNull();
    expect(readTyped(due, 'some day', now)).toEqual({ value: 'some day', wrong: 'This is no date and time.' });
  });

  it('check JSON, and leave any other text to PostgreSQL', () => {
    expect(readTyped(field('context', { type: 'jsonb' }), '{', now).wrong).toMatch(/^Not JSON yet/);
    expect(readTyped(field('title', { type: 'text' }), '{', now)).toEqual({ value: '{', wrong: null });
    expect(shownText(field('context', { type: 'jsonb' }), '{"a":1}', now)).toBe('{\n  "a": 1\n}');
  });
});

describe('waysOf', () => {
  const transition = (name: string, more = {}) => ({
    ...{ name, from: ['open'], to: 'closed', roles: null, when: null, requires: [], sets: [], words: '' },
    ...more,
  });
  const machine = {
    field: 'status',
    transitions: [
      transition('reopen', { from: ['closed', 'solved'], to: 'open' }),
      transition('take', { from: ['solved'] }),
      transition('close', { roles: ['agent', 'lead'], when: { sql: '', words: 'own row' } }),
      transition('solve', { to: 'solved', requires: ['solution', 'note'] }),
    ],
  } as unknown as Machine;

  it('puts open transitions first with the fields that they require, and explains why the others are not open', () => {
    const states = { transitions: [{ field: 'status', name: 'solve' }], state_changes: [] };
    const ways = waysOf(machine, { status: 'open', solution: null, note: 'x' }, states);
    expect(ways.map(({ transition: { name }, isOpen, note }) => [name, isOpen, note])).toEqual([
      ['solve', true, 'asks for solution'],
      ['take', false, 'only from solved'],
      ['close', false, 'needs the role agent or lead, only when own row'],
    ]);
  });

  it('shows no transition as open before the server has responded', () => {
    expect(waysOf(machine, { status: 'open' }, null).some(({ isOpen }) => isOpen)).toBe(false);
  });
});

it('violatedRule finds the rule whose constraint or field an error names', () => {
  const rules = [
    { name: 'title_length', kind: 'check', fields: ['title'], sqlstate: '23514' },
    { name: 'required', kind: 'required', fields: ['title'], sqlstate: '23502' },
  ] as Rule[];
  const error = (code: string, message: string) => new ApiFailure(message, { code, status: 400 });
  const check = 'new row for relation "t" violates check constraint "title_length"';
  expect(violatedRule(error('23514', check), rules)?.name).toBe('title_length');
  expect(violatedRule(error('23502', 'null value in column "title" of relation "t"'), rules)?.kind).toBe('required');
  expect(violatedRule(error('23514', 'violates "other"'), rules)).toBeNull();
  expect(violatedRule(error('42501', check), rules)).toBeNull();
});

describe('readValues', () => {
  it('reads numbers with a decimal comma and lists with commas, and refuses a text that is no number', () => {
    const [price, tags] = [field('price', { type: 'numeric(10,2)' }), field('tags', { type: 'text[]' })];
    const now = new Date();
    expect(readValues([price, tags], { price: '1.234,5', tags: 'red, blue', other: 'x' }, now)).toEqual({
      ...{ price: '1234.5', tags: '{"red","blue"}', other: 'x' },
    });
    expect(readTyped(price, 'free', now).wrong).toBe('This is no number.');
    expect([readTyped(price, '1e3', now).value, readTyped(tags, '', now).value]).toEqual(['1e3', '{}']);
  });
});

describe('undoable', () => {
  const entity = entityFixture('t', { fields: [field('id'), field('title')] });
  const numbered = entityFixture('t', { fields: [field('id', { identity: 'always' }), field('title')] });
  const change = (more: Partial<SessionChange>): SessionChange => ({
    ...{ id: 1, at: 0, kind: 'update', what: '', how: '' },
    rows: [{ key: ['1'], before: { title: 'a' }, after: { title: 'b' } }],
    table: { ref: 'x', requestRole: 'service', entity },
    ...more,
  });
  const off = (one: SessionChange, ...rows: Row[]) =>
    undoable(one, new Map(rows.map((row) => [keyText([row.id ?? '']), row]))).off;

  it('returns null if the row still has the values that the change wrote, else the reason why the change cannot be undone', () => {
    expect(off(change({}), { id: '1', title: 'b' })).toBeNull();
    expect(off(change({}), { id: '1', title: 'c' })).toBe('title was changed since');
    expect(off(change({}))).toBe('the row was deleted since');
    expect(off(change({ kind: 'delete' }), { id: '1' })).toMatch(/inserted since/);
  });

  it('restores the rows of a change that were not changed since, and counts the others', () => {
    const rows = ['1', '2', '3'].map((key) => ({ key: [key], before: { title: key }, after: { title: 'x' } }));
    const stored = [
      { id: '1', title: 'x' },
      { id: '2', title: 'changed' },
    ].map((row) => [keyText([row.id]), row] as const);
    const found = undoable(change({ rows }), new Map(stored));
    expect([found.rows.map(({ key }) => key[0]), found.kept, found.off]).toEqual([['1'], 2, null]);
  });

  it('refuses to restore a deleted row as a member if the database would give it another key', () => {
    const deleted = (requestRole: string) =>
      change({ kind: 'delete', table: { ref: 'x', requestRole, entity: numbered } });
    expect(off(deleted('anon'))).toMatch(/^the database sets id/);
    expect(off(deleted('service'))).toBeNull();
    expect(off(change({ kind: 'delete' }))).toBeNull();
  });

  it('restores a deleted row with the number that the database gave it', () => {
    const rows = [{ key: ['7'], before: { id: '7', title: "it's" }, after: null }];
    expect(reinsertSql(numbered, rows)).toBe(
      `insert into public.t (id, title) overriding system value values\n('7', 'it''s');`,
    );
  });
});

it('anywhereParameter searches texts, values of enums, and numbers and ids of the right length', () => {
  const fields = [
    field('title', { type: 'text' }),
    field('state', { type: 'state', enum_values: ['open', 'on hold'] }),
    field('number', { type: 'integer' }),
    field('total', { type: 'bigint' }),
    field('id', { type: 'uuid' }),
  ];
  expect(anywhereParameter(fields, ' 123456789012 ')).toEqual([
    'or',
    '(title.ilike."*123456789012*",total.eq.123456789012)',
  ]);
  expect(anywhereParameter(fields, 'o')).toEqual(['or', '(title.ilike."*o*",state.in.("open","on hold"))']);
  const id = '6f9619ff-8b86-d011-b42d-00cf4fc964ff';
  expect(anywhereParameter(fields.slice(4), id)).toEqual(['or', `(id.eq.${id})`]);
  expect(anywhereParameter(fields.slice(2), 'x')).toEqual(['number', 'in.()']);
});

it('searchParameter escapes characters that have a meaning in a filter when it searches several fields for a string', () => {
  expect(searchParameter(['name', 'e"mail'], ' a,b* ')).toEqual([
    'or',
    '(name.ilike."*a,b*","e\\"mail".ilike."*a,b*")',
  ]);
  expect(searchParameter([], 'a')).toBeNull();
});
