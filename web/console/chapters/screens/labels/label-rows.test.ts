import { expect, it } from 'vitest';
import type { Chapters } from '../../../../../contract/specification.ts';
import { changedKeys, labelProblems, labelRows, labelSql, missingFirst } from './label-rows.ts';

const chapters = {
  screens: {
    screens: [
      { route: '/tickets', title: 'Tickets', origin: 'defined', actions: ['public.take'] },
      { route: '/tickets/:id', title: 'Ticket', origin: 'derived' },
    ],
  },
  entities: {
    entities: [
      {
        ...{ id: 'public.tickets', schema: 'public', name: 'tickets', exposed: true },
        fields: [
          { name: 'status', enum_values: null },
          { name: 'size', enum_values: ['small', "it's big"] },
        ],
      },
      { id: 'auth.users', schema: 'auth', name: 'users', exposed: false, fields: [{ name: 'id', enum_values: null }] },
    ],
  },
  states: {
    machines: [
      {
        ...{ entity: 'public.tickets', field: 'status' },
        states: [{ name: 'new' }, { name: 'open' }],
        transitions: [{ name: 'take' }, { name: 'take' }],
      },
    ],
  },
  roles: { roles: [{ member_role: 'agent' }, { member_role: null }] },
} as unknown as Chapters;

const stored = {
  '/tickets': { label: 'Anfragen' },
  'public.tickets': { label: 'Anfragen', one: 'Anfrage', help: 'Hilfe' },
};

it('labelRows lists screens, entities, fields, values, transitions, roles and actions once, and missingFirst those without a label first', () => {
  const rows = labelRows(chapters);
  expect(rows.map(({ key }) => key)).toEqual([
    '/tickets',
    'public.tickets',
    'public.tickets.status',
    'public.tickets.status = new',
    'public.tickets.status = open',
    'public.tickets.status > take',
    'public.tickets.size',
    'public.tickets.size = small',
    "public.tickets.size = it's big",
    'role agent',
    'action public.take',
  ]);
  expect(missingFirst(rows, stored).at(-1)?.key).toBe('public.tickets');
  expect(missingFirst(rows, stored)[0]?.key).toBe('public.tickets.status');
});

it('labelSql sets, changes and removes labels, keeps the help, and takes each change back', () => {
  const drafts = {
    '/tickets': { label: '' },
    'public.tickets': { label: 'Fälle', one: 'Fall' },
    "public.tickets.size = it's big": { label: 'groß' },
    'role agent': { label: '  ' },
  };
  expect(changedKeys(drafts, stored)).toEqual(['/tickets', 'public.tickets', "public.tickets.size = it's big"]);
  const { sql, undo } = labelSql('de', labelRows(chapters), drafts, stored);
  const flat = (text: string) =>
    text
      .replace(/\s+/g, ' ')
      .replaceAll('( ', '(')
      .replaceAll(' )', ')')
      .split(/(?<=;) /);
  expect(flat(sql)).toEqual([
    "select ninefold.label(language => 'de', label => null, screen => '/tickets');",
    `select ninefold.label(language => 'de', label => 'Fälle', entity => '"public"."tickets"', one => 'Fall', help => 'Hilfe');`,
    `select ninefold.label(language => 'de', label => 'groß', entity => '"public"."tickets"', field => 'size', value => 'it''s big');`,
  ]);
  expect(flat(undo)).toEqual([
    "select ninefold.label(language => 'de', label => 'Anfragen', screen => '/tickets');",
    `select ninefold.label(language => 'de', label => 'Anfragen', entity => '"public"."tickets"', one => 'Anfrage', help => 'Hilfe');`,
    `select ninefold.label(language => 'de', label => null, entity => '"public"."tickets"', field => 'size', value => 'it''s big');`,
  ]);
  expect(labelProblems({ a: { label: 'x'.repeat(201) }, b: { label: '', one: 'y' }, c: { label: 'fine' } })).toEqual([
    'The label of a is longer than 200 characters.',
    'b needs a label before it has one for a single row.',
  ]);
});
