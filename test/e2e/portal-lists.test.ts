import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';
import { inBoth, memberPassword, signUpOnPages } from './portal-pages.ts';

let site: Console;
let large: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  large = await createApp(site.node);
  await runSql(
    site.node,
    large.ref,
    `create table public.parcels (id bigint generated always as identity primary key, name text not null, weight numeric(8,2) not null,
       sent date not null, state text not null default 'new', note text);
     insert into public.parcels (name, weight, sent) select 'Parcel ' || n, n / 10.0, current_date - n % 400 from generate_series(1, 20000) n;
     analyze public.parcels;
     create table public.offices (id bigint generated always as identity primary key, street text, town text, name text, region text,
       land text, manager_name text, opened_by text);
     insert into public.offices (street, town, name, region, land, manager_name, opened_by)
       select t, t, t, t, t, t, t from (select repeat('Wide words ', 4) as t) w;
     grant all on public.parcels, public.offices to authenticated;
     select ninefold.define_machine('public.parcels', 'state', 'new', $$[
       {"name": "send", "from": "new", "to": "sent"}, {"name": "return", "from": "sent", "to": "new"},
       {"name": "lose", "from": "sent", "to": "lost", "requires": ["note"]}]$$)`,
  );
});
afterAll(() => site.close());

it('a list draws only the rows in sight, jumps to the end, filters by a range, and keeps the range in the address', async () => {
  const { page, context, problems } = await signUpOnPages(site, large, 'Ada Long', 'wide');
  await page.goto(`${large.origin}/parcels`);
  const table = page.getByRole('table', { name: 'Parcels' });
  await table.getByRole('link', { name: 'Parcel 1', exact: true }).waitFor();
  await page.getByText('About 20,000 parcels.').waitFor();
  expect(await page.getByRole('row').count()).toBeLessThan(60);
  const height = () => page.locator('main').evaluate((main) => main.scrollHeight);
  const before = await height();
  await page.locator('main').evaluate((main) => main.scrollTo(0, main.scrollHeight));
  await table.getByRole('link', { name: 'Parcel 20000', exact: true }).waitFor();
  // The rows that are drawn have the height that was expected: the page grows by the places of whole pages of rows at most.
  expect([0, 50 * 44]).toContain((await height()) - before);
  await page.getByRole('combobox', { name: 'Add a filter' }).selectOption({ label: 'Weight from … to …' });
  const range = page.getByRole('form', { name: 'Weight' });
  await range.getByLabel('from').fill('10');
  await range.getByLabel('to').fill('11,5');
  await range.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('16 parcels.').waitFor();
  await page.reload();
  await page.getByText('16 parcels.').waitFor();
  await page.getByRole('button', { name: 'Weight from 10 to 11.5', exact: true }).click();
  expect(await range.getByLabel('to').inputValue()).toBe('11.5');
  await inBoth(page);
  await page.getByRole('button', { name: 'Remove the filter Weight from 10 to 11.5' }).click();
  await page.getByRole('combobox', { name: 'Add a filter' }).selectOption({ label: 'Sent is in the last 7 days' });
  await page.getByText('350 parcels.').waitFor();
  await page.goto(`${large.origin}/offices`);
  const offices = page.getByRole('table', { name: 'Offices' });
  await offices.getByRole('link', { name: 'Wide words' }).waitFor();
  const columns = () => offices.getByRole('columnheader').allInnerTexts();
  await expect.poll(columns).toEqual(['', 'Number', 'Name', 'Street', 'Town', 'Region']);
  await page.setViewportSize({ width: 1000, height: 900 });
  await expect.poll(columns).toEqual(['', 'Number', 'Name', 'Street']);
  expect(problems).toEqual([]);
  await context.close();
});

