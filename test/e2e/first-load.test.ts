import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type Console, openConsole } from './console.ts';

/** Maximum size of a page's first load in bytes over the wire, without fonts and API requests. */
const MOST = 300_000;

let site: Console;
let desk: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  desk = await createApp(site.node, { template: 'helpdesk' });
});
afterAll(() => site.close());

/** Returns the bytes of the page, its scripts and its styles over the wire, including headers. */
async function loaded(page: Page, path: string, ready: (page: Page) => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const counted = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (['Document', 'Script', 'Stylesheet'].includes(type)) counted.set(requestId, 0);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (counted.has(requestId)) counted.set(requestId, encodedDataLength);
  });
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.goto(new URL(path, site.node.url).href);
  await ready(page);
  return [...counted.values()].reduce((sum, bytes) => sum + bytes, 0);
}

it.each<[string, boolean, (ref: string) => string, (page: Page) => Promise<void>]>([
  ['the sign-in', false, () => '/', (page) => page.getByRole('button', { name: 'Sign in' }).waitFor()],
  ['the list of apps', true, () => '/', (page) => page.getByRole('table', { name: 'Apps' }).waitFor()],
  ['the contents of an app', true, (ref) => `/app/${ref}`, (page) => page.getByText('Publishable key').waitFor()],
])('the first load of %s transfers less than 300 KB', async (_, signedIn, path, ready) => {
  // This visit puts the icon, which every page loads, into the cache.
  const { page, context } = await site.visit('/assets/mark.svg', { signedIn });
  const bytes = await loaded(page, path(desk.ref), ready);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(MOST);
  await context.close();
});

/** Maximum size of the first load of the pages for members in bytes. */
const MOST_OF_PORTAL = 200_000;

it.each([
  ['en-US', '/account/sign-in', 'Password'],
  ['de-DE', '/account/sign-in', 'Passwort'],
  ['ar', '/account/sign-in', 'كلمة المرور'],
  ['en-US', '/', 'Password'],
])('the pages for members transfer less than 200 KB, in %s at %s', async (locale, path, password) => {
  // This address opens the browser on the app's origin without a page.
  const { page, context } = await site.visit(`${desk.origin}/account/assets/color-scheme.js`, {
    signedIn: false,
    locale,
  });
  const bytes = await loaded(page, desk.origin + path, (opened) => opened.getByLabel(password).first().waitFor());
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(MOST_OF_PORTAL);
  await context.close();
});

it('the first screen of a member who is signed in transfers less than 200 KB', async () => {
  const member = await signUpMember(desk);
  const { page, context } = await site.visit(`${desk.origin}/account/sign-in`, { signedIn: false });
  await page.getByLabel('E-mail').fill(member.email);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(member.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const home = (opened: Page) => opened.getByRole('heading', { name: 'What needs you today?' }).waitFor();
  await home(page);
  const bytes = await loaded(page, `${desk.origin}/`, home);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(MOST_OF_PORTAL);
  await context.close();
});
