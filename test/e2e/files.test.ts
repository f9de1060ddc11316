import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { type Console, openConsole, readClipboard, sizes, type Visit } from './console.ts';

/** A red point: the smallest picture that a browser shows. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

/** Creates an app with a bucket `photos` and these objects, and opens its page. */
async function openFiles(
  objects: readonly (readonly [name: string, body: Buffer, contentType: string])[] = [],
  options: Parameters<Console['visit']>[1] = {},
): Promise<Visit & { app: AppConnection }> {
  const app = await createApp(site.node);
  const { storage } = clientOf(app, app.secret_key);
  const made = await storage.createBucket('photos', { public: false });
  if (made.error) throw made.error;
  for (const [name, body, contentType] of objects) {
    const { error } = await storage.from('photos').upload(name, body, { contentType });
    if (error) throw error;
  }
  return { ...(await site.visit(`/app/${app.ref}/files?bucket=photos`, options)), app };
}

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Files of photos' }).getByRole('button', { name, exact: true });
const text = (words: string) => Buffer.from(words);

/** Drops files on the page, as a browser does after the pointer has dragged them from another window. */
async function drop(page: Page, files: readonly { name: string; type: string; text: string }[]): Promise<void> {
  const data = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    for (const { name, type, text: words } of given) transfer.items.add(new File([words], name, { type }));
    return transfer;
  }, files);
  const area = page.getByRole('main');
  await area.getByRole('navigation', { name: 'Buckets' }).dispatchEvent('dragenter', { dataTransfer: data });
  await page.getByText('Drop to upload into').waitFor();
  await area.getByRole('navigation', { name: 'Buckets' }).dispatchEvent('drop', { dataTransfer: data });
}