it('a member moves and deletes the selected rows, undoes both, and reads why a transition is not open', async () => {
  const { page, context, problems } = await signUpOnPages(site, large, 'Ben Long', 'phone');
  await page.goto(`${large.origin}/parcels?q=${encodeURIComponent('Parcel 1777')}`);
  await page.getByText('12 parcels.').waitFor();
  await page.getByRole('button', { name: 'Select rows' }).click();
  const bar = page.getByRole('region', { name: 'Selected rows' });
  for (const name of ['Parcel 17770', 'Parcel 17771'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await bar.getByText('2 rows selected').waitFor();
  await bar.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('2 rows: Send.').waitFor();
  await bar.getByRole('button', { name: 'Return', exact: true }).waitFor();
  expect(await bar.getByRole('button', { name: 'Lose', exact: true }).getAttribute('aria-description')).toBe(
    '2 rows lack a field that this needs.',
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await bar.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await inBoth(page);
  await bar.getByRole('button', { name: 'Delete', exact: true }).click();
  await bar.getByText('Delete these 2 rows?').waitFor();
  const contents = () =>
    runSql(
      site.node,
      large.ref,
      `select name, weight, sent, state, note from public.parcels where name in ('Parcel 17770', 'Parcel 17771') order by name`,
    ).then(({ results }) => results[0]?.rows);
  const before = await contents();
  await bar.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('10 parcels.').waitFor();
  await page.getByText('2 rows deleted.').waitFor();
  expect(await contents()).toEqual([]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('12 parcels.').waitFor();
  expect(await contents()).toEqual(before);
  expect(problems).toEqual([]);
  await context.close();
});

it('a form says that the connection is lost, keeps what the member typed, and saves it when the connection is back', async () => {
  const { page, context, email } = await signUpOnPages(site, large, 'Cleo Long', 'wide');
  await page.goto(`${large.origin}/parcels/new`);
  await page.getByLabel('Name').fill('Typed offline');
  await page.getByLabel('Weight').fill('3');
  await page.getByLabel('Sent').fill('2026-01-02');
  await context.setOffline(true);
  await page.getByText('No connection.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await context.setOffline(false);
  await page.getByRole('heading', { name: 'Typed offline' }).waitFor();
  expect(await page.getByText('No connection.').count()).toBe(0);
  // A session that ends meanwhile loses nothing either.
  await page.goto(`${large.origin}/parcels/new`);
  await page.getByLabel('Name').fill('Typed before the end');
  const { results } = await runSql(site.node, large.ref, `select id from auth.users where email = '${email}'`);
  await admin(site.node, 'DELETE', `/apps/${large.ref}/sessions?user_id=${results[0]?.rows[0]?.[0]}`);
  await page.getByLabel('Weight').fill('4');
  // A member may type words. When the focus leaves the field, it shows the day that they mean.
  await page.getByLabel('Sent').fill('yesterday');
  await page.keyboard.press('Tab');
  expect(await page.getByLabel('Sent').inputValue()).toMatch(/^\d+ [A-Z][a-z]{2} \d{4}$/);
  await page.getByRole('button', { name: 'Save' }).click();
  const ended = page.getByRole('dialog', { name: 'Please sign in again' });
  await ended.getByRole('button', { name: 'Sign in as somebody else' }).click();
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(memberPassword);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Typed before the end');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Typed before the end' }).waitFor();
  await context.close();
});

it('an open page reloads once if a part of its code is missing, and shows no message of the browser', async () => {
  const { page, context } = await signUpOnPages(site, large, 'Dee Long', 'wide');
  await page.goto(`${large.origin}/parcels`);
  const link = page.getByRole('link', { name: 'Parcel 1', exact: true });
  await link.waitFor();
  // The server responds so to an open page of the build before, whose parts have other names.
  await context.route(/detail-page[^/]*\.js/, (route) => route.fulfill({ status: 404 }));
  let loads = 0;
  page.on('framenavigated', () => loads++);
  await link.click();
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  await page.getByRole('alert').getByText('A part of the page could not be loaded.').waitFor();
  expect(await page.getByText(/dynamically imported/).count()).toBe(0);
  await page.waitForEvent('load');
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  const after = loads;
  // Waits for two checks of the app's health. A second reload would happen before that.
  for (let check = 0; check < 2; check++) await page.waitForResponse(/\/health$/);
  expect(loads).toBe(after);
  await context.unroute(/detail-page[^/]*\.js/);
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { name: 'Parcel 1', exact: true }).waitFor();
  await context.close();
});

it('a list shows the rows that others add without moving the rows in sight, counts rows by state, and works by keys', async () => {
  await runSql(site.node, large.ref, `update public.parcels set state = 'sent' where id <= 300`);
  const { page, context, problems } = await signUpOnPages(site, large, 'Fay Long', 'wide');
  await page.goto(`${large.origin}/parcels?order=id.desc`);
  await page.getByRole('link', { name: 'Parcel 19990', exact: true }).waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  await page.getByRole('link', { name: '300 sent' }).waitFor();
  const add = (name: string) =>
    runSql(site.node, large.ref, `insert into public.parcels (name, weight, sent) values ('${name}', 1, current_date)`);
  await add('Arrived');
  await page.locator('tr[data-new]').getByRole('link', { name: 'Arrived' }).waitFor();
  // The next key is an action, so the row is not new any longer.
  await page.keyboard.press('j');
  await expect.poll(() => page.locator('tr[data-new]').count()).toBe(0);
  const focused = () => page.evaluate(() => document.activeElement?.textContent);
  expect(await focused()).toBe('Arrived');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('x');
  await page.getByRole('region', { name: 'Selected rows' }).waitFor();
  expect(await focused()).toBe('Arrived');

  await page.locator('main').evaluate((main) => main.scrollTo(0, 1500));
  const still = page.getByRole('link', { name: 'Parcel 19970', exact: true });
  await still.waitFor();
  const before = (await still.boundingBox())?.y;
  await add('Above');
  await page.getByRole('button', { name: '1 new above' }).waitFor();
  expect((await still.boundingBox())?.y).toBe(before);
  await page.getByRole('button', { name: '1 new above' }).click();
  await expect.poll(() => page.getByRole('link', { name: 'Above', exact: true }).boundingBox()).not.toBeNull();

  await page.keyboard.press('n');
  await page.waitForURL(/\/parcels\/new$/);
  await page.goBack();
  await page.getByRole('link', { name: 'Above', exact: true }).click();
  await page.getByRole('heading', { name: 'Above', exact: true }).waitFor();
  await page.keyboard.press('e');
  await page.waitForURL(/[?&]edit=true/);
  await page.goBack();
  await page.goBack();
  await page.getByRole('link', { name: 'Above', exact: true }).waitFor();
  await page.keyboard.press('/');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
  await page.locator('main').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'All keys' }).waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('checkbox', { name: 'Keys without Ctrl' }).uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.keyboard.press('Control+k');
  const find = page.getByRole('combobox', { name: 'Search or go to' });
  await find.fill('Parcel 19877');
  await page.getByRole('option', { name: 'Parcel 19877 Parcels' }).waitFor();
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Parcel 19877', exact: true }).waitFor();
  await context.setOffline(true);
  await page.goBack();
  await page.getByText('not live', { exact: true }).waitFor();
  await context.setOffline(false);
  expect(problems.filter((problem) => !/ERR_INTERNET_DISCONNECTED/.test(problem))).toEqual([]);
  await context.close();
});

it('the portal shows the look that a builder chooses in the settings, after a preview', async () => {
  const { page, context, problems } = await site.visit(`/app/${large.ref}/settings#look`);
  await page.getByRole('textbox', { name: 'Accent colour', exact: true }).fill('#D01060');
  const preview = page.getByRole('figure', { name: 'Preview, dark theme' });
  await preview.waitFor();
  await page.getByText('Not saved.').waitFor();
  await page.getByLabel('Logo', { exact: true }).setInputFiles({
    name: 'logo.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'),
  });
  await preview.getByRole('img', { name: 'Logo' }).waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save look' }).click();
  await page.getByText('Members see this look.').waitFor();
  const look = (await (await fetch(`${large.url}/portal/v1/app`)).json()) as { accent: string; logo: string };
  expect([look.accent, look.logo.slice(0, 26)]).toEqual(['#d01060', 'data:image/svg+xml;base64,']);
  expect(problems).toEqual([]);
  await context.close();
});
