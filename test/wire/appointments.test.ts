import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalNotifications } from '../../contract/notifications.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startMailServer, type TestMailServer } from '../support/mail-server.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { askNotifications } from '../support/notifications.ts';

let node: TestNode;
let server: TestMailServer;
let app: AppConnection;
/** Ada books, Stan is staff. */
let ada: Member;
let stan: Member;

beforeAll(async () => {
  server = await startMailServer();
  node = await startNode({ env: { NINEFOLD_HTTP_ALLOW: `127.0.0.1:${server.port}` } });
  app = await createApp(node, { template: 'booking' });
  [ada, stan] = await Promise.all([signUpMember(app, 'ada'), signUpMember(app, 'stan')]);
  await ada.client.auth.updateUser({ data: { time_zone: 'Asia/Tokyo', locale: 'en' } });
  await sql(`select ninefold.grant_role('${stan.user.id}', 'staff');
    update public.resources set name = 'Meeting room, first "floor"' where id = 1;
    insert into public.slots (resource, starts_at, ends_at) values (1, '2030-12-02 08:00+00', '2030-12-02 18:00+00')`);
  for (const [key, value] of Object.entries({
    smtp_host: '127.0.0.1',
    smtp_port: server.port,
    smtp_admin_email: 'rooms@example.com',
  })) {
    await admin(node, 'PUT', `/apps/${app.ref}/settings/${key}`, { value });
  }
});
afterAll(async () => {
  await node.stop();
  await server.close();
});

const patient = { timeout: 30_000, interval: 100 };
const sql = (text: string) => runSql(node, app.ref, text);
const superuser = async (text: string) =>
  withClient(await superuserUrl(node, `app_${app.ref}`), (client) => client.query(text));

/** Sends the mails that wait, and returns the next mail to a member, with its calendar file unfolded (RFC 5545, section 3.1). */
async function nextMail(member: Member) {
  server.mails.length = 0;
  await superuser(`update ninefold.notifications set mail_at = now() - interval '1 second' where mail_at is not null;
    select pg_notify('ninefold', '{"type":"mail"}')`);
  await expect.poll(() => server.mails.length, patient).toBe(1);
  const [mail] = server.mails;
  expect(mail?.to).toEqual([member.email]);
  const files = (mail?.parsed.attachments ?? []).map(({ contentType, filename, content }) => ({
    contentType,
    filename,
    lines: content.toString('utf8').replaceAll('\r\n ', '').split('\r\n'),
  }));
  return { subject: mail?.parsed.subject, text: mail?.parsed.text ?? '', files };
}

const propertyOf = (lines: readonly string[] | undefined, name: string) =>
  lines?.find((line) => line.startsWith(name))?.slice(name.length);

it('a member gets the calendar file of an own booking, its changes by staff, and its cancellation, as one entry of a calendar', async () => {
  const { data } = await ada.client
    .from('bookings')
    .insert({ resource: 1, starts_at: '2030-12-02T09:00:00Z', ends_at: '2030-12-02T10:00:00Z' })
    .select('id')
    .single()
    .throwOnError();
  const booked = await nextMail(ada);
  expect(booked.subject).toBe('Meeting room, first "floor": requested');
  expect(booked.text).toMatch(/Monday, 2 December 2030.* 18:00\s*–\s*19:00 GMT\+9/u);
  expect(booked.files).toHaveLength(1);
  const [file] = booked.files;
  expect([file?.contentType, file?.filename]).toEqual(['text/calendar', 'appointment.ics']);
  expect(file?.lines).toEqual(
    expect.arrayContaining([
      ...['METHOD:PUBLISH', 'STATUS:CONFIRMED', 'DTSTART:20301202T090000Z', 'DTEND:20301202T100000Z'],
      'SUMMARY:Meeting room\\, first "floor"',
      'ORGANIZER;CN="Booking":mailto:rooms@example.com',
    ]),
  );
  // The own change is no news in the app.
  const own = await notificationsOf(ada);
  expect([own.notifications, own.state.unread]).toEqual([[], 0]);

  await stan.client.from('bookings').update({ status: 'confirmed' }).eq('id', data.id).throwOnError();
  const shown = await notificationsOf(ada);
  expect(shown.notifications.map(({ kind, row }) => [kind, row.key])).toEqual([['appointment', { id: data.id }]]);
  // A member who has read the notification needs the file all the same.
  await askNotifications(app, ada, '', 'PUT', { read: 'all' });
  const confirmed = await nextMail(ada);
  expect(confirmed.subject).toBe('Meeting room, first "floor": confirmed');

  await ada.client.from('bookings').update({ status: 'cancelled' }).eq('id', data.id).throwOnError();
  const cancelled = await nextMail(ada);
  const [last] = cancelled.files;
  expect(last?.lines).toEqual(expect.arrayContaining(['METHOD:CANCEL', 'STATUS:CANCELLED']));
  const versions = [booked, confirmed, cancelled].map(({ files }) => files[0]?.lines);
  expect(new Set(versions.map((lines) => propertyOf(lines, 'UID:'))).size).toBe(1);
  const sequences = versions.map((lines) => Number(propertyOf(lines, 'SEQUENCE:')));
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  expect(new Set(sequences).size).toBe(3);
});

