import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { NotificationChoices, NotificationState, PortalNotifications } from '../../contract/notifications.ts';
import type { PortalApp } from '../../contract/portal.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startMailServer, type TestMailServer } from '../support/mail-server.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { askNotifications } from '../support/notifications.ts';

let node: TestNode;
let server: TestMailServer;
let app: AppConnection;
/** Cora is a customer, Gus and Lea are agents. */
let cora: Member;
let gus: Member;
let lea: Member;

beforeAll(async () => {
  server = await startMailServer();
  node = await startNode({ env: { NINEFOLD_WORKERS: '2', NINEFOLD_HTTP_ALLOW: `127.0.0.1:${server.port}` } });
});
afterAll(async () => {
  await node.stop();
  await server.close();
});
beforeEach(async () => {
  app = await createApp(node, { template: 'helpdesk' });
  [cora, gus, lea] = await Promise.all([signUpMember(app, 'cora'), signUpMember(app, 'gus'), signUpMember(app, 'lea')]);
  await sql(
    `insert into public.agents (id, name) values ('${gus.user.id}', 'Gus Miller'), ('${lea.user.id}', 'Lea Brown')`,
  );
  server.mails.length = 0;
});

const patient = { timeout: 30_000, interval: 100 };
const sql = (text: string) => runSql(node, app.ref, text);
const superuser = async (text: string) =>
  withClient(await superuserUrl(node, `app_${app.ref}`), (client) => client.query(text));

const ask = <T>(member: Member, path = '', method = 'GET', body?: unknown) =>
  askNotifications<T>(app, member, path, method, body);

const read = async (member: Member, query = '') => (await ask<PortalNotifications>(member, query)).body;

/** Returns the notifications of a member in words. */
const told = async (member: Member) =>
  (await read(member)).notifications.map(
    ({ kind, transition, row, part }) =>
      `${transition ?? kind} ${row.entity} ${row.key.id}${part ? ` ${part.entity} ${part.key.id}` : ''}`,
  );

async function openTicket(): Promise<number> {
  const { data } = await cora.client
    .from('tickets')
    .insert({ subject: 'Charged <b>twice</b>', description: 'In November.' })
    .select('id')
    .single()
    .throwOnError();
  return data.id;
}

it('tells customer and agents of what the rules of the template name, and the calls show it to each of them alone', async () => {
  const id = await openTicket();
  await lea.client.from('tickets').update({ assignee: gus.user.id, status: 'open' }).eq('id', id).throwOnError();
  await gus.client.from('comments').insert({ ticket: id, body: 'Ask @Lea Brown' }).throwOnError();
  await gus.client.from('comments').insert({ ticket: id, body: '@lea: a note', internal: true }).throwOnError();
  await gus.client.from('tickets').update({ status: 'solved', solution: 'Refunded' }).eq('id', id).throwOnError();
  await cora.client.from('tickets').update({ status: 'open' }).eq('id', id).throwOnError();
  expect(await told(cora)).toEqual([`solve tickets ${id}`, `reference tickets ${id} comments 1`]);
  expect(await told(gus)).toEqual([`reopen tickets ${id}`, `assignment tickets ${id}`]);
  expect(await told(lea)).toEqual([`mention tickets ${id} comments 2`, `mention tickets ${id} comments 1`]);

  const page = await read(cora);
  expect(page).toMatchObject({ state: { unread: 2 }, kinds: ['reference', 'transition'], next: null });
  expect(JSON.stringify(page)).not.toMatch(/twice|Refunded/);
  expect((await read(cora, '?kind=reference')).notifications).toHaveLength(1);
  const [newest, oldest] = page.notifications;
  // A member marks only own notifications.
  expect((await ask(gus, '', 'PUT', { read: [newest?.id] })).status).toBe(200);
  expect((await ask<NotificationState[]>(cora, '/state')).body).toMatchObject([{ unread: 2, newest: newest?.id }]);
  expect((await ask<NotificationState[]>(cora, '', 'PUT', { read: [newest?.id] })).body).toMatchObject([{ unread: 1 }]);
  expect((await read(cora, '?unread=true')).notifications.map((one) => one.id)).toEqual([oldest?.id]);
  expect((await ask<NotificationState[]>(cora, '', 'PUT', { read: 'all' })).body).toMatchObject([{ unread: 0 }]);
  for (const body of [{ read: [] }, { read: ["1' or true"] }, { read: 'some' }, { all: true }]) {
    expect((await ask(cora, '', 'PUT', body)).status).toBe(400);
  }
  expect([(await ask(cora, '?before=x')).status, (await ask(cora, '/other')).status]).toEqual([400, 404]);
  const anonymous = await fetch(`${app.url}/portal/v1/notifications`, { headers: { apikey: app.publishable_key } });
  expect(anonymous.status).toBe(400);

  // A row that the member may no longer read is not shown and not counted.
  await sql(`update public.tickets set customer = '${lea.user.id}' where id = ${id}`);
  expect(await read(cora)).toMatchObject({ state: { unread: 0, newest: null }, kinds: [], notifications: [] });

  const { states } = (await admin<Specification>(node, 'GET', `/apps/${app.ref}/specification`)).chapters;
  expect(states?.notifications?.map(({ words, problems }) => [words, problems])).toEqual([
    ['When body of comments contains @ and the name of a member, this member is told, about the row of tickets', []],
    ['When a row of comments is added, the members in customer and assignee of the row of tickets are told', []],
    ['When assignee of tickets is set to a member, this member is told', []],
    [
      'When status of tickets changes by ask, solve, withdraw or reopen, the members in customer and assignee are told',
      [],
    ],
  ]);
});

