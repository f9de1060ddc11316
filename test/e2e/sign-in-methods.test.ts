import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection, SettingEntry } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
let app: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  app = await createApp(site.node);
});
afterAll(() => site.close());

const settings = async () =>
  new Map(
    (await admin<SettingEntry[]>(site.node, 'GET', `/apps/${app.ref}/settings`)).map((entry) => [entry.key, entry]),
  );

it('the console collects changes of settings, describes their effects, and saves them together', async () => {
  const { page, problems, context } = await site.visit(`/app/${app.ref}/sign-in-methods`);
  await page.getByText('Visitors have no account until they sign up.').waitFor();
  await page.getByRole('switch', { name: 'Anonymous' }).click();
  await page.getByText('Visitors get an account without a name.').waitFor();
  expect((await settings()).get('external_anonymous_users_enabled')?.value).toBe(false);
  await page.getByRole('textbox', { name: 'Inactivity' }).fill('8');
  await page.getByRole('combobox', { name: 'Unit of Inactivity' }).selectOption('hours');
  await page.getByText('A session ends after 8 hours without a refresh.').waitFor();
  const bar = page.getByRole('region', { name: 'Changes' });
  const code = page.getByRole('textbox', { name: 'Length of a code' });
  await code.fill('3');
  await bar.getByText('1 value not valid.').waitFor();
  await code.fill('8');
  await page.getByRole('link', { name: 'Team' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  await bar.getByText('3 changes, not saved.').waitFor();
  await bar.getByRole('button', { name: 'Save' }).click();
  await bar.waitFor({ state: 'detached' });
  const stored = await settings();
  expect(stored.get('external_anonymous_users_enabled')?.value).toBe(true);
  expect(stored.get('sessions_inactivity_timeout')?.value).toBe(8 * 3600);
  expect(stored.get('mailer_otp_length')?.value).toBe(8);

  await page.goto(`${site.node.url}/app/${app.ref}/audit?kind=builders&action=setting_changed`);
  const log = page.getByRole('table', { name: 'Audit log' });
  await log.getByText('key: mailer_otp_length').waitFor();
  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('inactivity');
  await log.getByText('key: mailer_otp_length').waitFor({ state: 'detached' });
  await log.getByRole('row', { name: 'changed a setting' }).click();
  await page.getByRole('complementary', { name: 'Selected entry' }).getByText('28800').waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'CSV' }).click();
  const file = await readFile((await (await saved).path()) ?? '', 'utf8');
  expect(file.split('\r\n').filter((line) => line.includes('sessions_inactivity_timeout'))).toHaveLength(1);
  expect(problems).toEqual([]);
  await context.close();
});

