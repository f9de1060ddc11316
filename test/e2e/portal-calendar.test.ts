import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';
import { type Console, openConsole, sizes } from './console.ts';
import { inBoth, memberPassword, signUpOnPages } from './portal-pages.ts';

let site: Console;
let booking: AppConnection;
let day: string;

beforeAll(async () => {
  site = await openConsole();
  booking = await createApp(site.node, { template: 'booking' });
  const other = await signUpMember(booking);
  // A Tuesday in two weeks or more, so that both neighbours of the day are open.
  const [result] = (
    await runSql(
      site.node,
      booking.ref,
      `create table public.leaves (id bigint generated always as identity primary key, who text not null, starts_on date not null, ends_on date);
       grant select, insert, update on public.leaves to authenticated;
       with day as (select (date_trunc('week', current_date) + interval '22 days')::date as on)
       insert into public.bookings (resource, member, contact, starts_at, ends_at)
       select 1, '${other.user.id}', 'x@example.com', day.on + time '09:00', day.on + time '10:30' from day
       returning to_char(starts_at, 'YYYY-MM-DD') as day`,
    )
  ).results.slice(-1);
  day = String(result?.rows[0]?.[0]);
});
afterAll(() => site.close());

const zone = { timezoneId: 'UTC', locale: 'en-GB' } as const;

/** Returns the place on the page of a time of the shown day. */
async function placeOf(page: Page, on: string, hour: number): Promise<{ x: number; y: number }> {
  const column = page.locator(`[data-day="${on}"]`);
  const top = await column.locator('[data-open]').first().boundingBox();
  if (!top) throw new Error('The day is closed.');
  return { x: top.x + top.width / 2, y: top.y + (hour - 8) * 56 };
}

async function drag(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 4 });
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
}

