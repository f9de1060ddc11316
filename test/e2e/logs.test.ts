import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { admin } from '../support/apps.ts';
import type { Member } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { type Console, openWithMember } from './console.ts';

let site: Console;
let app: AppConnection;
let ines: Member;
beforeAll(async () => {
  const made = await openWithMember(
    'create table public.notes (id int primary key); grant all on public.notes to authenticated',
  );
  ({ site, app, member: ines } = made);
  await ines.client.from('notes').select();
  await ines.client.from('nowhere').select();
});
afterAll(() => site.close());

describe('LogsPage', () => {
  it('opens with keys, shows new requests, and links to their traces', async () => {
    const { page, context, problems } = await site.visit(`/app/${app.ref}`);
    await page.getByText('Publishable key').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    const table = page.getByRole('table', { name: 'Calls' });
    await table.getByText('/notes').waitFor();
    await ines.client.from('notes').insert({ id: 1 });
    await table.getByText('POST').first().waitFor();
    const first = table.getByRole('row').nth(1).getByRole('button');
    await first.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/\/calls\/.+/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('shows the console’s own requests only if they are chosen', async () => {
    const { page, context } = await site.visit(`/app/${app.ref}/data?table=public.notes`);
    await page.waitForResponse(/\/rest\/v1\/notes/);
    await page.goto(new URL(`/app/${app.ref}/logs`, page.url()).href);
    const table = page.getByRole('table', { name: 'Calls' });
    await table.getByText('/notes').first().waitFor();
    expect(await table.getByText('console').count()).toBe(0);
    await page.getByRole('checkbox', { name: 'console' }).check();
    await table.getByText('console, as service key').first().waitFor();
    expect(new URL(page.url()).searchParams.get('caller')).toBe('anon,console,key,member');
    await context.close();
  });

  it('filters requests by outcome, search text and the page’s address', async () => {
    const { page, context } = await site.visit(`/app/${app.ref}/logs?user=${ines.user.id}`);
    const table = page.getByRole('table', { name: 'Calls' });
    await table.getByText('/notes').first().waitFor();
    await page.getByRole('checkbox', { name: '2xx' }).uncheck();
    await table.getByText('PGRST205').waitFor();
    await expect.poll(() => table.getByText('/notes').count()).toBe(0);
    await page.reload();
    await table.getByText('PGRST205').waitFor();
    await page.getByRole('checkbox', { name: '2xx' }).check();
    await page.getByRole('button', { name: 'Show calls of any user' }).click();
    await page.getByRole('searchbox', { name: 'Search the logs' }).fill(ines.email);
    await table.getByText('PGRST205').waitFor();
    await page.getByRole('searchbox', { name: 'Search the logs' }).fill('no such thing');
    await page.getByText('No request matches “no such thing”').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await table.getByText('/notes').first().waitFor();
    await context.close();
  });

  it('counts requests by status and path, and saves a search', async () => {
    const { page, context, problems } = await site.visit(`/app/${app.ref}/logs`);
    const table = page.getByRole('table', { name: 'Calls' });
    await table.getByText('/notes').first().waitFor();
    const filters = page.getByRole('navigation', { name: 'Searches and filters' });
    await filters.getByRole('checkbox', { name: '/rest/v1/notes' }).waitFor();
    await page
      .getByRole('figure', { name: 'Requests over time' })
      .getByText(/^4xx \d/)
      .waitFor();
    await filters.getByRole('button', { name: 'Show only /rest/v1/nowhere' }).click({ force: true });
    await expect.poll(() => table.getByText('/rest/v1/notes').count()).toBe(0);
    await filters.getByRole('button', { name: 'Save this search' }).click();
    await page.keyboard.type('Nowhere');
    await page.keyboard.press('Enter');
    await filters.getByRole('button', { name: 'Members’ calls' }).click();
    await table.getByText('/rest/v1/notes').first().waitFor();
    // Each saved search has the number of its requests in the shown period.
    await filters.getByRole('button', { name: /^Nowhere \d+$/ }).click();
    await page.getByRole('button', { name: 'Show calls of any path' }).waitFor();
    await expect.poll(() => table.getByText('/rest/v1/notes').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('chooses a period, in which no requests appear by themselves, and returns to live', async () => {
    const { page, context } = await site.visit(`/app/${app.ref}/logs`);
    const table = page.getByRole('table', { name: 'Calls' });
    await table.getByText('/notes').first().waitFor();
    await page.getByRole('button', { name: 'Choose a time' }).click();
    await page.getByLabel('From').fill('2026-01-01T10:00');
    await page.getByLabel('To', { exact: true }).fill('2026-01-01T11:00');
    await page.keyboard.press('Enter');
    await page.getByText('No stored request matches this filter').waitFor();
    await page.getByRole('button', { name: 'Go live' }).click();
    await table.getByText('/notes').first().waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Go live' }).click();
    // Selected text stays, because no new requests move it. A drag over the bars chooses the period below it.
    await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('tbody') as Element));
    const isLive = page.locator('[class*="asOf"] [class*="dot"]');
    await expect.poll(() => isLive.count()).toBe(0);
    await page.evaluate(() => getSelection()?.removeAllRanges());
    await isLive.waitFor();
    const bars = await page.locator('figure svg').boundingBox();
    if (!bars) throw new Error('The page shows no bars.');
    await page.mouse.move(bars.x + bars.width * 0.25, bars.y + 10);
    await page.mouse.down();
    await page.mouse.move(bars.x + bars.width * 0.5, bars.y + 10, { steps: 3 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Go live' }).waitFor();
    const { searchParams } = new URL(page.url());
    const [from, to] = ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
    expect(((to ?? 0) - (from ?? 0)) / 60_000).toBeCloseTo(16, -1);
    await context.close();
  });

  it('opens the line of the log for a request whose trace is not stored', async () => {
    // The traces of slow requests are stored, and on a busy machine any request may be slow.
    await admin(site.node, 'PUT', `/apps/${app.ref}/settings/logs_slow_milliseconds`, { value: 3_600_000 });
    const requestId = randomUUID();
    const { origin, pathname } = new URL(`${app.url}/auth/v1/settings`);
    const ask = async (headers: Record<string, string> = {}) => {
      const { status } = await send(origin, pathname, { headers: { apikey: app.publishable_key, ...headers } });
      expect(status).toBe(200);
    };
    await ask({ 'x-request-id': requestId });
    // Requests in a row use one connection, which has one worker. They replace the trace in its memory.
    for (let i = 0; i <= limits.rememberedCalls.default; i++) await ask();
    const { page, context, problems } = await site.visit(`/app/${app.ref}/calls/${requestId}`);
    await page.getByText('The steps of this request are not stored.', { exact: false }).waitFor();
    await page.getByText('An unknown caller called GET /auth/v1/settings', { exact: false }).waitFor();
    await page.getByText(requestId, { exact: true }).waitFor();
    const chapters = page.getByRole('navigation', { name: 'App' });
    expect(await chapters.locator('[aria-current="page"]').allInnerTexts()).toEqual([
      expect.stringMatching(/^7\s*Calls/),
    ]);
    expect(problems.splice(0)).toEqual([expect.stringContaining('404')]);
    await context.close();
  });
});
