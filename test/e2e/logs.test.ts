import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { Member } from '../support/clients.ts';
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
    await page.getByRole('button', { name: 'App and console' }).click();
    await table.getByText('console, as service key').first().waitFor();
    expect(new URL(page.url()).searchParams.get('console')).toBe('true');
    await context.close();
  });

  it('filters requests by outcome, search text and the page’s address', async () => {
    const { page, context } = await site.visit(`/app/${app.ref}/logs?user=${ines.user.id}`);
    const table = page.getByRole('table', { name: 'Calls' });
    await table.getByText('/notes').first().waitFor();
    await page.getByRole('button', { name: '4xx' }).click();
    await table.getByText('PGRST205').waitFor();
    await expect.poll(() => table.getByText('/notes').count()).toBe(0);
    await page.reload();
    await table.getByText('PGRST205').waitFor();
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Show calls of any user' }).click();
    await page.getByRole('searchbox', { name: 'Search the logs' }).fill(ines.email);
    await table.getByText('PGRST205').waitFor();
    await page.getByRole('searchbox', { name: 'Search the logs' }).fill('no such thing');
    await page.getByText('No request matches “no such thing”').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await table.getByText('/notes').first().waitFor();
    await context.close();
  });
});
