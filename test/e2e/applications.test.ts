import { afterAll, beforeAll, expect, it } from 'vitest';
import { admin, createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder registers an application with scopes, changes its addresses and scopes, renews its secret, and deletes it', async () => {
  const app = await createApp(site.node);
  const { page, problems } = await site.visit(`/app/${app.ref}/applications`);
  await page.getByText('The app is not an OpenID provider').waitFor();
  await admin(site.node, 'PUT', `/apps/${app.ref}/settings/oauth_server_enabled`, { value: true });
  await page.reload();

  await page.getByRole('button', { name: 'Register application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Register application' });
  await dialog.getByLabel('Name that members see').fill('Photos');
  const addresses = dialog.getByLabel('Redirect addresses, one a line');
  await addresses.fill('http://photos.example.org/callback');
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  await dialog.getByText('HTTP scheme only allowed for localhost').waitFor();
  await addresses.fill('https://photos.example.org/callback');
  await dialog.getByRole('checkbox', { name: 'phone' }).uncheck();
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  const first = await dialog.getByRole('textbox', { name: 'Client secret' }).inputValue();
  expect(first).toMatch(/^[\w-]{43}$/);
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  await page.getByRole('row', { name: 'Photos' }).click();
  const panel = page.getByRole('complementary', { name: 'Selected application' });
  await panel.getByText('0 members').waitFor();
  expect(await faults(page)).toEqual([]);
  await panel
    .getByLabel('Redirect addresses, one a line')
    .fill('https://photos.example.org/a\nhttps://photos.example.org/b');
  expect(await panel.getByRole('checkbox', { name: 'phone' }).isChecked()).toBe(false);
  await panel.getByRole('checkbox', { name: 'profile' }).uncheck();
  await panel.getByRole('button', { name: 'Save' }).click();
  const server = clientOf(app, app.secret_key).auth.admin.oauth;
  const listed = async () => (await server.listClients()).data?.clients ?? [];
  await expect
    .poll(async () => (await listed())[0])
    .toMatchObject({
      redirect_uris: ['https://photos.example.org/a', 'https://photos.example.org/b'],
      scope: 'openid email offline_access',
    });
  await panel.getByRole('button', { name: 'Renew secret' }).click();
  const renewed = page.getByRole('dialog', { name: 'New secret' });
  expect(await renewed.getByRole('textbox', { name: 'Client secret' }).inputValue()).not.toBe(first);
  await renewed.getByRole('button', { name: 'Close' }).last().click();

  await panel.getByRole('button', { name: 'Delete' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete application' });
  await confirm.getByRole('textbox').fill('Photos');
  await confirm.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(async () => (await listed()).length).toBe(0);
  // The browser reports the address that the server refused.
  expect(problems.filter((problem) => !problem.includes('400 (Bad Request)'))).toEqual([]);
  const log = await admin<{ entries: { action: string }[] }>(site.node, 'GET', `/apps/${app.ref}/audit?kind=builders`);
  expect(JSON.stringify(log)).not.toContain(first);
  expect(JSON.stringify(log)).toContain('application_secret_renewed');
});
