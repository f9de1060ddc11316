import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type Console, openConsole, sizes } from './console.ts';
import { inBoth, signUpOnPages } from './portal-pages.ts';

let site: Console;
let desk: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  desk = await createApp(site.node, { template: 'helpdesk' });
});
afterAll(() => site.close());

const sql = (text: string) => runSql(site.node, desk.ref, text);
const bell = (page: Page, name: string | RegExp) => page.getByRole('banner').getByRole('link', { name });
const unread = (page: Page) => page.locator('li[data-unread]');

it('a member hears of an answer at once, opens it, takes a transition, and chooses what to hear of', async () => {
  const { page, context, problems, email } = await signUpOnPages(site, desk, 'Priya Nair', 'wide');
  const socket = page.waitForEvent('websocket', (found) => found.url().includes('/realtime/v1'));
  const followed = new Promise<void>((resolve) => {
    page.on('websocket', (found) =>
      found.on('framereceived', ({ payload }) => {
        if (String(payload).includes('live:ninefold:/notifications') && String(payload).includes('"page"')) resolve();
      }),
    );
  });
  await sql(`insert into public.tickets (subject, description, customer, status)
      select 'Charged twice', 'In November.', id, 'open' from public.customers where email = '${email}'`);
  const ruth = await signUpMember(desk, 'ruth');
  await sql(`insert into public.agents (id, name) values ('${ruth.user.id}', 'Ruth Okoye')`);
  await page.reload();
  await bell(page, 'No new notifications').waitFor();
  await socket;
  await followed;
  const { data: ticket } = await ruth.client.from('tickets').select('id').single().throwOnError();
  await ruth.client.from('comments').insert({ ticket: ticket.id, body: 'Which card was it?' }).throwOnError();
  await ruth.client.from('tickets').update({ status: 'waiting' }).eq('id', ticket.id).throwOnError();
  // The live list brings the number, before the page would ask for it.
  await bell(page, '2 new notifications').waitFor({ timeout: 15_000 });
  await bell(page, '2 new notifications').click();
  await page.getByText('Ruth Okoye changed Charged twice to Waiting').waitFor();
  await page.getByText('“Which card was it?”').waitFor();
  expect(await unread(page).count()).toBe(2);
  await inBoth(page);
  await page.setViewportSize(sizes.phone);
  await inBoth(page);
  await page.setViewportSize(sizes.wide);

  await page.keyboard.press('j');
  await page.keyboard.press('u');
  await expect.poll(() => unread(page).count()).toBe(1);
  await page.getByRole('navigation', { name: 'Kinds of notifications' }).getByRole('link', { name: 'New' }).click();
  await page.getByText('“Which card was it?”').waitFor();
  await expect.poll(() => page.locator('li[data-notification]').count()).toBe(1);
  await page.getByRole('button', { name: 'Answer' }).click();
  await expect.poll(async () => (await sql('select status from public.tickets')).results[0]?.rows).toEqual([['open']]);
  await page.getByRole('link', { name: 'Charged twice' }).click();
  await page.getByRole('heading', { level: 1, name: 'Charged twice' }).waitFor();
  await bell(page, 'No new notifications').click();
  await page.getByText('You have read everything.').waitFor();

  // The link of a mail opens the row. A notification of a row that the member may no longer see is gone.
  const { results } = await sql('select min(id)::text as id from ninefold.notifications');
  await page.goto(`${desk.origin}/account/notifications/${results[0]?.rows?.[0]?.[0]}`);
  await page.getByRole('heading', { level: 1, name: 'Charged twice' }).waitFor();
  await page.goto(`${desk.origin}/account/notifications/999`);
  await page.getByRole('heading', { name: 'This notification is not there' }).waitFor();

  await page.goto(`${desk.origin}/account/notifications/choices`);
  const byMail = page.getByRole('combobox', { name: 'Somebody mentions me: By mail' });
  await byMail.selectOption('Once a day');
  await page.getByText('Saved', { exact: true }).waitFor();
  await inBoth(page);
  await page.reload();
  expect(await byMail.inputValue()).toBe('daily');
  await page.setViewportSize(sizes.phone);
  await inBoth(page);
  expect(problems).toEqual([]);
  await context.close();
});

it('an app without rules shows no bell and asks for no notifications', async () => {
  const plain = await createApp(site.node, { template: 'notes' });
  const visit = await site.visit(`${plain.origin}/account/sign-up`, { signedIn: false, viewport: sizes.wide });
  const asked: string[] = [];
  visit.page.on('request', (request) => asked.push(request.url()));
  await visit.page.getByLabel('Your name').fill('Ada');
  await visit.page.getByLabel('E-mail').fill(`ada@${plain.ref}.example`);
  await visit.page.getByRole('textbox', { name: 'Password', exact: true }).fill('plum-kettle-91');
  await visit.page.getByRole('button', { name: 'Make account' }).click();
  await visit.page.getByRole('navigation', { name: 'Screens' }).first().waitFor();
  expect(await visit.page.getByRole('link', { name: /notification/ }).count()).toBe(0);
  expect(asked.filter((url) => url.includes('notifications'))).toEqual([]);
  await visit.context.close();
});