it('a visitor sees what is free, chooses a time, signs up, and books this time', async () => {
  const { page, context, problems } = await site.visit(`${booking.origin}/times?of=1&on=${day}`, {
    signedIn: false,
    ...zone,
  });
  await page.getByRole('heading', { name: 'When it is free', level: 1 }).waitFor();
  await page.getByText('No account is needed to look.').waitFor();
  await page.locator(`[data-entry="taken"][data-on="${day}"]`).waitFor();
  await page.getByText('closed', { exact: true }).nth(1).waitFor();
  await inBoth(page);
  const at = await placeOf(page, day, 11.1);
  await page.mouse.click(at.x, at.y);
  const invitation = page.getByRole('dialog', { name: 'When it is free · Meeting room' });
  await invitation.getByText(/11:00.{1,3}11:30 is free/).waitFor();
  await inBoth(page);
  await invitation.getByRole('link', { name: 'Make an account' }).click();
  await page.getByLabel('Your name').fill('Nora Bloom');
  await page.getByLabel('E-mail').fill(uniqueEmail());
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(memberPassword);
  await page.getByRole('button', { name: 'Make account' }).click();
  const form = page.getByRole('dialog', { name: 'Book · Meeting room' });
  await form.getByLabel('Starts').waitFor();
  await inBoth(page);
  await form.getByLabel('People').fill('0');
  await form.getByRole('button', { name: 'Book' }).click();
  await form.getByText('A booking is for one person or more.').waitFor();
  await form.getByLabel('People').fill('3');
  await form.getByRole('button', { name: 'Book' }).click();
  await page.getByRole('link', { name: 'Requested' }).waitFor();

  // By drag, with a refusal at the place.
  const [from, to] = [await placeOf(page, day, 13.05), await placeOf(page, day, 14.45)];
  await drag(page, from, to);
  await form.getByLabel('Starts').waitFor();
  await form.getByRole('button', { name: 'Book' }).click();
  const row = page.getByRole('link', { name: /13:00.{1,3}14:30/ });
  await row.waitFor();
  await row.hover();
  await drag(page, await placeOf(page, day, 13.5), await placeOf(page, day, 16.5));
  await page.getByRole('link', { name: /16:00.{1,3}17:30/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  await row.hover();
  await drag(page, await placeOf(page, day, 13.5), await placeOf(page, day, 9.5));
  await page.getByRole('alert').getByText('That time is taken: choose a free one.').waitFor();
  await row.waitFor();
  await inBoth(page);
  await page.getByRole('alert').getByRole('button', { name: 'Close' }).click();
  await page.setViewportSize(sizes.phone);
  await page.goto(`${booking.origin}/times?of=1&on=${day}`);
  await page.getByRole('button', { name: /^Book, 08:00/ }).waitFor();
  await inBoth(page);
  await page.goto(`${booking.origin}/times?of=1&on=${day}&view=week`);
  await page.getByText('taken').first().waitFor();
  await inBoth(page);
  await context.close();
  expect(problems.filter((problem) => !/400/.test(problem))).toEqual([]);
});

it('staff sees all bookings, chooses a time by the keyboard, moves a booking by the keyboard, and turns to other days', async () => {
  const { page, context, email, problems } = await signUpOnPages(site, booking, 'Gus Hart', 'wide');
  await runSql(
    site.node,
    booking.ref,
    `select ninefold.grant_role(id, 'staff') from auth.users where email = '${email}'`,
  );
  await page.goto(`${booking.origin}/bookings/calendar?on=${day}`);
  await page.getByRole('link', { name: /x@example.com/ }).waitFor();
  expect(await page.getByRole('navigation', { name: 'Resources' }).getByRole('link').allInnerTexts()).toEqual([
    'All',
    'Consultation',
    'Meeting room',
  ]);
  await inBoth(page);

  await page.goto(`${booking.origin}/times?of=1&on=${day}`);
  await page.getByRole('button', { name: /8:00.{1,3}8:30.*free/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  const slot = page.locator('button:focus');
  expect(await slot.getAttribute('aria-label')).toMatch(/^Wednesday.*8:30.{1,3}9:30.*free$/);
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Book · Meeting room' });
  expect(await form.getByLabel('Ends').inputValue()).toMatch(/9:30/);
  await page.keyboard.press('Control+Enter');
  // While the dialog is open, nothing beside it can have the focus.
  await form.waitFor({ state: 'detached' });
  const row = page.getByRole('link', { name: /8:30.{1,3}9:30/ });
  await row.focus();
  await page.keyboard.press(' ');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await row.focus();
  await page.keyboard.press(' ');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.getByRole('link', { name: /8:30.{1,3}9:45/ }).waitFor();
  await page.goto(`${booking.origin}/leaves/calendar?on=${day}&view=week`);
  const column = async (name: RegExp) => {
    const box = await page.getByRole('button', { name }).boundingBox();
    if (!box) throw new Error('The day is not shown.');
    return { x: box.x + box.width / 2, y: box.y + box.height - 20 };
  };
  await drag(page, await column(/^Tuesday/), await column(/^Thursday/));
  const leave = page.getByRole('dialog', { name: 'New leave' });
  await leave.getByLabel('Who').fill('Ada');
  await leave.getByRole('button', { name: 'New leave' }).click();
  await leave.waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Ada' }).focus();
  await inBoth(page);
  await page.keyboard.press(' ');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  const [stored] = (await runSql(site.node, booking.ref, 'select ends_on - starts_on from public.leaves')).results;
  expect(stored?.rows).toEqual([['3']]);

  await page.goto(`${booking.origin}/times?of=1&on=${day}`);
  await page.getByRole('link', { name: /8:30.{1,3}9:45/ }).waitFor();
  await page.locator('main').focus();
  await page.keyboard.press('j');
  await expect.poll(() => page.url()).not.toContain(`on=${day}`);
  await page.keyboard.press('k');
  await expect.poll(() => page.url()).toContain(`on=${day}`);
  await page.keyboard.press('m');
  await page
    .getByRole('table')
    .getByRole('link', { name: /Requested/ })
    .first()
    .waitFor();
  await inBoth(page);
  await context.close();
  expect(problems).toEqual([]);
});
