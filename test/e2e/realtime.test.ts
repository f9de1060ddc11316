import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { runSql } from '../support/apps.ts';
import type { Member } from '../support/clients.ts';
import { RawSocket } from '../support/realtime.ts';
import { type Console, openWithMember, sizes } from './console.ts';

const sql = `
  create table public.notes (id int primary key, body text);
  grant all on public.notes to anon, authenticated, service_role;
  create policy rooms on realtime.messages for select to authenticated using (realtime.topic() like 'room:%');
  create policy speakers on realtime.messages for insert to authenticated with check (realtime.topic() like 'room:%');
`;

let site: Console;
let app: AppConnection;
let member: Member;
beforeAll(async () => {
  ({ site, app, member } = await openWithMember(sql));
});
afterAll(() => site.close());

it('the page Realtime shows sockets, publishes a table, and joins a channel as a member', async () => {
  const socket = await new RawSocket(app).opened();
  await socket.join('lobby');
  const { page, context, problems } = await site.visit(`/app/${app.ref}/realtime`);
  await page.getByText('1 socket is').waitFor();
  await page.getByRole('table', { name: 'Channels' }).getByText('lobby').waitFor();

  const table = page.getByRole('switch', { name: 'notes' });
  expect(await table.getAttribute('aria-checked')).toBe('false');
  await table.click();
  await page.getByRole('switch', { name: 'notes', checked: true }).waitFor();

  await page.getByRole('button', { name: 'Join a channel' }).click();
  const panel = page.getByRole('complementary', { name: 'Join a channel' });
  await panel.getByRole('button', { name: /^Channel as seen by/ }).click();
  await page.getByRole('menuitem', { name: 'a member…' }).click();
  await page.getByRole('button', { name: new RegExp(member.email) }).click();
  await panel.getByRole('textbox', { name: 'Channel' }).fill('room:1');
  await panel.getByRole('checkbox', { name: /^Private/ }).check();
  await panel.getByRole('combobox', { name: 'Changes of' }).selectOption('public.notes');
  await panel.getByRole('button', { name: 'Join', exact: true }).click();
  await panel.getByText('Joined “room:1”').waitFor();
  const messages = panel.getByRole('list', { name: 'Messages of the channel' });
  await panel.getByRole('button', { name: 'Send broadcast' }).click();
  await messages.getByText('received: broadcast greeting').waitFor();
  await messages.getByText('Subscribed to PostgreSQL').waitFor();
  await runSql(site.node, app.ref, "insert into public.notes values (1, 'seen')");
  await messages.getByText('insert notes').waitFor();

  await panel.getByRole('button', { name: 'Leave' }).click();
  await panel.getByRole('textbox', { name: 'Channel' }).fill('secret');
  await panel.getByRole('button', { name: 'Join', exact: true }).click();
  await panel.getByText('No policy lets authenticated join “secret”: “rooms” lets join if').waitFor();

  await page.getByRole('switch', { name: 'Private channels only' }).click();
  await page.getByRole('switch', { name: 'Private channels only', checked: true }).waitFor();
  expect(problems).toEqual([]);
  const folder = process.env.SCREENSHOTS;
  if (folder) {
    for (const [name, size] of Object.entries(sizes)) {
      for (const scheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme: scheme });
        await page.screenshot({ path: `${folder}/realtime-${name}-${scheme}.png` });
      }
    }
    await panel.getByRole('button', { name: /^Close/ }).click();
    await page.screenshot({ path: `${folder}/realtime-phone-page.png` });
  }
  socket.close();
  await context.close();
});

it('chapters 6 and 7 show who receives changes, who joins, and a program for a published table', async () => {
  await runSql(site.node, app.ref, 'alter publication supabase_realtime set table public.notes');
  const { page, context, problems } = await site.visit(`/app/${app.ref}/roles`);
  await page.getByText('Realtime: who receives changes of rows').waitFor();
  await page.getByRole('table', { name: 'Rights on private channels' }).getByText('room:%').first().waitFor();
  const folder = process.env.SCREENSHOTS;
  if (folder) {
    await page.getByText('Realtime: who receives changes of rows').scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${folder}/chapter-6.png` });
  }
  await page.goto(`${site.node.url}/app/${app.ref}/calls?call=realtime.public.notes.changes`);
  await page.getByText('Receives INSERT, UPDATE, DELETE of rows of notes').first().waitFor();
  await page.getByText('postgres_changes').first().waitFor();
  expect(problems).toEqual([]);
  if (folder) await page.screenshot({ path: `${folder}/chapter-7.png` });
  await context.close();
});
