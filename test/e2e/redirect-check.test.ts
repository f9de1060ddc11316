import { afterAll, beforeAll, expect, it } from 'vitest';
import { admin, createApp } from '../support/apps.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('the settings show whether a sign-in may return to an address, by which entry, and after a change of the entries', async () => {
  const app = await createApp(site.node);
  const path = `/apps/${app.ref}/settings/uri_allow_list`;
  await admin(site.node, 'PUT', path, { value: ['https://shop.example/docs', 'https://*.preview.example/**'] });
  const { page, problems } = await site.visit(`/app/${app.ref}/settings#addresses`);
  const field = page.getByRole('textbox', { name: 'Address to check' });
  const check = async (address: string, words: string) => {
    await field.fill(address);
    await field.press('Enter');
    await page.getByRole('status').filter({ hasText: words }).waitFor();
  };
  await check('https://shop.example/docs/', 'Allowed by https://shop.example/docs');
  await check('https:\\\\shop.example\\docs', 'Browsers open https://shop.example/docs');
  await check('https://pr-1.preview.example/x', 'Allowed by https://*.preview.example/**');
  await check('http://localhost:5173', 'Allowed by the rule for the member’s own machine');
  await check('http://10.0.0.1/', 'Refused. No entry can allow an IP address.');
  await check('https://shop.example/more', 'Refused. No entry matches it.');
  expect(await faults(page)).toEqual([]);
  const list = page.getByRole('textbox', { name: /^Redirect addresses/ }).first();
  await list.fill('https://shop.example/more');
  await page.getByText('Save your changes to check with them.').waitFor();
  await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').filter({ hasText: 'Allowed by https://shop.example/more' }).waitFor();
  expect(problems).toEqual([]);
}, 60_000);
