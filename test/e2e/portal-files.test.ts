import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { png } from '../support/pictures.ts';
import { type Console, openConsole, type sizes } from './console.ts';
import { inBoth, signUpOnPages } from './portal-pages.ts';

let site: Console;
let app: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  app = await createApp(site.node, { template: 'helpdesk' });
});
afterAll(() => site.close());

const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: png(400, 300, [42, 102, 209]) });
const text = (name: string, words = 'Some words.') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) });

/** Returns the names of the objects in the bucket of the help desk, in their order. */
async function stored(of: AppConnection = app): Promise<string[]> {
  const { results } = (await runSql(
    site.node,
    of.ref,
    `select coalesce(string_agg(storage.filename(name), ',' order by storage.filename(name)), '') as names from storage.objects`,
  )) as { results: { rows: (string | null)[][] }[] };
  return (results[0]?.rows[0]?.[0] ?? '').split(',').filter((name) => name !== '');
}

async function openForm(name: string, size: keyof typeof sizes = 'wide', of = app) {
  const visit = await signUpOnPages(site, of, name, size);
  await visit.page.goto(`${of.origin}/tickets/new`);
  await visit.page.getByLabel('Subject').fill('Reports are off by an hour');
  await visit.page.getByLabel('Description').fill('Each report starts at 01:00.');
  return visit;
}

const choose = (page: Page, files: ReturnType<typeof text>[]) => page.locator('input[type=file]').setInputFiles(files);

/** Waits until a file is uploaded: its tile shows its size. */
const uploaded = (page: Page, name: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
    .filter({ hasText: /\d (bytes|kB)$/, hasNotText: '%' })
    .waitFor();

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

it('a member uploads files in a form, keeps them over a reload, previews and downloads them, and removes one', async () => {
  const own = await createApp(site.node, { template: 'helpdesk' });
  const { page, problems } = await openForm('Dana', 'wide', own);
  await choose(page, [picture('one.png'), text('two.txt'), text('three.txt')]);
  for (const name of ['one.png', 'two.txt', 'three.txt']) await uploaded(page, name);
  await page.reload();
  for (const name of ['one.png', 'two.txt', 'three.txt']) await uploaded(page, name);
  await page.getByRole('button', { name: 'Remove three.txt' }).click();
  await expect.poll(() => page.getByText('three.txt').count()).toBe(0);
  expect(await stored(own)).toEqual(['one.png', 'three.txt', 'two.txt']);
  await inBoth(page);
  await save(page);
  await page.getByRole('heading', { name: 'Reports are off by an hour' }).waitFor();
  await expect.poll(() => stored(own)).toEqual(['one.png', 'two.txt']);

  const files = page.getByRole('region', { name: 'Attachments' });
  await files.locator('img').waitFor();
  await inBoth(page);
  await files.getByRole('button', { name: 'Open one.png' }).click();
  const preview = page.getByRole('dialog');
  await expect
    .poll(() => preview.getByRole('img', { name: 'one.png' }).evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(400);
  await inBoth(page);
  await page.keyboard.press('ArrowRight');
  const downloading = page.waitForEvent('download');
  await preview.getByRole('link', { name: 'Download two.txt' }).click();
  const file = await (await downloading).createReadStream();
  expect(Buffer.concat(await file.toArray()).toString()).toBe('Some words.');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

  await page.getByRole('link', { name: 'Change' }).click();
  await page.getByRole('button', { name: 'Remove one.png' }).click();
  await save(page);
  await page.getByRole('heading', { name: 'Reports are off by an hour' }).waitFor();
  await expect.poll(() => stored(own)).toEqual(['two.txt']);
  expect(problems).toEqual([]);
});

it('a form deletes its uploads if the member discards it', async () => {
  const own = await createApp(site.node, { template: 'helpdesk' });
  const { page } = await openForm('Robin', 'wide', own);
  await choose(page, [text('draft.txt')]);
  await uploaded(page, 'draft.txt');
  expect(await stored(own)).toEqual(['draft.txt']);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => stored(own)).toEqual([]);
});

it('a member on a phone drops and pastes files, and a file that the field refuses says why', async () => {
  const { page } = await openForm('Maren', 'phone');
  const give = (event: 'drop' | 'paste', name: string, words: string) =>
    page.locator('[data-files]').evaluate(
      (box, [type, file, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], file, { type: 'text/plain' }));
        const init = { bubbles: true, cancelable: true };
        box.dispatchEvent(
          type === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: transfer })
            : new ClipboardEvent('paste', { ...init, clipboardData: transfer }),
        );
      },
      [event, name, words] as const,
    );
  await give('drop', 'dropped.txt', 'words');
  await uploaded(page, 'dropped.txt');
  await give('paste', 'pasted.txt', 'more words');
  await uploaded(page, 'pasted.txt');
  await give('drop', 'empty.txt', '');
  await page.getByText('The file is empty').waitFor();
  await inBoth(page);
  await page.getByRole('button', { name: 'Remove empty.txt' }).click();
  await save(page);
  await page.getByRole('button', { name: 'Open pasted.txt' }).waitFor();
});

