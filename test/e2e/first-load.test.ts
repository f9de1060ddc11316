import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../support/apps.ts';
import { type Console, openConsole } from './console.ts';

/** Maximum size of a page's first load in bytes over the wire, without fonts and API requests. */
const MOST = 300_000;

let site: Console;
beforeAll(async () => {
  site = await openConsole();
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
  await page.goto(new URL(path, site.node.url).href);
  await ready(page);
  return [...counted.values()].reduce((sum, bytes) => sum + bytes, 0);
}

it.each<[string, boolean, (ref: string) => string, (page: Page) => Promise<void>]>([
  ['the sign-in', false, () => '/', (page) => page.getByRole('button', { name: 'Sign in' }).waitFor()],
  ['the list of apps', true, () => '/', (page) => page.getByRole('table', { name: 'Apps' }).waitFor()],
  ['the contents of an app', true, (ref) => `/app/${ref}`, (page) => page.getByText('Publishable key').waitFor()],
])('%s: loads less than 300 KB', async (_, signedIn, path, ready) => {
  const { ref } = await createApp(site.node);
  // This visit puts the icon, which every page loads, into the cache.
  const { page, context } = await site.visit('/assets/mark.svg', { signedIn });
  const bytes = await loaded(page, path(ref), ready);
  expect(bytes).toBeGreaterThan(100_000);
  expect(bytes).toBeLessThan(MOST);
  await context.close();
});
