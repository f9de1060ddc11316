import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { consoleHeader } from '../../contract/admin.ts';
import type { DeployFunction } from '../../contract/functions.ts';
import type { BuilderLink } from '../../contract/team.ts';
import { admin, createApp } from '../support/apps.ts';
import { makeBuilder, signInBuilder } from '../support/builder.ts';
import { startNode } from '../support/node.ts';
import { uniqueEmail } from '../support/unique.ts';
import { browse, type Console, openConsole, readClipboard, sizes } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

const readsSecret = `Deno.serve(() => {
  console.error('answers with a greeting');
  return Response.json({ greeting: Deno.env.get('GREETING') ?? 'no greeting' });
});
`;

/** Opens a tab of the panel. */
const openTab = (panel: Locator, name: string) => panel.getByRole('tab', { name }).click();

/** Replaces the text of the editor. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /\.ts\. Escape/ }).click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

/** Calls the function with the form, and waits for a response with this text. */
async function expectReply(panel: Locator, text: string): Promise<void> {
  await openTab(panel, 'Try it');
  await panel.getByRole('button', { name: 'Run' }).click();
  await panel.getByText(text).waitFor();
}

/** Saves pictures of the page in both sizes and both schemes, if the folder is named. */
async function takePictures(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  for (const [size, box] of Object.entries({ ...sizes, usual: { width: 1280, height: 800 } })) {
    for (const scheme of ['light', 'dark'] as const) {
      await page.setViewportSize(box);
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${folder}/functions-${name}-${size}-${scheme}.png` });
    }
  }
  await page.setViewportSize(sizes.wide);
}

it('the page Functions creates, calls, changes and deletes a function', async () => {
  const app = await createApp(site.node);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/functions`);
  await page.getByText('No functions yet.').waitFor();
  await takePictures(page, 'empty');

  await page.getByRole('button', { name: 'Deploy from the CLI' }).click();
  const commands = page.getByRole('dialog', { name: 'Deploy from the CLI' });
  await commands.getByText(`functions deploy ${app.ref} . --only hello`).waitFor();
  await takePictures(page, 'cli');
  await commands.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'New function' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New function' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('1st');
  await dialog.getByText('A name begins with a letter').waitFor();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('hello');
  await takePictures(page, 'new');
  await dialog.getByRole('button', { name: 'Deploy' }).click();
  const panel = page.getByRole('complementary', { name: 'Function hello' });

  await expectReply(panel, '"Hello, Ines, from hello"');
  await takePictures(page, 'try');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await panel.getByRole('button', { name: /as curl/ }).click();
  await page.getByText(/^Copied the request as curl/).waitFor({ state: 'attached' });
  const curl = await readClipboard(context, site.node);
  expect(curl).toContain(`curl -X POST '${app.url}/functions/v1/hello'`);
  expect(curl).toContain(`apikey: ${app.publishable_key}`);

  await openTab(panel, 'Logs');
  const output = panel.getByRole('list', { name: 'Output' });
  await output.getByText('called by POST').waitFor();
  await output
    .getByRole('link', { name: /^Request of/ })
    .first()
    .click();
  await page.getByText('/functions/v1/hello').first().waitFor();
  await page.getByText('the code of the function answered').waitFor();
  await page.getByText('called by POST').first().waitFor();
  await page.goBack();
  await output.getByText('called by POST').waitFor();

  await openTab(panel, 'Code');
  await write(page, "import { missing } from './missing.ts';\nDeno.serve(() => missing());");
  await panel.getByRole('button', { name: 'Deploy' }).click();
  await panel.getByRole('alert').getByText('Version 1 still runs.').waitFor();
  await panel.getByRole('alert').getByRole('button', { name: 'hello/index.ts:1' }).click();
  await panel
    .getByRole('textbox', { name: /index\.ts/ })
    .getByText('was not sent')
    .waitFor();
  await takePictures(page, 'fault');
  await expectReply(panel, '"Hello, Ines, from hello"');

  await openTab(panel, 'Code');
  await write(page, readsSecret);
  await panel.getByRole('textbox', { name: 'Note about the change' }).fill('greet with a secret');
  await page.getByRole('textbox', { name: /index\.ts/ }).press('ControlOrMeta+s');
  await panel.getByText('Version 2 runs.').waitFor();
  await expectReply(panel, '"no greeting"');

  await page.getByRole('button', { name: 'Add secret' }).click();
  const secret = page.getByRole('dialog', { name: 'Add secret' });
  await secret.getByRole('textbox', { name: 'Name' }).fill('SUPABASE_URL');
  await secret.getByText('The node sets variables that begin with SUPABASE_').waitFor();
  await takePictures(page, 'secret');
  await secret.getByRole('textbox', { name: 'Name' }).fill('GREETING');
  await secret.getByLabel('Value', { exact: true }).fill('good morning');
  await secret.getByRole('button', { name: 'Add', exact: true }).click();
  const secrets = page.getByRole('list', { name: 'Secrets' });
  await secrets.getByText('read by hello').waitFor();
  await expectReply(panel, '"good morning"');

  await openTab(panel, 'Logs');
  await panel.getByRole('button', { name: 'Errors' }).click();
  await output.getByText('answers with a greeting').first().waitFor();
  expect(await output.getByText('called by POST').count()).toBe(0);
  await takePictures(page, 'logs');

  await openTab(panel, 'Versions');
  await panel.getByText('greet with a secret').waitFor();
  await takePictures(page, 'versions');
  await panel.getByRole('button', { name: 'Return to it: version 1' }).click();
  await panel.getByRole('button', { name: 'Return to it: version 2' }).waitFor();
  await secrets.getByText('read by no function').waitFor();
  await expectReply(panel, '"Hello, Ines, from hello"');

  const call = async () => (await fetch(`${app.url}/functions/v1/hello`)).status;
  expect(await call()).toBe(401);
  await panel.getByRole('switch', { name: 'Verify callers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Let everybody call' }).click();
  await panel.getByRole('switch', { name: 'Verify callers', checked: false }).waitFor();
  expect(await call()).toBe(200);
  await openTab(panel, 'Versions');
  await panel.getByRole('switch', { name: 'Function runs' }).click();
  await panel.getByText('Switched off').waitFor();
  expect(await call()).toBe(404);

  await secrets.getByRole('button', { name: 'Remove GREETING' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No secrets yet.').waitFor();
  await panel.getByRole('button', { name: 'Delete function' }).click();
  const deleting = page.getByRole('dialog', { name: 'Delete function' });
  await deleting.getByRole('textbox').fill('hello');
  await deleting.getByRole('button', { name: 'Delete function' }).click();
  await page.getByText('No functions yet.').waitFor();
  // The browser reports the response to the deployment that was refused.
  expect(problems).toEqual([expect.stringContaining('status of 422')]);
  await context.close();
});

/** A function whose answer is in another file, which an import map names. */
const withImportMap: DeployFunction = {
  files: {
    'hello/index.ts': "import { word } from 'words';\nDeno.serve(() => new Response(word));",
    'hello/words.ts': "export const word = 'one';",
    'hello/deno.json': '{ "imports": { "words": "./words.ts" } }',
  },
  entrypoint: 'hello/index.ts',
  import_map: 'hello/deno.json',
  verify_jwt: false,
};

it('the page Functions edits a deployed function as it was deployed, and counts the calls of clients', async () => {
  const app = await createApp(site.node);
  await admin(site.node, 'PUT', `/apps/${app.ref}/functions/hello`, withImportMap);
  const answer = async () => (await fetch(`${app.url}/functions/v1/hello`)).text();
  expect([await answer(), await answer()]).toEqual(['one', 'one']);

  const { page, context, problems } = await site.visit(`/app/${app.ref}/functions?function=hello&tab=code`);
  const panel = page.getByRole('complementary', { name: 'Function hello' });
  await panel.getByRole('combobox', { name: 'File' }).selectOption('hello/words.ts');
  await write(page, "export const word = 'two';");
  // Another tab does not discard what is not deployed.
  await openTab(panel, 'Versions');
  await openTab(panel, 'Code');
  await panel.getByText('1 file changed since version 1.').waitFor();
  await panel.getByRole('button', { name: 'Deploy' }).click();
  await panel.getByText('Version 2 runs.').waitFor();
  expect(await answer()).toBe('two');
  await page.getByRole('table', { name: 'Functions' }).getByText('open to everybody').waitFor();
  await page.getByRole('link', { name: '3 times' }).waitFor();
  await panel.getByText('All 3 calls of 24 hours succeeded.').waitFor();
  await takePictures(page, 'code');
  expect(problems).toEqual([]);
  await context.close();
});

it('the page Functions shows a reader of the app figures and versions, but no output, code and secrets', async () => {
  const app = await createApp(site.node);
  await admin(site.node, 'PUT', `/apps/${app.ref}/functions/hello`, withImportMap);
  await admin(site.node, 'PUT', `/apps/${app.ref}/function-secrets`, { SMTP_TOKEN: 'secret' });
  const reader = { email: uniqueEmail('reader'), password: 'a long enough password' };
  const { url } = await admin<BuilderLink>(site.node, 'POST', `/apps/${app.ref}/team/invitations`, {
    email: reader.email,
    role: 'reader',
  });
  const secret = new URL(url).hash.replace('#token=', '');
  const accepted = await fetch(`${site.node.url}/admin/v1/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [consoleHeader]: '1' },
    body: JSON.stringify({ secret, name: 'Arif Rahman', password: reader.password }),
  });
  expect(accepted.status).toBe(204);
  const own = await browse(site.node, await signInBuilder(site.node, reader));
  const { page, problems } = await own.visit(`/app/${app.ref}/functions?function=hello`);
  const panel = page.getByRole('complementary', { name: 'Function hello' });
  await panel.getByRole('list', { name: 'Versions' }).getByText('v1').waitFor();
  await panel.getByText('Callers: open to everybody.').waitFor();
  expect(await page.getByRole('tab').count()).toBe(0);
  expect(await page.getByText('Secrets').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New function' }).getAttribute('aria-disabled')).toBe('true');
  expect(problems).toEqual([]);
  await own.close();
});

it('the page Functions says that a node runs no functions', async () => {
  const node = await startNode({ env: { NINEFOLD_FUNCTIONS: 'off' } });
  try {
    const off = await browse(node, await makeBuilder(node));
    const app = await createApp(node);
    const { page } = await off.visit(`/app/${app.ref}/functions`);
    await page.getByText('This node runs no edge functions').waitFor();
    await off.close();
  } finally {
    await node.stop();
  }
});
