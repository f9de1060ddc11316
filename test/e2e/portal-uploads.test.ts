import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, createAppWith, runSql } from '../support/apps.ts';
import { png } from '../support/pictures.ts';
import { type Console, openConsole } from './console.ts';
import { inBoth, signUpOnPages } from './portal-pages.ts';

let site: Console;
let folder: string;
beforeAll(async () => {
  site = await openConsole();
  folder = await mkdtemp(join(tmpdir(), 'ninefold-uploads-'));
});
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

it('a large upload that a reload ends continues where it was, after the member chooses the file again', async () => {
  const app = await createApp(site.node, { template: 'helpdesk' });
  const { page } = await signUpOnPages(site, app, 'Dana', 'wide');
  const bytes = randomBytes(15_000_000);
  const file = join(folder, 'recording.bin');
  await writeFile(file, bytes);
  let sent = 0;
  let isDown = false;
  // The connection is lost after the first part.
  await page.route('**/storage/v1/upload/resumable**', async (route) => {
    if (isDown) return route.abort('connectionfailed');
    if (route.request().method() === 'PATCH' || route.request().method() === 'POST') {
      sent += route.request().postDataBuffer()?.length ?? 0;
      isDown = sent > 0;
    }
    return route.continue();
  });
  await page.goto(`${app.origin}/tickets/new`);
  await page.getByLabel('Subject').fill('A recording');
  await page.getByLabel('Description').fill('It shows the fault.');
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('No connection. Continues by itself').waitFor();
  expect(sent).toBeGreaterThan(1_000_000);

  await page.reload();
  await page.getByText('Choose it again to continue').waitFor();
  isDown = false;
  await page.unroute('**/storage/v1/upload/resumable**');
  const continued = page.waitForRequest(
    (request) => request.url().includes('/upload/resumable') && request.method() === 'PATCH',
  );
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('15 MB', { exact: true }).waitFor();
  expect(Number((await continued).headers()['upload-offset'])).toBe(sent);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Open recording.bin' }).click();
  const downloading = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download recording.bin' }).click();
  const stored = Buffer.concat(await (await (await downloading).createReadStream()).toArray());
  expect(stored.equals(bytes)).toBe(true);
});

it('a member uploads a picture of themselves, replaces and removes it, if the app has a public bucket avatars', async () => {
  const app = await createAppWith(
    site.node,
    `insert into storage.buckets (id, name, public) values ('avatars', 'avatars', true);
     create policy "own picture" on storage.objects for all to authenticated
       using (bucket_id = 'avatars' and (storage.foldername(name))[1] = (select auth.uid())::text);`,
  );
  const stored = async () => (await runSql(site.node, app.ref, 'select name from storage.objects')).results[0]?.rows;
  const { page, problems } = await signUpOnPages(site, app, 'Zoë Quick', 'wide');
  await page.goto(`${app.origin}/account`);
  const section = page.getByRole('region', { name: 'Picture' });
  const choose = (rgb: readonly [number, number, number]) =>
    section
      .locator('input[type=file]')
      .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png(900, 600, rgb) });
  await choose([200, 30, 30]);
  const image = section.getByRole('img', { name: 'Picture' });
  await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBe(512);
  const first = await image.getAttribute('src');
  await inBoth(page);
  await choose([30, 30, 200]);
  await expect.poll(() => image.getAttribute('src')).not.toBe(first);
  await expect.poll(async () => (await stored())?.length).toBe(1);
  await section.getByRole('button', { name: 'Remove' }).click();
  await expect.poll(async () => (await stored())?.length).toBe(0);
  expect(problems).toEqual([]);

  const without = await createAppWith(site.node, 'create table public.things (id int)');
  const other = await signUpOnPages(site, without, 'Zoë Quick', 'wide');
  await other.page.goto(`${without.origin}/account`);
  await other.page.getByRole('region', { name: 'Profile' }).waitFor();
  expect(await other.page.getByRole('region', { name: 'Picture' }).count()).toBe(0);
  expect(other.problems).toEqual([]);
});