it('a form waits for its uploads before it is saved, and continues after a lost connection', async () => {
  const { page } = await openForm('Noor');
  let fails = true;
  await page.route('**/storage/v1/object/attachments/**', (route) => {
    if (route.request().method() !== 'POST' || !fails) return route.continue();
    return route.abort('connectionfailed');
  });
  await choose(page, [text('late.txt')]);
  await page.getByText('No connection. Continues by itself').waitFor();
  await save(page);
  await page.getByText('Goes when late.txt is here.').waitFor();
  fails = false;
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.getByRole('button', { name: 'Open late.txt' }).waitFor();
});

it('a member who does not see a ticket sees none of its files, on no path of the API', async () => {
  const { page } = await openForm('Ada');
  await choose(page, [text('private.txt', 'a secret')]);
  await uploaded(page, 'private.txt');
  await save(page);
  await page.getByRole('button', { name: 'Open private.txt' }).waitFor();
  const address = page.url();
  const path = await page.evaluate(async () => {
    const session = JSON.parse(
      localStorage.getItem(Object.keys(localStorage).find((key) => key.endsWith('-auth-token')) ?? '') ?? '{}',
    );
    return session.user.id as string;
  });
  const { results } = (await runSql(
    site.node,
    app.ref,
    `select name from storage.objects where name like '${path}/%'`,
  )) as { results: { rows: string[][] }[] };
  const name = results[0]?.rows[0]?.[0] ?? '';
  expect(name).toContain('private.txt');

  const other = await signUpOnPages(site, app, 'Bob', 'wide');
  await other.page.goto(address);
  await other.page.getByRole('heading', { name: 'There is no such ticket' }).waitFor();
  const statuses = await other.page.evaluate(
    async ([apikey, file]) => {
      const key = Object.keys(localStorage).find((one) => one.endsWith('-auth-token')) ?? '';
      const { access_token } = JSON.parse(localStorage.getItem(key) ?? '{}');
      const headers = { apikey, authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
      const place = `attachments/${file}`;
      const body = JSON.stringify({ expiresIn: 60 });
      const replies = await Promise.all([
        fetch(`/storage/v1/object/authenticated/${place}`, { headers }),
        fetch(`/storage/v1/object/public/${place}`),
        fetch(`/storage/v1/object/info/${place}`, { headers }),
        fetch(`/storage/v1/object/sign/${place}`, { method: 'POST', headers, body }),
        fetch(`/storage/v1/render/image/authenticated/${place}?width=10`, { headers }),
      ]);
      return replies.map(({ status }) => status);
    },
    [app.publishable_key, name] as const,
  );
  expect(statuses.every((status) => status === 400 || status === 404)).toBe(true);
});

it('the page Data shows the files of a row, and a builder adds one', async () => {
  const own = await createApp(site.node, { template: 'helpdesk' });
  const member = await openForm('Dana', 'wide', own);
  await choose(member.page, [picture('one.png')]);
  await uploaded(member.page, 'one.png');
  await save(member.page);
  await member.page.getByRole('button', { name: 'Open one.png' }).waitFor();

  const { page, problems } = await site.visit(`/app/${own.ref}/data?table=public.tickets`);
  await page.getByRole('rowheader', { name: '1', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Row 1' });
  await panel.getByRole('button', { name: 'Open one.png' }).waitFor();
  await panel.locator('img').waitFor();
  await panel.getByRole('button', { name: 'Edit attachments' }).click();
  await choose(page, [text('two.txt')]);
  await uploaded(page, 'two.txt');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByRole('button', { name: 'Open two.txt' }).waitFor();
  expect(await stored(own)).toEqual(['one.png', 'two.txt']);
  await panel.getByRole('button', { name: 'Edit attachments' }).click();
  await panel.getByRole('button', { name: 'Remove one.png' }).click();
  await panel.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => stored(own)).toEqual(['two.txt']);

  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'CSV' }).first().click();
  const csv = Buffer.concat(await (await (await downloading).createReadStream()).toArray()).toString();
  expect(csv).toMatch(
    /https?:\/\/\S+\/storage\/v1\/object\/authenticated\/attachments\/builders\/tickets\/\S+\/two\.txt/,
  );
  expect(problems).toEqual([]);
});
