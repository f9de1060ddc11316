import { afterAll, beforeAll, it } from 'vitest';
import { createApp } from '../support/apps.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { conflict, makeOld, newest } from '../support/old-app.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('the console marks an app whose database refuses a schema update, shows the fix, and removes the mark after the fix', async () => {
  const app = await createApp(site.node);
  await makeOld(site.node, app.ref, conflict.create);

  const { page, context } = await site.visit('/');
  const row = page.getByRole('row', { name: app.ref });
  await row.getByText('not served').waitFor();
  await page
    .getByRole('alert')
    .getByText(/show the failed step and the error/)
    .waitFor();

  await row.getByRole('link', { name: app.ref, exact: true }).click();
  const alert = page.getByRole('alert');
  await alert.getByText(new RegExp(`has not taken the step ${newest} .* ${conflict.message}`)).waitFor();
  await alert.getByText(/Remove the conflicting object from the database/).waitFor();
  await page.getByRole('link', { name: /Purpose\s*not served/ }).waitFor();

  await withClient(await superuserUrl(site.node, `app_${app.ref}`), (client) => client.query(conflict.drop));
  await page.getByRole('link', { name: /Purpose$/ }).waitFor();
  await page.getByText('Publishable key').waitFor();
  await page.getByRole('link', { name: 'Ninefold, all apps' }).click();
  await page.getByRole('row', { name: app.ref }).getByText('not served').waitFor({ state: 'detached' });
  await context.close();
}, 60_000);