it('sends a mail at once and one a day, with the words that the member may read, and stops by one click', async () => {
  for (const [key, value] of Object.entries({
    smtp_host: '127.0.0.1',
    smtp_port: server.port,
    smtp_admin_email: 'desk@example.com',
  })) {
    await admin(node, 'PUT', `/apps/${app.ref}/settings/${key}`, { value });
  }
  await sql(`select ninefold.set_look(accent => '#aa3300')`);
  const id = await openTicket();
  await lea.client.from('tickets').update({ assignee: gus.user.id, status: 'open' }).eq('id', id).throwOnError();
  await gus.client.from('comments').insert({ ticket: id, body: 'Which <i>card</i>?' }).throwOnError();
  await gus.client.from('comments').insert({ ticket: id, body: 'Secret', internal: true }).throwOnError();
  await gus.client.from('tickets').update({ status: 'waiting' }).eq('id', id).throwOnError();
  const choices = { kind: 'transition', in_app: true, mail: 'now', time_zone: 'Europe/Berlin' };
  expect((await ask(cora, '/choices', 'PUT', { ...choices, time_zone: 'Mars/Base' })).status).toBe(400);
  const chosen = await ask<NotificationChoices>(cora, '/choices', 'PUT', choices);
  expect(chosen).toMatchObject({ status: 200 });
  expect(chosen.body.choices.map(({ kind, mail, of_week }) => [kind, mail, of_week])).toEqual([
    ['mention', 'now', 0],
    ['assignment', 'daily', 0],
    ['reference', 'now', 1],
    ['transition', 'now', 1],
  ]);
  await cora.client.from('tickets').update({ status: 'open' }).eq('id', id).throwOnError();
  await gus.client.from('tickets').update({ status: 'solved', solution: 'Refunded' }).eq('id', id).throwOnError();
  const dueNow = `update ninefold.notifications set mail_at = now() - interval '1 second' where mail_at is not null;
    select pg_notify('ninefold', '{"type":"mail"}')`;
  await superuser(dueNow);
  await expect.poll(() => server.mails.length, patient).toBe(2);
  const mailTo = (member: Member) => server.mails.filter(({ to }) => to.includes(member.email));
  const [mail] = mailTo(cora);
  expect(mail?.parsed.subject).toBe('3 notifications · Helpdesk');
  expect(mail?.parsed.text).toContain('Gus Miller changed Charged <b>twice</b> to “solved”');
  expect(mail?.parsed.text).toContain('Gus Miller added to Charged <b>twice</b>');
  expect(mail?.parsed.text).toContain('Which <i>card</i>?');
  expect(mail?.parsed.text).not.toContain('Secret');
  expect(mail?.parsed.html).toContain('background: #aa3300');
  expect(mail?.parsed.html).not.toMatch(/<b>twice|<i>card/);
  expect(mail?.parsed.html).toContain('/account/notifications/choices');
  // Agents read the names of all members from their accounts as customers.
  expect(mailTo(gus)[0]?.parsed.subject).toMatch(/^lea-\w+ assigned Charged <b>twice<\/b> to you$/);

  const unsubscribe = /<(.+)>/.exec(
    String(mail?.parsed.headerLines.find(({ key }) => key === 'list-unsubscribe')?.line),
  )?.[1];
  expect(mail?.parsed.headerLines.find(({ key }) => key === 'list-unsubscribe-post')?.line).toContain('One-Click');
  const address = new URL(unsubscribe ?? '');
  const click = (method: string, key = address.searchParams.get('key')) =>
    fetch(`${app.url}/portal/v1/notifications/unsubscribe?key=${key}`, {
      method,
      redirect: 'manual',
      ...(method === 'POST' && { body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) }),
    });
  expect((await click('GET')).status).toBe(303);
  expect((await click('POST', '00000000-0000-4000-8000-000000000000')).status).toBe(404);
  expect((await click('POST', "x' or true")).status).toBe(404);
  expect((await click('POST')).status).toBe(200);
  expect((await ask<NotificationChoices>(cora, '/choices')).body.choices.map((one) => one.mail)).toEqual(
    Array(4).fill('never'),
  );
  await gus.client.from('comments').insert({ ticket: id, body: 'Anything else?' }).throwOnError();
  await gus.client.from('comments').insert({ ticket: id, body: '@Lea Brown, please look' }).throwOnError();
  // A notification that was read gets no mail.
  await lea.client.from('comments').insert({ ticket: id, body: 'I look' }).throwOnError();
  await ask(gus, '', 'PUT', { read: 'all' });
  await superuser(dueNow);
  await expect.poll(() => server.mails.length, patient).toBe(3);
  expect(mailTo(lea)[0]?.parsed.subject).toMatch(/^gus-\w+ mentioned you in Charged <b>twice<\/b>$/);
  const { rows } = await superuser('select count(*)::int as n from ninefold.notifications where mail_at is not null');
  expect(rows).toEqual([{ n: 0 }]);
  // The link that ends the mails is not kept.
  expect(
    (await superuser(`select from ninefold.mails where state = 'sent' and data ? 'UnsubscribeURL'`)).rowCount,
  ).toBe(0);
});

it('says whether an app has rules, and pages through the notifications', async () => {
  const shown = async () => ((await (await fetch(`${app.url}/portal/v1/app`)).json()) as PortalApp).notifies;
  expect(await shown()).toBe(true);
  const id = await openTicket();
  await sql(
    `insert into public.comments (ticket, author_name, body) select ${id}, 'Import', 'n' from generate_series(1, 60)`,
  );
  const first = await read(cora);
  expect([first.notifications.length, first.state.unread]).toEqual([50, 60]);
  const second = await read(cora, `?before=${first.next}`);
  expect([second.notifications.length, second.next]).toEqual([10, null]);
  expect(new Set([...first.notifications, ...second.notifications].map((one) => one.id)).size).toBe(60);
  await sql('select ninefold.stop_notifying(r.entity, r.kind, r.field) from ninefold.notification_rules r');
  expect(await shown()).toBe(false);
  const { rows } = await superuser(`select from pg_trigger where tgname like 'zz_ninefold_tell%'`);
  expect(rows).toEqual([]);
});