it('several changes of an appointment lead to one file, and a note alone to no mail', async () => {
  const { data } = await ada.client
    .from('bookings')
    .insert({ resource: 1, starts_at: '2030-12-02T12:00:00Z', ends_at: '2030-12-02T13:00:00Z' })
    .select('id')
    .single()
    .throwOnError();
  await stan.client.from('bookings').update({ ends_at: '2030-12-02T14:00:00Z' }).eq('id', data.id).throwOnError();
  const mail = await nextMail(ada);
  expect(mail.files.map(({ lines }) => propertyOf(lines, 'DTEND:'))).toEqual(['20301202T140000Z']);
  await stan.client.from('bookings').update({ note: 'Bring a cable' }).eq('id', data.id).throwOnError();
  const { rows } = await superuser('select from ninefold.notifications where mail_at is not null');
  expect(rows).toEqual([]);
});

it('times that no calendar has lead to a mail without a file, and a member gets at most ten mails within an hour', async () => {
  await sql(`create table public.visits (id bigint generated always as identity primary key, guest uuid, begins timestamptz);
    grant select on public.visits to authenticated;
    select ninefold.notify('public.visits', 'appointment', 'begins', tell => array['guest']);
    insert into public.visits (guest, begins) values ('${stan.user.id}', 'infinity')`);
  const mail = await nextMail(stan);
  expect([mail.subject, mail.files]).toEqual(['an entry', []]);
  await superuser(`insert into ninefold.mails (kind, recipient, user_id, state)
    select 'activity_notification', 'stan@example.com', '${stan.user.id}', 'sent' from generate_series(1, 9)`);
  await sql(`insert into public.visits (guest, begins) values ('${stan.user.id}', '2030-01-01 10:00+00')`);
  server.mails.length = 0;
  await superuser(`update ninefold.notifications set mail_at = now() - interval '1 second' where mail_at is not null`);
  // The booking that follows is due later, so its mail shows that the check has passed over the other one.
  await ada.client
    .from('bookings')
    .insert({ resource: 1, starts_at: '2030-12-02T16:00:00Z', ends_at: '2030-12-02T17:00:00Z' })
    .throwOnError();
  expect((await nextMail(ada)).subject).toMatch(/requested$/);
  const { rows } = await superuser('select from ninefold.notifications where mail_at is not null');
  expect(rows).toHaveLength(1);
});

it('the rule is refused for fields that hold no times, states that no machine has, and other kinds', async () => {
  const owner = (text: string) => sql(`select ninefold.notify('public.bookings', ${text})`);
  await expect(owner(`'appointment', 'people', tell => array['member']`)).rejects.toThrow(
    /has no field people of the type timestamptz/,
  );
  await expect(owner(`'appointment', 'starts_at'`)).rejects.toThrow(/tell names the fields/);
  await expect(
    owner(`'appointment', 'starts_at', tell => array['member'], cancelled => array['lost']`),
  ).rejects.toThrow(/no state machine of public.bookings leads to these states: lost/);
  await expect(owner(`'assignment', 'member', ends => 'ends_at'`)).rejects.toThrow(/belong to an appointment/);
  await sql('create table public.visits_at (id int primary key, guest uuid, at timestamptz)');
  await sql("select ninefold.notify('public.visits_at', 'appointment', 'at', tell => array['guest'])");
  await expect(sql('alter table public.visits_at rename column at to begins')).rejects.toThrow(/stop_notifying/);
  const { states } = (await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`)).chapters;
  expect(states?.notifications?.find(({ entity }) => entity === 'public.bookings')?.words).toBe(
    'When a row of bookings is added, and when starts_at, ends_at or status changes, the member in member gets a mail with a calendar file; it does not take place if status is cancelled',
  );
  const anonymous = clientOf(app, app.publishable_key);
  expect((await anonymous.rpc('appointment_of', { entity: 1, field: 'x', key: {} })).error?.code).toBe('PGRST202');
});

const notificationsOf = async (member: Member) => (await askNotifications<PortalNotifications>(app, member)).body;
