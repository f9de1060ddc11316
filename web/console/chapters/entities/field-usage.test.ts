import { describe, expect, it } from 'vitest';
import type { Chapters } from '../../../../contract/specification.ts';
import { fieldFixture as field } from '../../../../test/support/entity-fixture.ts';
import { fieldSentence, fieldUsage, names } from './field-usage.ts';

const cell = (role: string, operation: string, verdict: string, columns: string[] | null = null) => ({
  role,
  entity: 'public.tickets',
  operation,
  verdict,
  words: '',
  reason: '',
  policies: [],
  columns,
});
const chapters = {
  entities: {
    entities: [
      {
        id: 'public.tickets',
        schema: 'public',
        name: 'tickets',
        primary_key: ['id'],
        unique_keys: [['status']],
        fields: [field('id', { identity: 'always' }), field('status'), field('note', { nullable: true })],
      },
    ],
    relations: [
      {
        name: 'r',
        from: { schema: 'public', entity: 'messages', fields: ['ticket'] },
        to: { schema: 'public', entity: 'tickets', fields: ['id'] },
        kind: 'many-to-one',
        on_delete: 'cascade',
      },
    ],
    sources: [],
  },
  rules: {
    rules: [
      {
        id: 'a',
        entity: 'public.tickets',
        fields: ['status'],
        kind: 'check',
        words: 'status is new or open',
        name: 'c',
      },
      { id: 'b', entity: 'public.other', fields: ['status'], kind: 'check', words: '', name: 'c' },
    ],
    sources: [],
  },
  screens: {
    screens: [
      { route: '/a', entity: 'public.tickets', columns: ['status'], filter: null, order_by: null, state_field: null },
      { route: '/b', entity: 'public.tickets', columns: [], filter: 'note=is.null', order_by: null, state_field: null },
      { route: '/c', entity: 'public.tickets', columns: [], filter: null, order_by: 'notes.asc', state_field: null },
    ],
    sources: [],
  },
  states: {
    machines: [
      {
        id: 'public.tickets.status',
        entity: 'public.tickets',
        field: 'status',
        transitions: [
          { name: 'hold', requires: ['note'], sets: [], when: null },
          { name: 'open', requires: [], sets: [], when: { sql: 'note is null', words: '' } },
        ],
      },
    ],
    sources: [],
  },
  roles: {
    roles: [{ name: 'anon' }, { name: 'authenticated' }],
    cells: [
      cell('anon', 'select', 'when', ['id']),
      cell('authenticated', 'select', 'always'),
      cell('authenticated', 'insert', 'when'),
    ],
    policies: [
      { entity: 'public.tickets', name: 'p', using: "(status <> 'note')", check: null },
      { entity: 'public.tickets', name: 'q', using: null, check: '("note" is null)' },
    ],
    advice: [],
    sources: [],
  },
} as unknown as Chapters;

describe('names', () => {
  it.each([
    ["(status <> 'closed'::text)", 'status', true],
    ["(state <> 'status')", 'status', false],
    ['(tickets.status = 1)', 'status', true],
    ['status_of(id) = 1', 'status', false],
    ['status(id) = 1', 'status', false],
    ['"Order no" > 1', 'Order no', true],
    ['a /* status */ = 1', 'status', false],
  ])('reports for %s whether it names the field %s: %s', (sql, name, is) => expect(names(sql, name)).toBe(is));
});

describe('fieldUsage and fieldSentence', () => {
  const story = (name: string) => {
    const reported = fieldUsage(chapters, 'public.tickets', name);
    if (!reported) throw new Error(`no field ${name}`);
    return reported;
  };

  it('collect what every chapter contains about the field, and nothing about fields of other entities', () => {
    const { rules, policies, screens, machines } = story('status');
    expect(rules.map(({ id }) => id)).toEqual(['a']);
    expect(policies.map(({ name }) => name)).toEqual(['p']);
    expect(screens.map(({ route }) => route)).toEqual(['/a']);
    expect(machines.map(({ moves, transitions }) => [moves, transitions])).toEqual([[true, []]]);
    expect(story('id').pointedBy).toHaveLength(1);
  });

  it('find the field in filters, conditions and requirements of transitions', () => {
    const { policies, screens, machines } = story('note');
    expect(policies.map(({ name }) => name)).toEqual(['q']);
    expect(screens.map(({ route }) => route)).toEqual(['/b']);
    expect(machines.map(({ moves, transitions }) => [moves, transitions])).toEqual([[false, ['hold', 'open']]]);
  });

  it('list who may read and write the field, by the fields of each grant', () => {
    expect(story('note').access.map(({ read, insert, update }) => [read, insert, update])).toEqual([
      ['never', 'never', 'never'],
      ['always', 'when', 'never'],
    ]);
    expect(story('id').access[0]?.read).toBe('when');
  });

  it('describe the type, keys and rules of the field in one sentence', () => {
    expect(fieldSentence(story('status'))).toBe('Type text, unique, required: status is new or open.');
    expect(fieldSentence(story('id'))).toBe('Type text, part of the key, identity.');
    expect(fieldSentence(story('note'))).toBe('Type text, optional.');
  });

  it('name the keys over periods that contain the field', () => {
    const status = story('status');
    const entity = { ...status.entity, period_keys: [{ fields: ['status'], period: 'note' }] };
    expect(fieldSentence({ ...status, entity, rules: [] })).toBe(
      'Type text, unique, unique among rows whose note overlaps, required.',
    );
    expect(fieldSentence({ ...story('note'), entity })).toBe(
      'Type text, without overlaps among rows of the same status, optional.',
    );
  });

  it('return null for an unknown entity or field', () => {
    expect(fieldUsage(chapters, 'public.tickets', 'gone')).toBeNull();
    expect(fieldUsage({}, 'public.tickets', 'id')).toBeNull();
  });
});
