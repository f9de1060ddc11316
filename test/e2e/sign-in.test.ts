import { afterAll, beforeAll, expect, it } from 'vitest';
import { consoleHeader } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { builder } from '../support/builder.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('the console asks for credentials, shows the error, and returns to the requested page', async () => {
  const { ref } = await createApp(site.node);
  const { page, problems } = await site.visit(`/app/${ref}/users?q=ada`, { signedIn: false });
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const password = page.getByLabel('Password', { exact: true });
  expect(await password.getAttribute('type')).toBe('password');
  expect(await password.getAttribute('autocomplete')).toBe('current-password');
  const email = page.getByRole('textbox', { name: 'E-mail' });
  expect(await email.getAttribute('autocomplete')).toContain('username');
  await email.fill(builder.email);
  await password.fill('not this one');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('E-mail or password is wrong.').waitFor();
  // The browser reports the response 400.
  expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);

  await page.getByLabel('Password', { exact: true }).fill(builder.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
  expect(new URL(page.url()).search).toBe('?q=ada');
  expect(problems).toEqual([]);
});

it('the console ends the session on the server at sign-out', async () => {
  const { page, context, problems } = await site.visit('/sign-in', { signedIn: false });
  await page.evaluate(() => localStorage.setItem('ninefold-console', '{"access_token":"of an earlier version"}'));
  await page.reload();
  await page.getByRole('textbox', { name: 'E-mail' }).fill(builder.email);
  await page.getByLabel('Password', { exact: true }).fill(builder.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
  const [session] = await context.cookies();
  expect(session).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  const readable = await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage }));
  expect(readable).not.toMatch(/token|ninefold-console|ninefold_builder|eyJ/);
  const asBuilder = () =>
    fetch(`${site.node.url}/admin/v1/apps`, {
      headers: { cookie: `${session?.name}=${session?.value}`, [consoleHeader]: '1' },
    });
  expect((await asBuilder()).status).toBe(200);

  await page.getByRole('button', { name: `Signed in as ${builder.name}` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await expect.poll(async () => (await asBuilder()).status, { timeout: 5000 }).toBe(401);
  expect(await context.cookies()).toEqual([]);
  await page.goto(`${site.node.url}/`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(problems).toEqual([]);
});

it('the console remembers the choice of light or dark', async () => {
  const { page, problems } = await site.visit('/', { colorScheme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
  const light = await ground();
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await page.getByRole('button', { name: 'Light', exact: true }).waitFor();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
  expect(await ground()).toBe(dark);
  await page.keyboard.press('t');
  await expect.poll(ground).toBe(light);
  expect(problems).toEqual([]);
});
