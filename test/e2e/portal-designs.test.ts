import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { PortalScreens } from '../../contract/portal.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { designSchemas, designs } from '../support/portal-schemas.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
let app: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  app = await createApp(site.node);
  for (const design of designs) await runSql(site.node, app.ref, design);
  await admin(site.node, 'PUT', `/apps/${app.ref}/settings/db_schemas`, { value: ['public', ...designSchemas] });
});
afterAll(() => site.close());

/** The designs with the most unusual types and names. test/wire/portal-truth.test.ts reads all of them without a browser. */
const opened =
  /order_lines|transfers|segments|claims|surveys|staff|profiles|stays|trips|places|articles|requests|tasks|open|sums|odd|sales|hall_days|plan/;

it('the portal draws every screen of unusual designs, with rows, forms and boards, without an error', async () => {
  const { email, password, user, session } = await signUpMember(app);
  await runSql(site.node, app.ref, `insert into public.requests (owner, title) values ('${user.id}', 'Of the member')`);
  const { page, context, problems } = await site.visit(`${app.origin}/account/sign-in`, { signedIn: false });
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  // The first page is the screen that a design defines so.
  await page.getByRole('heading', { level: 1, name: 'Open' }).waitFor();
  const headers = { apikey: app.publishable_key, authorization: `Bearer ${session.access_token}` };
  const answer = await fetch(`${app.url}/portal/v1/screens`, { headers });
  const { screens } = (await answer.json()) as PortalScreens;
  const show = async (path: string, heading: string | null) => {
    await page.evaluate((to) => {
      // A page with another address, and a form in place of a row, has a heading of its own.
      if (location.pathname + location.search !== to) document.querySelector('h1')?.setAttribute('data-left', '');
      // The router follows the history of the browser.
      history.pushState({}, '', to);
    }, path);
    // Only the main element of a complete page can be focused. While a page loads rows, a part of it is busy.
    const loaded = page.locator(
      'main[tabindex="-1"]:not(:has([aria-busy="true"], [role="progressbar"])) h1:not([data-left])',
    );
    await (heading === null ? loaded : loaded.filter({ hasText: heading })).waitFor();
    expect([path, await page.getByRole('alert').allInnerTexts()]).toEqual([path, []]);
  };
  let details = 0;
  for (const { route, kind, title } of screens.filter((screen) => opened.test(screen.route))) {
    if (kind === 'detail') continue;
    await show(route, title);
    const link = page.locator('main table td a').first();
    if (kind !== 'list' || (await link.count()) === 0) continue;
    const path = (await link.getAttribute('href')) ?? '';
    await show(path, null);
    expect(await page.getByRole('heading', { name: 'There is no' }).count()).toBe(0);
    await show(`${path}?edit=true`, null);
    details += 1;
  }
  expect(details).toBeGreaterThan(8);
  expect(problems).toEqual([]);
  await context.close();
});
