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

it('offers everything, in its order, before anything is typed', () => {
  expect(titles(' ')).toEqual(['Who may update tickets?', 'tickets', 'Data', 'Sign out']);
});

it('puts the best first within a group, and keeps the groups in their order', () => {
  expect(titles('t')).toEqual(['tickets', 'Who may update tickets?', 'Data', 'Sign out']);
});

it('says nothing of what does not fit', () => expect(titles('zzz')).toEqual([]));
