import { readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';
import { faults, faultsOfColour } from './accessible-pages.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
let desk: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  desk = await createApp(site.node, { template: 'helpdesk' });
  await runSql(
    site.node,
    desk.ref,
    `select ninefold.label('de', 'Meine Anfragen', screen => '/my-tickets');
     select ninefold.label('de', 'Anfragen', entity => 'public.tickets', one => 'Anfrage');
     select ninefold.label('de', 'Betreff', entity => 'public.tickets', field => 'subject');
     select ninefold.label('de', 'Neu', entity => 'public.tickets', field => 'status', value => 'new');
     select ninefold.label('ar', 'طلباتي', screen => '/my-tickets');
     select ninefold.label('ar', 'الموضوع', entity => 'public.tickets', field => 'subject')`,
  );
});
afterAll(() => site.close());

const visit = (path: string, options: BrowserContextOptions) =>
  site.visit(`${desk.origin}${path}`, { signedIn: false, ...options });

/** Checks a page in both themes: no fault of accessibility, and no scrolling sideways. */
const inBoth = async (page: Page) => {
  for (const [colorScheme, check] of [
    ['light', faults],
    ['dark', faultsOfColour],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    expect(await check(page)).toEqual([]);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
};

it('a German browser sees the portal in German, with the labels of the app', async () => {
  const { page, context, problems } = await visit('/account/sign-up', { locale: 'de-DE' });
  await page.getByLabel('Ihr Name').fill('Maren Holt');
  await page.getByLabel('E-Mail').fill(uniqueEmail());
  await page.getByRole('textbox', { name: 'Passwort', exact: true }).fill('kurz');
  await page.getByText('Mindestens 8 Zeichen: 4 fehlen').waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await inBoth(page);
  await page.getByRole('textbox', { name: 'Passwort', exact: true }).fill('plum-kettle-91');
  await page.getByRole('button', { name: 'Konto anlegen' }).click();
  await page.getByRole('heading', { name: 'Was steht heute für Sie an?' }).waitFor();
  await inBoth(page);
  await page.getByRole('link', { name: 'Meine Anfragen' }).first().click();
  await page.getByText('Keine Einträge in Anfragen.').waitFor();
  await page.goto(`${desk.origin}/tickets/new`);
  await page.getByLabel('Betreff').fill('Rechnung');
  await page.getByLabel('Beschreibung').fill('Die alte Nummer steht darauf.');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByRole('heading', { name: 'Rechnung' }).waitFor();
  await page.getByText('Neu: Anfrage durch Sie').waitFor();
  await inBoth(page);
  expect(problems).toEqual([]);
  await context.close();
});

/** A subject from left to right that is longer than a column. */
const LONG_SUBJECT = `The export stops ${'at the row after the last one of the day '.repeat(3)}`.trim();

/** Returns true if the first letter of a text is inside of the box that cuts the text. */
function showsItsBeginning(element: Element): boolean {
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  let box = element;
  while (getComputedStyle(box).overflowX === 'visible' && box.parentElement) box = box.parentElement;
  if (!text || box.scrollWidth <= box.clientWidth) throw new Error('The text is not cut.');
  const range = document.createRange();
  range.setStart(text, 0);
  range.setEnd(text, 1);
  const [letter, place] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  return letter.left >= place.left - 1 && letter.right <= place.right + 1;
}

it.each(['wide', 'phone'] as const)(
  'the portal is in Arabic from right to left, %s, after the member chose the language',
  async (size) => {
    const member = await signUpMember(desk, 'salma');
    await member.client.from('tickets').insert({ subject: 'الفاتورة', description: 'رقم قديم' }).throwOnError();
    await member.client.from('tickets').insert({ subject: LONG_SUBJECT, description: LONG_SUBJECT }).throwOnError();
    const { page, context, problems } = await visit('/account/sign-in', { viewport: sizes[size] });
    await page.getByLabel('Language').selectOption({ label: 'العربية' });
    await page.locator('html[dir="rtl"][lang="ar"]').waitFor();
    await inBoth(page);
    await page.getByLabel('البريد الإلكتروني').fill(member.email);
    await page.getByRole('textbox', { name: 'كلمة المرور', exact: true }).fill(member.password);
    await page.getByRole('button', { name: 'تسجيل الدخول', exact: true }).click();
    await page.getByRole('heading', { name: 'ما الذي يحتاج إليك اليوم؟' }).waitFor();
    await inBoth(page);
    await page.goto(`${desk.origin}/my-tickets`);
    await page.getByRole('heading', { name: 'طلباتي' }).waitFor();
    // On a phone, a row has two lines and no header.
    if (size === 'wide') await page.getByRole('columnheader', { name: 'الموضوع' }).waitFor();
    expect(await page.getByText(LONG_SUBJECT).evaluate(showsItsBeginning)).toBe(true);
    await page.getByRole('link', { name: 'الفاتورة' }).click();
    await page.getByRole('heading', { name: 'الفاتورة' }).waitFor();
    await inBoth(page);
    // The navigation is at the right of the page, along the beginning of the lines.
    const rail = await page
      .getByRole('navigation', { name: size === 'wide' ? 'الشاشات' : 'الشاشات الرئيسية' })
      .boundingBox();
    expect((rail?.x ?? 0) > sizes[size].width / 2).toBe(size === 'wide');
    await page.goto(`${desk.origin}/account`);
    await page.getByRole('heading', { name: 'حسابك' }).waitFor();
    await inBoth(page);
    expect(problems).toEqual([]);
    await context.close();
  },
);

it('a member downloads the own data and deletes the account with the password', async () => {
  const [member, other] = [await signUpMember(desk, 'ada'), await signUpMember(desk, 'bob')];
  await runSql(site.node, desk.ref, `insert into public.agents (id, name) values ('${member.user.id}', 'Ada')`);
  await other.client.from('tickets').insert({ subject: 'Of Bob', description: 'Private' }).throwOnError();
  const { page, context, problems } = await visit('/account', {});
  await page.getByLabel('E-mail').fill(member.email);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(member.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const button = page.getByRole('button', { name: 'Download', exact: true });
  await button.waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  const text = readFileSync(await file.path(), 'utf8');
  const data = JSON.parse(text);
  expect(data).toMatchObject({
    app: desk.ref,
    account: { email: member.email },
    rows: { 'public.agents': [{ name: 'Ada' }] },
  });
  // An agent may read the ticket of another member, but it does not belong to the agent.
  expect(text).not.toContain('Of Bob');

  const begin = page.getByRole('button', { name: 'Delete my account …' });
  const hasFocus = (element: Element) => element === document.activeElement;
  await begin.click();
  await expect.poll(() => page.getByLabel('Your password').evaluate(hasFocus)).toBe(true);
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await expect.poll(() => begin.evaluate(hasFocus)).toBe(true);
  await begin.click();
  await page.getByLabel('Your password').fill('not my password');
  await page.getByRole('button', { name: 'Delete my account', exact: true }).click();
  await page.getByText('E-mail or password is wrong.').waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByLabel('Your password').fill(member.password);
  await page.getByRole('button', { name: 'Delete my account', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  expect((await member.client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  expect((await other.client.auth.getUser()).data.user?.id).toBe(other.user.id);
  // The browser logs the refused password, and requests of the page that the server refuses after the deletion.
  expect(problems.filter((problem) => !/status of 40[013] /.test(problem))).toEqual([]);
  await context.close();
});
