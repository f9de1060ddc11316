import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { type Console, openConsole } from './console.ts';
import { inBoth, signUpOnPages } from './portal-pages.ts';

let site: Console;
let desk: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  desk = await createApp(site.node, { template: 'helpdesk' });
});
afterAll(() => site.close());

async function agent(name: string) {
  const visit = await signUpOnPages(site, desk, name, 'wide');
  const row = `select id, name from public.customers where email = '${visit.email}'`;
  await runSql(site.node, desk.ref, `insert into public.agents (id, name) ${row}`);
  return visit;
}

/** Fails every later read of rows, so that only the socket brings changes. */
const refuseReads = (context: BrowserContext) =>
  context.route('**/rest/v1/**', (route) => (route.request().method() === 'GET' ? route.abort() : route.continue()));

/** Waits until the live lists of a page have arrived. Call it before the page opens. */
function pagesOf(page: Page, count: number): Promise<unknown> {
  return new Promise((resolve) => {
    let left = count;
    page.on('websocket', (socket) => {
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"event":"page"')) left--;
        if (left <= 0) resolve(null);
      });
    });
  });
}

it('a card moves on one board when another member moves it, and each sees who looks at a ticket and who writes', async () => {
  const [one, two] = await Promise.all([agent('Priya Nair'), agent('Jonas Weber')]);
  await runSql(
    site.node,
    desk.ref,
    `insert into public.tickets (subject, description, customer) select 'The printer burns', 'It smokes.', id from public.customers where name = 'Priya Nair'`,
  );
  const arrived = pagesOf(two.page, 3);
  await Promise.all([one, two].map(({ page }) => page.goto(`${desk.origin}/tickets/board`)));
  const lane = ({ page }: { page: Page }, name: string) => page.getByRole('region', { name });
  const card = (visit: { page: Page }, name: string) => lane(visit, name).getByRole('article', { name: 'The printer' });
  await Promise.all([card(one, 'New').waitFor(), card(two, 'New').waitFor()]);
  await arrived;
  await refuseReads(two.context);
  await card(one, 'New').dragTo(lane(one, 'Open'));
  await card(two, 'Open').waitFor();
  expect(await card(two, 'New').count()).toBe(0);
  await two.context.unroute('**/rest/v1/**');

  await card(one, 'Open').getByRole('link').click();
  await one.page.getByRole('heading', { name: 'The printer' }).waitFor();
  await two.page.goto(one.page.url());
  await one.page.getByText('Jonas Weber is here, too.').waitFor();
  await two.page.getByText('Priya Nair is here, too.').waitFor();
  await inBoth(two.page);
  await two.page.getByLabel('Body').fill('It is out.');
  await one.page.getByText('Jonas Weber is writing…').waitFor();
  await two.page.goto(`${desk.origin}/queue`);
  await one.page.getByText('Jonas Weber').waitFor({ state: 'detached' });

  // A change by others is marked in a list.
  await two.page.getByRole('link', { name: 'The printer' }).waitFor();
  await runSql(site.node, desk.ref, `update public.tickets set priority = 'high'`);
  await two.page.getByText('changed', { exact: true }).waitFor();
  expect([...one.problems, ...two.problems].filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
  await Promise.all([one.context.close(), two.context.close()]);
});
