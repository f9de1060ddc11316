import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { type Console, openConsole } from './console.ts';

const MIB = 1024 * 1024;

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('the page Files continues a large upload where it ended, after a pause and after a reload', async () => {
  const app = await createApp(site.node);
  const { storage } = clientOf(app, app.secret_key);
  await storage.createBucket('large', { public: false });
  const { page, context } = await site.visit(`/app/${app.ref}/files?bucket=large`);
  await page.getByText('No files in large yet').waitFor();

  // The second part does not reach the server before the upload is paused.
  const offsets: string[] = [];
  let holds = true;
  await page.route('**/storage/v1/upload/resumable/**', async (route) => {
    const request = route.request();
    if (request.method() === 'PATCH') offsets.push(request.headers()['upload-offset'] ?? '');
    if (request.method() === 'PATCH' && holds) return;
    await route.continue();
  });
  const bytes = Buffer.alloc(15 * MIB, 'ninefold');
  const file = join(await makeTestFolder('upload'), 'video.bin');
  await writeFile(file, bytes);
  const choose = () => page.getByLabel('Files to upload').first().setInputFiles(file);
  await choose();
  await expect.poll(() => offsets).toEqual([String(6 * MIB)]);
  await page.getByRole('button', { name: 'Pause video.bin' }).click();
  await page.getByText('Paused at 40%').waitFor();

  await page.reload();
  await page.getByText('No files in large yet').waitFor();
  holds = false;
  await choose();
  await page.getByText('Done, 15 MB').waitFor();
  expect(offsets).toEqual([6, 6, 12].map((offset) => String(offset * MIB)));
  const { data } = await storage.from('large').download('video.bin');
  expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(bytes)).toBe(true);
  await context.close();
});
