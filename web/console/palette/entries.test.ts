import { IconApps } from '@tabler/icons-react';
import { expect, it } from 'vitest';
import { type Entry, find } from './entries.ts';

const entry = (group: string, title: string): Entry => ({ group, title, about: '', sign: IconApps, run: () => {} });
const entries = [
  entry('In the specification', 'Who may update tickets?'),
  entry('In the specification', 'tickets'),
  entry('Tools', 'Data'),
  entry('Do', 'Sign out'),
];
const titles = (query: string) => find(entries, query).map(({ title }) => title);

it('find returns all entries in their order if the query is empty', () => {
  expect(titles(' ')).toEqual(['Who may update tickets?', 'tickets', 'Data', 'Sign out']);
});

it('find sorts the matches within each group, and keeps the order of the groups', () => {
  expect(titles('t')).toEqual(['tickets', 'Who may update tickets?', 'Data', 'Sign out']);
});

it('find returns no entry for a query that matches none', () => expect(titles('zzz')).toEqual([]));
