import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

it('imports a key, makes it current, and revokes the previous key after the ref is typed', async () => {
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

it('creates a secret key, shows it once, and revokes it after the ref is typed', async () => {
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
