import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PortalField, PortalScreens } from '../../../contract/portal.ts';
import { changesSince } from '../screens/home/changes.ts';
import { lastVisit, recordVisit } from './last-visit.ts';
import { type MovableEntity, waitingRows } from './waiting.ts';

const field = (name: string, editor: PortalField['editor'], nullable = false): PortalField => ({
  ...{ name, label: name, help: null, editor, readable: true, insertable: true, updatable: true, required: false },
  ...{ nullable, values: null, reference: null, rules: [] },
});

const tickets = {
  ...{ id: 'tickets', key: ['id'], title_fields: ['subject'], one: 'ticket', opens: null },
  fields: [
    field('id', 'number'),
    field('subject', 'text'),
    field('customer', 'member'),
    field('agent', 'member', true),
  ],
  machine: {
    ...{ field: 'state', initial: 'new', undecided: null },
    states: [{ value: 'new', label: 'New', final: false }],
    transitions: [
      { name: 'take', label: 'Take', from: ['new'], to: 'open', requires: [], when: null },
      { name: 'drop', label: 'Drop', from: ['new'], to: 'dropped', requires: [], when: 'own row (by customer)' },
    ],
  },
} as unknown as MovableEntity;

const all = {
  ...{ roles: [], navigation: [], home: null, pages: [], entities: [tickets] },
  screens: [{ route: '/tickets/:id', kind: 'detail', entity: 'tickets' }],
} as unknown as PortalScreens;

const open = [{ field: 'state', name: 'take' }];
const row = (id: number, more: object) => ({
  id,
  state: 'new',
  customer: 'maren',
  agent: null,
  transitions: open,
  ...more,
});

describe('waitingRows', () => {
  it.each([
    ['a row that names the member', { agent: 'priya' }, ['own']],
    ['a row that no member has taken', {}, ['team']],
    ['no row that another member has taken', { agent: 'jonas' }, []],
    [
      'as under way a row that the member could only withdraw',
      { customer: 'priya', transitions: [{ field: 'state', name: 'drop' }] },
      ['underway'],
    ],
    ['no row without an open transition', { transitions: [] }, []],
  ])('returns %s', (_, more, expected) => {
    expect(waitingRows(all, tickets, [row(1, more)], 'priya').map(({ kind }) => kind)).toEqual(expected);
  });
});

describe('changesSince', () => {
  it('returns the last change of each row by another caller after the last visit, newest first', () => {
    const change = (to: string, member: string | null, at: string, from: string | null = 'new') => ({
      ...{ field: 'state', transition: null, from, to, member, at },
    });
    const rows = [
      row(1, {
        state_changes: [
          change('open', 'priya', '2026-11-02T10:00:00Z'),
          change('done', 'jonas', '2026-11-02T11:00:00Z'),
        ],
      }),
      row(2, { state_changes: [change('open', 'maren', '2026-11-02T12:00:00Z')] }),
      row(3, { state_changes: [change('open', 'jonas', '2026-11-01T10:00:00Z')] }),
      row(4, { state_changes: [change('new', null, '2026-11-02T13:00:00Z', null)] }),
    ];
    const found = changesSince(all, [{ entity: tickets, rows }], new Date('2026-11-02T00:00:00Z'), 'maren');
    expect(found.map(({ row: { id }, to, isNew, path }) => [id, to, isNew, path])).toEqual([
      [4, 'new', true, '/tickets/4'],
      [1, 'done', false, '/tickets/1'],
    ]);
  });
});

describe('recordVisit', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('begins a new visit after a pause of 30 minutes, and keeps the visits of members apart', () => {
    const stored = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
    });
    const minutes = (count: number) => count * 60_000;
    recordVisit('ada', minutes(1));
    recordVisit('ada', minutes(20));
    expect(lastVisit('ada')).toBeNull();
    recordVisit('ada', minutes(60));
    recordVisit('ada', minutes(70));
    expect(lastVisit('ada')).toEqual(new Date(minutes(20)));
    expect(lastVisit('gus')).toBeNull();
    stored.set('ninefold-visit ada', 'no JSON');
    expect(lastVisit('ada')).toBeNull();
  });
});