it('the console shows how often members signed in by each method in 30 days', async () => {
  const counted = await createApp(site.node);
  const { email, password } = await signUpMember(counted);
  await clientOf(counted).auth.signInWithPassword({ email, password });
  const { page, problems, context } = await site.visit(`/app/${counted.ref}/sign-in-methods`);
  await page.getByText('Members signed in 2 times in 30 days.').waitFor();
  const row = page.getByRole('listitem').filter({ has: page.getByRole('switch', { name: 'E-mail', exact: true }) });
  await row.getByRole('img', { name: '2 sign-ins in 30 days' }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

it('a builder configures text messages, and never sees the secret of their provider', async () => {
  const { page, problems, context } = await site.visit(`/app/${app.ref}/sign-in-methods`);
  await page.getByRole('switch', { name: 'Phone', exact: true }).click();
  await page.getByText('Members sign up and sign in with a phone number').waitFor();
  await page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Phone', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Phone' });
  await panel.getByText('Texts are stored on the page Mail').waitFor();
  await panel.getByRole('combobox', { name: 'Provider' }).selectOption('webhook');
  await panel.getByLabel('Webhook address').fill('https://hook.example/texts');
  await panel.getByLabel('Webhook secret').fill('whsec_c2VjcmV0');
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByPlaceholder('stored, not shown').waitFor();
  expect(await page.content()).not.toContain('whsec_c2VjcmV0');
  const stored = await settings();
  expect(stored.get('external_phone_enabled')?.value).toBe(true);
  expect([stored.get('sms_provider')?.value, stored.get('sms_webhook_url')?.value]).toEqual([
    'webhook',
    'https://hook.example/texts',
  ]);
  expect(stored.get('sms_webhook_secret')).toMatchObject({ is_set: true, value: null });
  expect(problems).toEqual([]);
  await context.close();
});

it('a builder configures a provider, sees its callback address, and never sees its secret', async () => {
  const { page, problems, context } = await site.visit(`/app/${app.ref}/sign-in-methods`);
  await page.getByRole('button', { name: 'GitHub' }).click();
  const panel = page.getByRole('complementary', { name: 'GitHub' });
  await panel.getByText(`${app.origin}/auth/v1/callback`).waitFor();
  await panel.getByRole('textbox', { name: 'Client id' }).fill('a-client');
  await panel.getByLabel('Client secret').fill('a very secret text');
  await panel.getByRole('button', { name: 'Save and switch on' }).click();
  await panel.getByPlaceholder('stored, not shown').waitFor();
  await page.getByText('Members sign in with their GitHub account.').waitFor();
  expect(await page.content()).not.toContain('a very secret text');
  const stored = await settings();
  expect(stored.get('external_github_enabled')?.value).toBe(true);
  expect(stored.get('external_github_client_id')?.value).toBe('a-client');
  expect(stored.get('external_github_secret')).toMatchObject({ is_set: true, value: null });
  expect(problems).toEqual([]);
  await context.close();
});

it('the console shows a refused setting at its row, and deletes the app after the builder typed its ref', async () => {
  const gone = await createApp(site.node);
  const { page, context } = await site.visit(`/app/${gone.ref}/settings`);
  await page.getByRole('button', { name: 'Add to Redirect addresses' }).click();
  await page.getByRole('textbox', { name: 'Redirect addresses, 1' }).fill('https://other.example/**');
  await page.getByRole('textbox', { name: 'Site address' }).fill('not an address');
  const bar = page.getByRole('region', { name: 'Changes' });
  await bar.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The server refused this value.').waitFor();
  await page.getByRole('textbox', { name: 'Site address' }).fill('https://site.example');
  await bar.getByRole('button', { name: 'Save' }).click();
  await bar.waitFor({ state: 'detached' });
  const stored = await admin<SettingEntry[]>(site.node, 'GET', `/apps/${gone.ref}/settings`);
  expect(stored.filter(({ is_set }) => is_set).map(({ key, value }) => [key, value])).toEqual([
    ['site_url', 'https://site.example'],
    ['uri_allow_list', ['https://other.example/**']],
  ]);
  await page.getByRole('button', { name: 'Delete app' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(gone.ref);
  await dialog.getByRole('button', { name: 'Delete app' }).click();
  await page.waitForURL(`${site.node.url}/`);
  await context.close();
});

it('the console reports why a provider cannot be added', async () => {
  const { page, context } = await site.visit(`/app/${app.ref}/sign-in-methods?method=new`);
  const panel = page.getByRole('complementary', { name: 'New provider' });
  await panel.getByRole('textbox', { name: 'Name' }).fill('Inside');
  await panel.getByRole('textbox', { name: 'Discovery address' }).fill('https://127.0.0.1:1');
  await panel.getByRole('textbox', { name: 'Client id' }).fill('a-client');
  await panel.getByLabel('Client secret').fill('a secret');
  await panel.getByRole('button', { name: 'Add provider' }).click();
  await panel.getByText('OIDC discovery from').waitFor();
  await context.close();
});

it('a builder enables a hook with a function, and sees the SQL that lets sign-in execute the function', async () => {
  await runSql(
    site.node,
    app.ref,
    `create function public.add_claims(event jsonb) returns jsonb language sql as 'select event';
     revoke execute on function public.add_claims from public, supabase_auth_admin`,
  );
  const { page, problems, context } = await site.visit(`/app/${app.ref}/sign-in-methods`);
  await page.getByText('Without its answer no token is issued.').waitFor();
  await page.getByRole('switch', { name: 'Custom access token' }).click();
  const panel = page.getByRole('complementary', { name: 'Custom access token' });
  await panel.getByLabel('Calls').selectOption({ label: 'public.add_claims' });
  await panel.getByText('lacks EXECUTE on public.add_claims').waitFor();
  await panel.getByText('to supabase_auth_admin;').first().waitFor();
  await panel.getByRole('button', { name: 'Save and switch on' }).click();
  await panel.getByRole('button', { name: 'Switch off' }).waitFor();
  await page.getByRole('list').getByText('lacks EXECUTE on public.add_claims').waitFor();
  const stored = await settings();
  expect(stored.get('hook_custom_access_token_enabled')?.value).toBe(true);
  expect(stored.get('hook_custom_access_token_uri')?.value).toBe('pg-functions://postgres/public/add_claims');
  expect(problems).toEqual([]);
  await context.close();
});