describe('buckets of the page Files', () => {
  it('are created with a limit and types, changed, emptied and deleted', async () => {
    const app = await createApp(site.node);
    const { page, context, problems } = await site.visit(`/app/${app.ref}/files`);
    await page.getByText('No buckets yet').waitFor();
    await page.getByRole('button', { name: 'Create bucket' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('photos');
    await page.getByRole('textbox', { name: 'Largest file' }).fill('2');
    await page.getByRole('textbox', { name: 'Allowed types' }).fill('image/*\ntext/plain');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('No files in photos yet').waitFor();
    const { storage } = clientOf(app, app.secret_key);
    const created = await storage.getBucket('photos');
    expect(created.data).toMatchObject({
      public: false,
      file_size_limit: 2 * 1024 * 1024,
      allowed_mime_types: ['image/*', 'text/plain'],
    });

    await page.getByRole('button', { name: 'More of photos' }).click();
    await page.getByRole('menuitem', { name: 'Edit bucket' }).click();
    await page.getByRole('radio', { name: /^Public/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: /photos.*public/ }).waitFor();
    expect((await storage.getBucket('photos')).data).toMatchObject({ public: true, file_size_limit: 2_097_152 });

    await storage.from('photos').upload('a.txt', text('a'), { contentType: 'text/plain' });
    await page.reload();
    await row(page, 'a.txt').waitFor();
    await page.getByRole('button', { name: 'More of photos' }).click();
    await page.getByRole('menuitem', { name: 'Empty bucket' }).click();
    await page.getByRole('textbox', { name: /^Type photos/ }).fill('photos');
    await page.getByRole('button', { name: 'Empty', exact: true }).click();
    await page.getByText('No files in photos yet').waitFor();

    await page.getByRole('button', { name: 'More of photos' }).click();
    await page.getByRole('menuitem', { name: 'Delete bucket' }).click();
    await page.getByRole('textbox', { name: /^Type photos/ }).fill('photos');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No buckets yet').waitFor();
    expect((await storage.listBuckets()).data).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('uploads of the page Files', () => {
  it('send files of the file chooser and dropped files into the open folder', async () => {
    const { page, context, app, problems } = await openFiles([['2026/first.txt', text('first'), 'text/plain']]);
    await row(page, '2026, folder').click();
    await row(page, 'first.txt').waitFor();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await (await chooser).setFiles({ name: 'chosen.txt', mimeType: 'text/plain', buffer: text('chosen') });
    await row(page, 'chosen.txt').waitFor();
    await drop(page, [{ name: 'dropped.txt', type: 'text/plain', text: 'dropped' }]);
    await row(page, 'dropped.txt').waitFor();
    await page.getByRole('region', { name: 'Uploads' }).getByText('2 done').waitFor();
    const { data } = await clientOf(app, app.secret_key).storage.from('photos').download('2026/dropped.txt');
    expect(await data?.text()).toBe('dropped');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('replace a file only after the builder says so', async () => {
    const { page, context, app } = await openFiles([['a.txt', text('old'), 'text/plain']]);
    await row(page, 'a.txt').waitFor();
    await drop(page, [{ name: 'a.txt', type: 'text/plain', text: 'new' }]);
    await page.getByText('A file with this name exists').waitFor();
    const photos = clientOf(app, app.secret_key).storage.from('photos');
    expect(await (await photos.download('a.txt')).data?.text()).toBe('old');
    await page.getByRole('button', { name: 'Replace a.txt' }).click();
    await page.getByText('1 done').waitFor();
    expect(await (await photos.download('a.txt')).data?.text()).toBe('new');
    await context.close();
  });

  it('say why the server refuses a file, and continue after the connection was lost', async () => {
    const { page, context, app } = await openFiles();
    await page.getByText('No files in photos yet').waitFor();
    await clientOf(app, app.secret_key).storage.updateBucket('photos', { public: false, allowedMimeTypes: ['text/*'] });
    await drop(page, [{ name: 'a.png', type: 'image/png', text: 'text' }]);
    await page.getByRole('region', { name: 'Uploads' }).getByText('1 refused').waitFor();
    await page.getByRole('button', { name: 'Dismiss a.png' }).click();
    await context.setOffline(true);
    await drop(page, [{ name: 'b.txt', type: 'text/plain', text: 'text' }]);
    await page.getByText('1 waits for the network').waitFor();
    await context.setOffline(false);
    await row(page, 'b.txt').waitFor();
    await context.close();
  });
});

describe('objects of the page Files', () => {
  it('are shown without running anything of them', async () => {
    const { page, context, problems } = await openFiles([
      ['point.png', png, 'image/png'],
      ['notes.txt', text('<script>document.title = "run"</script>'), 'text/plain'],
      ['page.html', text('<script>document.title = "run"</script>'), 'text/html'],
      ['picture.svg', text('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'), 'image/svg+xml'],
    ]);
    await row(page, 'point.png').click();
    const picture = page.getByRole('figure', { name: 'Preview of point.png' }).getByRole('img');
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1);
    await page.keyboard.press('k');
    await page.getByRole('complementary', { name: 'picture.svg' }).getByText('Other files are downloads').waitFor();
    await row(page, 'page.html').click();
    await page.getByRole('complementary', { name: 'page.html' }).getByText('Other files are downloads').waitFor();
    expect(await page.getByRole('button', { name: 'Open', exact: true }).count()).toBe(0);
    await row(page, 'notes.txt').click();
    await page.getByRole('region', { name: 'Text of notes.txt' }).getByText('<script>').waitFor();
    expect(await page.title()).not.toBe('run');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('have a signed link that reads them until the key of signed links is replaced', async () => {
    const { page, context, app } = await openFiles([['a.txt', text('signed'), 'text/plain']]);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await row(page, 'a.txt').click();
    await page.getByRole('button', { name: 'Copy a signed link' }).click();
    await page.getByRole('menuitem', { name: 'Valid for 1 day' }).click();
    await page.getByText('The signed link, valid for 1 day, is copied.').waitFor();
    const link = await readClipboard(context, site.node);
    const path = link.slice(link.indexOf('/storage/v1'));
    const read = async () => (await fetch(`${app.url}${path}`)).status;
    expect(await read()).toBe(200);
    await page.goto(`${site.node.url}/app/${app.ref}/files?view=s3`);
    await page.getByRole('button', { name: 'Replace the key of signed links' }).click();
    await page.getByRole('textbox', { name: /^Type/ }).fill(app.ref);
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await read()).toBe(400);
    await context.close();
  });

  it('are marked with the keyboard, moved into a folder, copied and deleted', async () => {
    const { page, context, app, problems } = await openFiles(
      ['a', 'b', 'c', 'd'].map((name) => [`${name}.txt`, text(name), 'text/plain'] as const),
    );
    await row(page, 'a.txt').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 marked').waitFor();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await page.getByRole('textbox', { name: 'Folder' }).fill('old');
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await row(page, 'old, folder').waitFor();
    await row(page, 'a.txt').waitFor({ state: 'detached' });

    await row(page, 'c.txt').click();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Move or rename' }).click();
    await page.getByRole('textbox', { name: 'Path' }).fill('renamed.txt');
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.getByRole('complementary', { name: 'renamed.txt' }).waitFor();

    await page.getByRole('checkbox', { name: 'Mark old' }).click();
    await page.getByRole('checkbox', { name: 'Mark renamed.txt' }).click({ modifiers: ['Shift'] });
    await page.getByText('3 marked').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No files in photos yet').waitFor();
    const left = await clientOf(app, app.secret_key).storage.from('photos').listV2({ with_delimiter: false });
    expect(left.data?.objects).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are listed page by page, and found by the beginning of their names', async () => {
    const { page, context, app } = await openFiles();
    await runSql(
      site.node,
      app.ref,
      `insert into storage.objects (bucket_id, name, metadata)
       select 'photos', 'file-' || lpad(n::text, 5, '0') || '.txt', '{"size": 1, "mimetype": "text/plain"}' from generate_series(1, 1500) n`,
    );
    await page.reload();
    await row(page, 'file-00001.txt').waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    await page.getByText('file-00001.txt').hover();
    // Each turn reaches the end of what is loaded, and the table then loads more.
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 100_000);
        return page.getByText('file-01500.txt').count();
      })
      .toBe(1);
    await page.getByRole('searchbox', { name: 'Names that begin with' }).fill('file-007');
    await page.getByText('100 files').waitFor();
    await page.getByRole('searchbox', { name: 'Names that begin with' }).fill('nothing');
    await page.getByText('No name here begins with').waitFor();
    await context.close();
  });

  it('are reachable on a phone, where the panel leaves room for the list', async () => {
    const { page, context } = await openFiles([['2026/a.txt', text('a'), 'text/plain']], { viewport: sizes.phone });
    await row(page, '2026, folder').click();
    await row(page, 'a.txt').click();
    await page.getByRole('complementary', { name: 'a.txt' }).waitFor();
    expect(await row(page, 'a.txt').isVisible()).toBe(true);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(sizes.phone.width);
    await context.close();
  });
});

describe('access of the page Files', () => {
  it('adds a typical policy as a migration, says who may do what, and takes the policy back', async () => {
    const { page, context, app, problems } = await openFiles();
    await page.getByText('No policy lets members reach the files').waitFor();
    await page.getByRole('link', { name: 'Add policy' }).click();
    const member = (operation: string) =>
      page
        .getByRole('table', { name: 'Roles, entities' })
        .getByRole('row', { name: operation })
        .getByRole('button')
        .nth(1);
    await member('insert').getByText('never').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Add policy' }).click();
    await page.getByRole('radio', { name: /^Own folder/ }).check();
    await page.getByText('Tried in a transaction: no error').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The policy is added.').waitFor();
    await member('insert').getByText('own folder').click();
    const panel = page.getByRole('complementary', { name: 'Files of photos, insert by authenticated' });
    await panel
      .getByText(
        'A signed-in member may upload a file of the bucket photos if the first folder of name is that member’s id.',
      )
      .waitFor();
    await panel.getByText('create policy').waitFor();
    const { rows } = (
      await runSql(site.node, app.ref, `select count(*)::int from pg_policies where tablename = 'objects'`)
    ).results.at(-1) as { rows: unknown[][] };
    expect(rows).toEqual([['1']]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await member('insert').getByText('never').waitFor({ state: 'attached' });
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('space and S3 keys of the page Files', () => {
  it('count the bytes of buckets, and compare files with their bytes', async () => {
    const { page, context, app } = await openFiles([
      ['a.txt', text('12345'), 'text/plain'],
      ['b.txt', text('12345'), 'text/plain'],
      ['c.txt', text('123'), 'text/plain'],
    ]);
    await runSql(site.node, app.ref, `delete from storage.objects where name = 'c.txt'`);
    await page.goto(`${site.node.url}/app/${app.ref}/files?view=space`);
    await page.getByText('2 files in 1 bucket take').waitFor();
    await page.getByText('Equal contents are stored once, which saves').waitFor();
    await page.getByRole('button', { name: 'Check contents' }).click();
    await page.getByText(/^2 files and \d contents? of .* compared by their bytes/).waitFor();
    await context.close();
  });

  it('show the secret of an access key once', async () => {
    const { page, context, app, problems } = await openFiles();
    await page.goto(`${site.node.url}/app/${app.ref}/files?view=s3`);
    await page.getByRole('button', { name: 'Create access key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Backup');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Backup' });
    const secret = await dialog.getByRole('definition').nth(1).innerText();
    expect(secret.trim()).toMatch(/^[\w-]{40}$/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.reload();
    await page.getByRole('cell', { name: 'Backup', exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret.trim());
    await page.getByRole('button', { name: 'Delete Backup' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No access keys yet').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
