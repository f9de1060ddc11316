import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { uniqueEmail } from '../support/unique.ts';
import { faults, faultsOfColour } from './accessible-pages.ts';
import { type Console, sizes } from './console.ts';

/** The password of members that `signUpOnPages` signs up. */
export const memberPassword = 'plum-kettle-91';

/**
 * Signs a member of an app up on its pages.
 * @param first Title of the first page of members.
 */
export async function signUpOnPages(
  site: Console,
  of: AppConnection,
  name: string,
  size: keyof typeof sizes,
  first = 'What needs you today?',
) {
  const visit = await site.visit(`${of.origin}/account/sign-up`, { signedIn: false, viewport: sizes[size] });
  const { page } = visit;
  const email = uniqueEmail();
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(memberPassword);
  await page.getByRole('button', { name: 'Make account' }).click();
  await page.getByRole('heading', { name: first }).first().waitFor();
  return { ...visit, email };
}

/**
 * Checks a page in both themes: no fault of accessibility, and no scrolling sideways. The second theme is checked for
 * the faults that its colours can cause, because the rest of the page is equal.
 */
export async function inBoth(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  for (const [colorScheme, found] of [
    ['light', faults],
    ['dark', faultsOfColour],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    expect(await found(page)).toEqual([]);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}
