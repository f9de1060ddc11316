import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../../contract/admin.ts';
import { createApp, runSql } from '../../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../../support/clients.ts';
import { expectSoundSpecification } from './sound-specification.ts';

const node = inject('node');

let app: AppConnection;
let ada: Member;
let bob: Member;
let staff: Member;

beforeAll(async () => {
  app = await createApp(node, { template: 'booking' });
  [ada, bob, staff] = await Promise.all([
    signUpMember(app, 'ada'),
    signUpMember(app, 'bob'),
    signUpMember(app, 'staff'),
  ]);
  await runSql(node, app.ref, `select ninefold.grant_role('${staff.user.id}', 'staff')`);
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Midnight UTC of a day late enough for every notice period. */
const day = Math.ceil(Date.now() / DAY) * DAY + 10 * DAY;
const at = (hour: number) => new Date(day + hour * HOUR).toISOString();

/** Creates a separate resource that is open on that day from 8 to 18. */
async function room(change: Record<string, unknown> = {}): Promise<number> {
  const { data } = await staff.client
    .from('resources')
    .insert({ name: `Room ${crypto.randomUUID()}`, capacity: 4, ...change })
    .select('id')
    .single()
    .throwOnError();
  await staff.client
    .from('slots')
    .insert({ resource: data.id, starts_at: at(8), ends_at: at(18) })
    .throwOnError();
  return data.id;
}

const book = ({ client }: Pick<Member, 'client'>, resource: number, from: number, to: number, more: object = {}) =>
  client
    .from('bookings')
    .insert({ resource, starts_at: at(from), ends_at: at(to), ...more })
    .select('id, status, contact, cancel_until')
    .single();

const move = ({ client }: Pick<Member, 'client'>, id: number, change: Record<string, unknown>) =>
  client.from('bookings').update(change).eq('id', id).select('status, confirmed_at, cancelled_at');

const freeOn = async (client: Member['client'], resource: number) => {
  const { data } = await client.rpc('free_times', { resource, from_time: at(0), to_time: at(24) }).throwOnError();
  return data.map((free: { starts_at: string; ends_at: string }) => [
    (Date.parse(free.starts_at) - day) / HOUR,
    (Date.parse(free.ends_at) - day) / HOUR,
  ]);
};

describe('a booking', () => {
  it('is requested, confirmed and completed, each step only by those who may take it', async () => {
    const id = await room();
    const { data } = await book(ada, id, 9, 10).throwOnError();
    expect(data).toMatchObject({ status: 'requested', contact: ada.email });
    expect(Date.parse(data.cancel_until)).toBe(day + 9 * HOUR - DAY);
    const own = await move(ada, data.id, { status: 'confirmed' });
    expect([own.status, own.error?.code]).toEqual([409, 'NF001']);
    expect((await move(bob, data.id, { status: 'cancelled' })).data).toEqual([]);
    expect((await move(staff, data.id, { status: 'confirmed' })).data).toMatchObject([
      { status: 'confirmed', confirmed_at: expect.any(String) },
    ]);
    const early = await move(staff, data.id, { status: 'done' });
    expect([early.status, early.error?.code]).toEqual([409, 'NF001']);
    await runSql(
      node,
      app.ref,
      `update public.slots set starts_at = starts_at - interval '60 days' where resource = ${id};
       update public.bookings set starts_at = starts_at - interval '20 days', ends_at = ends_at - interval '20 days' where id = ${data.id}`,
    );
    expect((await move(staff, data.id, { status: 'done' })).data).toMatchObject([{ status: 'done' }]);
    const over = await move(ada, data.id, { status: 'cancelled' });
    expect([over.status, over.error?.code]).toEqual([409, 'NF001']);
  });

  it('is refused if another booking has the same time, also if both arrive at once', async () => {
    const id = await room();
    const both = await Promise.all([book(ada, id, 9, 11), book(bob, id, 10, 12)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(both.find(({ error }) => error)?.error).toMatchObject({
      code: '23P01',
      hint: 'That time is taken: choose a free one.',
    });
    expect((await book(bob, id, 12, 13)).error).toBeNull();
    const other = await room();
    expect((await book(bob, other, 9, 11)).error).toBeNull();
  });

  it('frees its time when it is cancelled, and free_times shows that without names of members', async () => {
    const id = await room();
    const visitor = clientOf(app);
    expect(await freeOn(visitor, id)).toEqual([[8, 18]]);
    const { data } = await book(ada, id, 10, 12).throwOnError();
    expect(await freeOn(visitor, id)).toEqual([
      [8, 10],
      [12, 18],
    ]);
    expect((await bob.client.from('bookings').select('id').eq('resource', id)).data).toEqual([]);
    expect((await visitor.from('bookings').select('id')).error?.code).toBe('42501');
    await move(ada, data.id, { status: 'cancelled' }).throwOnError();
    expect(await freeOn(visitor, id)).toEqual([[8, 18]]);
    expect((await book(bob, id, 10, 12)).error).toBeNull();
  });

  it('can be cancelled by the member until the notice period begins, then by staff with a reason', async () => {
    const id = await room({ notice: '30 days' });
    const { data } = await book(ada, id, 9, 10).throwOnError();
    await move(staff, data.id, { status: 'confirmed' }).throwOnError();
    const late = await move(ada, data.id, { status: 'cancelled' });
    expect([late.status, late.error?.code]).toEqual([409, 'NF001']);
    const mute = await move(staff, data.id, { status: 'cancelled' });
    expect([mute.status, mute.error?.code]).toEqual([409, 'NF003']);
    expect((await move(staff, data.id, { status: 'cancelled', reason: 'The heating is out.' })).data).toMatchObject([
      { status: 'cancelled', cancelled_at: expect.any(String) },
    ]);
  });

  it.each([
    ['BK003', { resource: 0 }],
    ['BK004', { people: 5 }],
    ['BK005', { ends_at: at(9.25) }],
    ['BK005', { ends_at: at(14) }],
    ['BK006', { starts_at: '2020-01-01T09:00:00Z', ends_at: '2020-01-01T10:00:00Z' }],
    ['BK007', { starts_at: at(7), ends_at: at(9) }],
    ['BK007', { starts_at: at(33), ends_at: at(34) }],
    ['23514', { people: 0 }],
    ['23514', { contact: '' }],
  ])('is refused with %s for the invalid values %j', async (code, change) => {
    const id = await room();
    const { status, error } = await book(ada, id, 9, 10, change);
    expect([status, error?.code]).toEqual([400, code]);
    expect(error?.hint).toMatch(/\w{3}/);
  });

  it('can be moved by the member while it is a request, and by staff alone after it is confirmed', async () => {
    const id = await room();
    const { data } = await book(ada, id, 9, 10).throwOnError();
    expect((await move(ada, data.id, { starts_at: at(10), ends_at: at(11) })).error).toBeNull();
    await move(staff, data.id, { status: 'confirmed' }).throwOnError();
    expect((await move(ada, data.id, { starts_at: at(12), ends_at: at(13) })).error?.code).toBe('BK002');
    expect((await move(ada, data.id, { note: 'not agreed' })).error?.code).toBe('BK002');
    expect((await move(ada, data.id, { reason: 'staff said so' })).error?.code).toBe('BK008');
    expect((await move(staff, data.id, { starts_at: at(12), ends_at: at(13) })).error).toBeNull();
    expect(await freeOn(ada.client, id)).toEqual([
      [8, 12],
      [13, 18],
    ]);
  });

  it('can be made by staff for a member, and not by one member for another', async () => {
    const id = await room();
    expect((await book(staff, id, 9, 10, { member: ada.user.id, contact: '+43 1 000' })).error).toBeNull();
    expect((await ada.client.from('agenda').select('contact, starts_at').eq('contact', '+43 1 000')).data).toHaveLength(
      1,
    );
    const refused = await book(bob, id, 11, 12, { member: ada.user.id });
    expect([refused.status, refused.error?.code]).toEqual([403, '42501']);
  });
});

describe('resources and slots', () => {
  it('exist from the beginning and are visible to everybody', async () => {
    const { data } = await clientOf(app)
      .from('resources')
      .select('name, slots(count)')
      .in('name', ['Meeting room', 'Consultation']);
    expect(data).toHaveLength(2);
    for (const { slots } of data ?? []) expect(slots[0]?.count).toBeGreaterThanOrEqual(60);
  });

  it('are visible only to staff if they are inactive', async () => {
    const id = await room({ active: false });
    for (const { client } of [{ client: clientOf(app) }, ada]) {
      expect((await client.from('resources').select('id').eq('id', id)).data).toEqual([]);
      expect((await client.from('slots').select('id').eq('resource', id)).data).toEqual([]);
      expect(await freeOn(client, id)).toEqual([]);
    }
    expect((await staff.client.from('slots').select('id').eq('resource', id)).data).toHaveLength(1);
  });

  it('can be changed only by staff', async () => {
    expect((await ada.client.from('resources').insert({ name: 'Mine' })).error?.code).toBe('42501');
    const id = await room();
    const opened = await ada.client.rpc('open_days', {
      ...{ resource: id, first: '2031-01-06', last: '2031-01-12', opens: '08:00', closes: '18:00' },
    });
    expect([opened.status, opened.error?.code]).toEqual([403, '42501']);
    const twice = await staff.client.from('slots').insert({ resource: id, starts_at: at(17), ends_at: at(19) });
    expect(twice.error).toMatchObject({ code: '23P01', hint: expect.stringContaining('slots do not overlap') });
    await book(ada, id, 9, 10).throwOnError();
    expect((await staff.client.from('resources').delete().eq('id', id)).error).toMatchObject({
      code: '23503',
      hint: 'A resource with bookings stays: set it inactive instead.',
    });
  });

  it('open on weekdays in their own time zone, in summer and winter time, and on single dates', async () => {
    const id = await room({ time_zone: 'Europe/Vienna' });
    const days = { resource: id, first: '2031-03-28', last: '2031-04-01', opens: '08:00', closes: '10:00' };
    expect((await staff.client.rpc('open_days', days)).data).toBe(3);
    expect((await staff.client.rpc('open_days', days)).data).toBe(0);
    const { data } = await staff.client
      .from('slots')
      .select('starts_at')
      .eq('resource', id)
      .gt('starts_at', '2031-01-01')
      .order('id');
    expect(data?.map(({ starts_at }) => new Date(starts_at).toISOString())).toEqual([
      '2031-03-28T07:00:00.000Z',
      '2031-03-31T06:00:00.000Z',
      '2031-04-01T06:00:00.000Z',
    ]);
    expect((await staff.client.rpc('open_days', { ...days, closes: '07:00' })).error?.code).toBe('BK001');
    const nowhere = await staff.client.from('resources').insert({ name: 'Nowhere', time_zone: 'Mars/Olympus' });
    expect(nowhere.status).toBe(400);
  });
});

it('the template has a complete specification: content in every chapter, no broken screen, no advice', () =>
  expectSoundSpecification(node, app.ref, {
    machine: 'public.bookings',
    codes: ['BK001', 'BK002', 'BK003', 'BK004', 'BK005', 'BK006', 'BK007', 'BK008'],
  }));
