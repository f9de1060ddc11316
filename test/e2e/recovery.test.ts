import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

/**
 * Makes the requests of a browser fail, as for a node that is down. Returns a function that makes them succeed again.
 */
async function takeDown(context: BrowserContext, urls: string | RegExp = '**/*'): Promise<() => Promise<void>> {
  await context.route(urls, (route) => route.abort('connectionrefused'));
  return () => context.unroute(urls);
}

const uncaught = (problems: readonly string[]) => problems.filter((problem) => problem.startsWith('uncaught'));

it('the console shows a chapter whose code failed to load after the node is back', async () => {
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, 'create table public.notes (id int primary key)');
  const { page, context, problems } = await site.visit(`/app/${app.ref}`);
  await page.getByText('Publishable key').waitFor();
  const bringUp = await takeDown(context);
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /Entities/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  const failure = page.getByRole('alert');
  await failure.getByText('console_not_loaded').waitFor();
  expect(await failure.textContent()).not.toMatch(/nothing/i);
  await bringUp();
  await page.getByRole('heading', { name: /^Which things/ }).waitFor();
  await page.getByLabel('Entities and what they point to').waitFor();
  expect(uncaught(problems)).toEqual([]);
  await context.close();
});

it('the console reloads the page only once if the code stays missing', async () => {
  const app = await createApp(site.node);
  const { page, context } = await site.visit(`/app/${app.ref}`);
  await page.getByText('Publishable key').waitFor();
  let loads = 0;
  page.on('framenavigated', () => loads++);
  await takeDown(context, /limits-page[^/]*\.js/);
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /Limits/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  await page.waitForEvent('framenavigated');
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  const after = loads;
  // Waits for two checks of the node's health. A second reload would happen before that.
  for (let check = 0; check < 2; check++) await page.waitForResponse(/\/health$/);
  expect(loads).toBe(after);
  await context.close();
});

it('the console repeats reads that failed while the node was down', async () => {
  const app = await createApp(site.node);
  const { email } = await signUpMember(app);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('row', { name: email }).waitFor();
  const bringUp = await takeDown(context, '**/auth/v1/admin/users/*');
  await page.getByRole('row', { name: email }).click();
  const panel = page.getByRole('complementary', { name: 'Selected user' });
  await panel.getByText('unreachable').waitFor();
  await bringUp();
  await panel.getByText(/^Signs in by email/).waitFor();
  await panel.getByText('unreachable').waitFor({ state: 'detached' });
  expect(uncaught(problems)).toEqual([]);
  await context.close();
});
