import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { cli } from '../support/node.ts';
import { makeTestFolder } from '../support/test-folder.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

it('a builder imports a key, makes it current, and revokes the previous key after the ref is typed', async () => {
  const app = await createApp(site.node);
  const first = kidOf((await signUpMember(app)).session.access_token);
  const { page, problems } = await site.visit(`/app/${app.ref}/keys`);
  await page.getByRole('row', { name: first }).waitFor();

  await page.getByRole('button', { name: 'Import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import keys' });
  const field = dialog.getByRole('textbox', { name: 'Private JWK or JWKS' });
  await field.fill('no JSON');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('This is not a JSON object.').waitFor();
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  await field.fill(JSON.stringify({ ...jwk, kid: 'brought-along' }));
  await dialog.getByRole('button', { name: 'Import' }).click();

  await page.getByRole('row', { name: 'brought-along' }).click();
  const panel = page.getByRole('complementary', { name: 'Selected key' });
  await panel.getByRole('button', { name: 'Make current' }).click();
  await panel.getByText('Signs every new access token.').waitFor();
  await expect.poll(async () => kidOf((await signUpMember(app)).session.access_token)).toBe('brought-along');

  await page.getByRole('row', { name: first }).click();
  await panel.getByText('Its tokens stay valid until they expire.').waitFor();
  await panel.getByRole('button', { name: 'Revoke' }).click();
  const confirm = page.getByRole('dialog', { name: 'Revoke key' });
  await confirm.getByRole('textbox').fill(app.ref);
  await confirm.getByRole('button', { name: 'Revoke' }).click();
  await panel.getByText('Its tokens are refused.').waitFor();
  expect(problems).toEqual([]);
});

it('a builder creates a secret key, shows it once, and revokes it after the ref is typed', async () => {
  const app = await createApp(site.node);
  const { page, problems } = await site.visit(`/app/${app.ref}/api-keys`);
  await page.getByRole('row', { name: 'service_role' }).waitFor();
  expect(await page.content()).not.toContain(app.secret_key);

  await page.getByRole('button', { name: 'Create secret key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Nightly reports');
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  const shown = page.getByRole('dialog', { name: 'Nightly reports' });
  const key = (await shown.locator('code').textContent()) ?? '';
  expect(key).toMatch(/^sb_secret_/);
  await shown.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: 'Nightly reports' }).click();
  expect(await page.content()).not.toContain(key);
  const status = async () => (await fetch(`${app.url}/rest/v1/`, { headers: { apikey: key } })).status;
  expect(await status()).toBe(200);

  const panel = page.getByRole('complementary', { name: 'Selected key' });
  await panel.getByRole('button', { name: 'Revoke' }).click();
  const confirm = page.getByRole('dialog', { name: 'Revoke key' });
  await confirm.getByRole('textbox').fill(app.ref);
  await confirm.getByRole('button', { name: 'Revoke' }).click();
  await panel.getByText('Calls with this key are refused.').waitFor();
  await expect.poll(status).toBe(401);
  expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
});

it('a front end of the app’s own gets the member after the sign-in, and the settings serve an earlier version, then the pages for members', async () => {
  const app = await createApp(site.node);
  const folder = await makeTestFolder('settings-site');
  for (const title of ['First', 'Second']) {
    await writeFile(join(folder, 'index.html'), `<!doctype html><title>${title}</title>`);
    expect(await cli(site.node, ['site', app.ref, folder])).toMatchObject({ code: 0 });
  }
  const host = `${app.ref}.localhost:${new URL(site.node.url).port}`;
  const served = async () => (await send(site.node.url, '/', { headers: { host, accept: 'text/html' } })).body;

  // After the sign-in, the browser loads the address from the front end instead of a page for members.
  const { email, password } = await signUpMember(app);
  const member = await site.visit(`${app.origin}/account/sign-in?next=/tickets/7?x=1`, { signedIn: false });
  await member.page.getByLabel('E-mail').fill(email);
  await member.page.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
  await member.page.keyboard.press('Enter');
  await expect.poll(() => member.page.title()).toBe('Second');
  expect(member.page.url()).toBe(`${app.origin}/tickets/7?x=1`);

  const { page, problems } = await site.visit(`/app/${app.ref}/settings#site`);
  const versions = page.getByRole('table', { name: 'Published versions' });
  await versions.getByRole('row', { name: /^2 .*served/ }).waitFor();
  await versions.getByRole('button', { name: 'Serve version 1' }).click();
  await versions.getByRole('row', { name: /^1 .*served/ }).waitFor();
  await expect.poll(served).toContain('<title>First</title>');
  await page.getByRole('button', { name: 'Serve the pages for members' }).click();
  await expect.poll(served).toContain('data-surface="portal"');
  await page.getByRole('table', { name: 'Valid API keys' }).getByText('sb_publishable_').waitFor();
  await page.getByText('none reached within a week').waitFor();
  expect(problems).toEqual([]);
  await rm(folder, { recursive: true });
});
