import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';
import { type Console, openConsole, tabTo } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder creates, bans and finds a user without a mouse', async () => {
  const app = await createApp(site.node);
  const email = uniqueEmail('keys');
  const { page, problems } = await site.visit('/');
  await page.getByRole('link', { name: app.ref, exact: true }).waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search or jump' }).waitFor();
  await page.keyboard.type(app.ref);
  await page.getByRole('option', { name: app.ref }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `What does ${app.ref} do?` }).waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('u');
  await page.getByRole('heading', { name: 'No users yet' }).waitFor();
  await page.keyboard.press('i');
  await page.getByRole('dialog', { name: 'Create user' }).waitFor();
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'Selected user' });
  await panel.getByText('and has not done so yet').waitFor();

  await tabTo(page, 'Ban');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Ban user' });
  await dialog.waitFor();
  // Esc closes only the topmost layer and returns the focus.
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await panel.waitFor();
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await tabTo(page, 'For good');
  await page.keyboard.press('Space');
  await tabTo(page, 'Ban');
  await page.keyboard.press('Enter');
  await panel.getByText('Banned for good.').waitFor();
  await dialog.waitFor({ state: 'detached' });

  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await page.keyboard.press('f');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await page.getByText('1 user', { exact: true }).waitFor();
  await tabTo(page, email);
  await page.keyboard.press('Enter');
  await panel.getByText('Banned for good.').waitFor();

  const { error } = await clientOf(app).auth.signInWithPassword({ email, password: 'whatever it was' });
  expect(error?.status).toBe(400);
  expect(problems).toEqual([]);
});

it('keys move the focus through the chapters, a diagram, a matrix and a panel, and return it to the start', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `create table public.notes (id bigint generated always as identity primary key, status text not null);
     alter table public.notes enable row level security;
     select ninefold.define_machine('public.notes', 'status', 'draft', '[{"name": "publish", "from": "draft", "to": "public"}]');`,
  );
  const { page, problems } = await site.visit(`/app/${app.ref}`);
  await page.getByText('Publishable key').waitFor();
  const focused = page.locator(':focus');

  // The test presses the keys without waiting for pages. Each key must count from the page that the previous key opens.
  for (const key of [']', ']', ']', '[']) await page.keyboard.press(key);
  await page.waitForURL(`**/app/${app.ref}/entities`);
  await page.getByRole('heading', { name: 'Which things, with which fields?' }).waitFor();

  await page.keyboard.press('4');
  await page.getByRole('button', { name: /^draft, / }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'State draft' }).waitFor();
  await page.keyboard.press('j');
  await page.getByRole('complementary', { name: 'State public' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'State public' }).waitFor({ state: 'detached' });
  expect(await focused.getAttribute('aria-label')).toMatch(/^draft, /);

  await page.keyboard.press('6');
  await page.getByRole('table', { name: 'Roles, entities and operations' }).getByRole('button').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary', { name: 'notes, insert by service_role' });
  await panel.waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(await focused.getAttribute('data-at')).toBe('1,2');

  await page.keyboard.press('1');
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => focused.textContent()).toBe('Edit');
  expect(problems).toEqual([]);
});

it('keys pressed directly after Ctrl+K reach the palette, and the focus returns', async () => {
  const app = await createApp(site.node);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('heading', { name: 'No users yet' }).waitFor();
  await slowTimers(page);
  const focused = page.locator(':focus');

  await page.getByRole('link', { name: 'Sessions', exact: true }).focus();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('entities');
  const field = page.getByRole('combobox', { name: 'Search or jump' });
  expect(await field.inputValue()).toBe('entities');
  await page.keyboard.press('Escape');
  expect(await focused.textContent()).toBe('Sessions');

  const search = page.getByRole('searchbox', { name: 'Search users' });
  await search.focus();
  await page.keyboard.type('ada');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Escape');
  await page.keyboard.type('@');
  expect(await search.inputValue()).toBe('ada@');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('entities');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /^Which things/ }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

it('keys pressed directly after the shortcut of a dialog reach the dialog’s field', async () => {
  const app = await createApp(site.node);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('heading', { name: 'No users yet' }).waitFor();
  await slowTimers(page);
  await page.keyboard.press('i');
  await page.keyboard.type('ada@example.com');
  expect(await page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe('ada@example.com');
  expect(problems).toEqual([]);
  await context.close();
});

/** Delays the timers of a page, as on a busy machine. A key press then arrives before a timer that the page has set. */
const slowTimers = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const inTime = window.setTimeout.bind(window);
    const late = (run: () => void, milliseconds = 0) => inTime(run, milliseconds + 2000);
    Reflect.set(window, 'setTimeout', late);
  });
