import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAppWith } from '../support/apps.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder shares the specification by a link, a reader without an account reads it, and the builder withdraws it', async () => {
  const app = await createAppWith(site.node, 'create table public.parcels (id int)');
  const { page, problems } = await site.visit(`/app/${app.ref}`);
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share the specification' });
  await dialog.getByText('No links.').waitFor();
  await dialog.getByLabel('Ends').selectOption('after 7 days');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const url = await dialog.getByLabel('New link, which is shown only once').inputValue();
  await dialog.getByText('never read').waitFor();
  expect(await faults(page)).toEqual([]);

  const reader = await site.visit(url, { signedIn: false });
  await reader.page.getByRole('heading', { name: /Entities/ }).waitFor();
  expect(await reader.page.content()).toContain('parcels');
  await reader.page.getByRole('link', { name: /Limits/ }).click();
  expect(new URL(reader.page.url()).hash).toBe('#limits');

  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await dialog.getByText(/^read /).waitFor();
  await dialog.getByRole('button', { name: /^Withdraw/ }).click();
  await dialog.getByText('No links.').waitFor();
  const after = await reader.page.reload();
  expect(after?.status()).toBe(404);
  await reader.page.getByRole('heading', { name: 'This link shows nothing' }).waitFor();
  expect(problems).toEqual([]);
}, 60_000);
