import { describe, expect, it } from 'vitest';
import type {
  PortalEditor,
  PortalEntity,
  PortalField,
  PortalMachine,
  PortalScreens,
} from '../../../contract/portal.ts';
import { rowName } from '../fields/value.tsx';
import { figureScales } from '../screens/figures/figure-scales.ts';
import { fittingColumns } from '../screens/rows/row-line.tsx';
import type { Portal } from './client.ts';
import { conversationOf } from './conversation.ts';
import { moveRow } from './transitions.ts';

const field = (name: string, editor: PortalEditor = 'text', more: Partial<PortalField> = {}): PortalField => ({
  ...{ name, label: name, help: null, editor, readable: true, insertable: true, updatable: true, required: false },
  ...{ nullable: true, values: null, reference: null, rules: [] },
  ...more,
});

const entity = (fields: readonly PortalField[], titles: readonly string[], key: readonly string[] = ['id']) =>
  ({
    one: 'repair',
    name: 'repairs',
    schema: null,
    key,
    title_fields: titles,
    fields,
    machine: null,
  }) as unknown as PortalEntity;

describe('conversationOf', () => {
  const body = field('message', 'long text', { required: true });
  const author = field('written_by', 'member');
  it('returns the body and the author of messages', () => {
    const messages = entity([field('id'), field('repair', 'number', { required: true }), body, author], ['message']);
    expect(conversationOf(messages, 'repair')).toEqual({ body, author });
  });

  it.each([
    ['no author', [body]],
    ['a day', [body, author, field('visited', 'date')]],
    ['a further required value', [body, author, field('hours', 'number', { required: true })]],
    ['no long text', [author, field('message')]],
  ])('returns null if the rows have %s', (_, fields) => {
    expect(conversationOf(entity(fields, ['message']), 'repair')).toBeNull();
  });
});

describe('figureScales', () => {
  it('gives fields of one unit the same scale, and fields of other units their own', () => {
    const fields = [field('planned', 'number'), field('used', 'number'), field('visitors', 'number'), field('hall')];
    const scales = figureScales(fields, [{ planned: 40_000, used: -8_000, visitors: 12, hall: 'East' }]);
    expect(Object.fromEntries(scales)).toEqual({ planned: 40_000, used: 40_000, visitors: 12 });
  });
});

describe('fittingColumns', () => {
  it('keeps the label and the required fields of a wide table, whatever their types are', () => {
    const fields = ['a', 'b', 'c', 'd'].map((name) => field(name));
    const columns = [field('made', 'date and time', { filled_by: 'database' }), ...fields];
    const part = field('part', 'long text', { required: true });
    const shown = fittingColumns({ title_fields: ['d'], machine: null }, [...columns, part], 4);
    expect(shown.map(({ name }) => name)).toEqual(['a', 'b', 'd', 'part']);
  });
});

/** The screens of a caller who may open none. */
const none: PortalScreens = { roles: [], navigation: [], home: null, screens: [], pages: [], entities: [] };

describe('rowName', () => {
  it('names a row that belongs to another row and a time by the label of that row and the time', () => {
    const room = { ...entity([field('name')], ['name']), id: 'rooms' };
    const reference = { entity: 'rooms', field: 'id', key: 'of_room' };
    const of = field('room', 'reference', { reference });
    const booking = { ...entity([of, field('starts', 'date and time')], ['room', 'starts']), id: 'bookings' };
    const visit = entity(
      [field('booking', 'reference', { reference: { ...reference, entity: 'bookings' } })],
      ['booking'],
    );
    const all = { ...none, entities: [room, booking] };
    const starts = `${new Date().getFullYear()}-12-02T10:00:00`;
    const row = { id: 1, room: 4, starts, '~room': { id: 4, name: 'Meeting room' } };
    expect(rowName(all, booking, row)).toBe('Meeting room, December 2, 10:00 AM');
    expect(rowName(all, booking, { ...row, starts: '2019-12-02T10:00:00' })).toBe(
      'Meeting room, December 2, 2019, 10:00 AM',
    );
    expect(rowName(all, visit, { id: 9, booking: 1, '~booking': row })).toBe('Meeting room, December 2, 10:00 AM');
    expect(rowName(all, visit, { id: 9, booking: 1 })).toBe('repair 9');
  });

  it.each([
    [['mail'], { id: 7, mail: 'ada@farm.example' }, 'repair 7'],
    [['mail'], { id: '60ecf9fa-0000-4000-8000-000000000001', mail: null }, 'repair'],
    [['kind', 'day'], { id: 1, kind: 'oil', day: '2026-03-05' }, 'Oil change Mar 5, 2026'],
  ])('names a row by the fields %j of %j as %s', (titles, row, expected) => {
    const kinds = field('kind', 'enum', { values: [{ value: 'oil', label: 'Oil change' }] });
    expect(rowName(none, entity([field('id'), field('mail'), kinds, field('day', 'date')], titles), row)).toBe(
      expected,
    );
  });

  it('names a row with a key of several fields by all of its numbers and texts', () => {
    expect(rowName(none, entity([], [], ['car', 'visit']), { car: 1, visit: 'A-2' })).toBe('repair 1 · A-2');
  });
});

describe('moveRow', () => {
  const machine = { field: 'stage' } as PortalMachine;
  it.each([
    ['refused', [{ stage: 'new' }]],
    ['changed', [{ stage: 'done' }]],
    ['changed', []],
  ])('returns %s if no row was changed and the row read again is %j', async (expected, now) => {
    const before = globalThis.fetch;
    globalThis.fetch = async (_, init) => Response.json(init?.method === 'PATCH' ? [] : now);
    try {
      const portal = {
        app: { publishable_key: '' },
        auth: { getSession: async () => ({ data: { session: null } }) },
      } as unknown as Portal;
      const move = { row: { id: 1, stage: 'new' }, to: 'done', values: {} };
      expect(await moveRow(portal, entity([field('id', 'number')], []), machine, move)).toBe(expected);
    } finally {
      globalThis.fetch = before;
    }
  });
});
