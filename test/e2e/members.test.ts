import { readFile } from 'node:fs/promises';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder creates a user who can sign in with the generated password, and bans the user', async () => {
  const app = await createApp(site.node);
  const { page, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('heading', { name: 'No users yet' }).waitFor();
  const email = uniqueEmail('ada');

  await page.getByRole('button', { name: 'Create user' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Create user' });
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email);
  const password = await dialog.getByRole('textbox', { name: 'Password' }).inputValue();
  await dialog.getByRole('button', { name: 'Create user' }).click();
  const panel = page.getByRole('complementary', { name: 'Selected user' });
  await panel.getByText('and has not done so yet').waitFor();

  const client = clientOf(app);
  const signedIn = await client.auth.signInWithPassword({ email, password });
  expect(signedIn.error).toBeNull();
  await panel.getByText('Node.js').waitFor();

  await panel.getByRole('button', { name: 'Ban' }).click();
  const ban = page.getByRole('dialog', { name: 'Ban user' });
  await ban.getByRole('button', { name: '1 week' }).click();
  await ban.getByRole('button', { name: 'Ban', exact: true }).click();
  await panel.getByText(/^Banned until/).waitFor();
  await page
    .getByRole('row', { name: email })
    .getByText(/^[67] days more$/)
    .waitFor();
  expect((await client.auth.getUser()).error?.name).toBe('AuthSessionMissingError');
  const again = await clientOf(app).auth.signInWithPassword({ email, password });
  expect(again.error?.code).toBe('user_banned');

  await panel.getByRole('button', { name: 'Lift the ban' }).click();
  await panel.getByText(/^Signs in by email/).waitFor();
  expect((await clientOf(app).auth.signInWithPassword({ email, password })).error).toBeNull();
  expect(problems).toEqual([]);
});

it('a builder changes metadata, sets a new password, and deletes a user after the address is typed', async () => {
  const app = await createApp(site.node);
  const { email, password } = await signUpMember(app);
  const { page, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('row', { name: email }).click();
  const panel = page.getByRole('complementary', { name: 'Selected user' });

  await panel.getByRole('tab', { name: 'App' }).click();
  const metadata = panel.getByRole('textbox', { name: 'App metadata as JSON' });
  const before = await metadata.inputValue();
  await metadata.fill('{ "plan": ');
  await panel.getByText(/not JSON/).waitFor();
  await metadata.fill(JSON.stringify({ ...JSON.parse(before), plan: 'pro' }));
  await panel.getByRole('button', { name: 'Save' }).click();
  // The name of the button is "Saving" while the request runs.
  await panel.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });
  const { data } = await clientOf(app).auth.signInWithPassword({ email, password });
  expect(data.user?.app_metadata).toMatchObject({ provider: 'email', plan: 'pro' });

  await panel.getByRole('button', { name: 'Reset password' }).click();
  const reset = page.getByRole('dialog', { name: 'Reset password' });
  await reset.getByRole('textbox', { name: 'New password' }).fill('another long password');
  await reset.getByRole('button', { name: 'Set password' }).click();
  await reset.waitFor({ state: 'detached' });
  const old = await clientOf(app).auth.signInWithPassword({ email, password });
  expect(old.error?.code).toBe('invalid_credentials');
  const now = await clientOf(app).auth.signInWithPassword({ email, password: 'another long password' });
  expect(now.error).toBeNull();

  await panel.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete user' });
  const remove = dialog.getByRole('button', { name: 'Delete user' });
  expect(await remove.getAttribute('aria-disabled')).toBe('true');
  await dialog.getByRole('textbox').fill(email);
  await remove.click();
  await page.getByRole('heading', { name: 'No users yet' }).waitFor();
  expect(problems).toEqual([]);
});

it('the console searches, filters and exports the audit log of members, and shows the log of builders', async () => {
  const app = await createApp(site.node);
  const [ada, bob] = [await signUpMember(app), await signUpMember(app)];
  await clientOf(app).auth.signInWithPassword({ email: ada.email, password: 'not the password' });
  await clientOf(app).auth.signInWithPassword({ email: bob.email, password: bob.password });
  const { page, problems } = await site.visit(`/app/${app.ref}/audit`);
  const log = page.getByRole('table', { name: 'Audit log' });
  const rowsOf = (email: string) => log.getByRole('row').filter({ hasText: email });
  await rowsOf(bob.email).filter({ hasText: 'signed in' }).first().waitFor();
  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill(ada.email);
  await rowsOf(bob.email).first().waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'What' }).selectOption('failed to sign in');
  await log.getByText('created an account').waitFor({ state: 'detached' });
  await rowsOf(ada.email).click();
  const panel = page.getByRole('complementary', { name: 'Selected entry' });
  await panel.getByRole('link', { name: ada.email }).waitFor();
  await panel.getByText('127.0.0.1').waitFor();
  await page.getByRole('button', { name: 'Export' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'JSON Lines' }).click();
  const file = await readFile((await (await saved).path()) ?? '', 'utf8');
  expect(
    file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ action: 'login_refused', actor: ada.email, address: '127.0.0.1' }]);
  expect(file).not.toContain('not the password');

  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill('');
  await page.getByRole('button', { name: 'Builders', exact: true }).click();
  await log.getByText('created the app').waitFor();
  expect(problems).toEqual([]);
});

it('the list finds one of many users, and loads more users page by page', async () => {
  const app = await createApp(site.node);
  const admin = clientOf(app, app.secret_key).auth.admin;
  for (let start = 0; start < 210; start += 30) {
    const batch = Array.from({ length: 30 }, (_, place) => `member-${start + place}@example.com`);
    await Promise.all(batch.map((email) => admin.createUser({ email })));
  }
  const { page, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByText('200 of 210 users shown').waitFor();
  await page.getByRole('button', { name: 'Load 10 more' }).click();
  await page.getByText('210 users', { exact: true }).waitFor();
  // The page contains only the rows in view.
  expect(await page.getByRole('row').count()).toBeLessThan(80);

  // The panel's row is scrolled into view, also if J moves beyond the last visible row.
  await page.getByRole('row').nth(1).click();
  for (let presses = 0; presses < 30; presses++) await page.keyboard.press('j');
  const selected = page.getByRole('row').filter({ has: page.locator('[aria-current]') });
  await page.getByRole('complementary', { name: 'Selected user' }).waitFor();
  expect((await selected.boundingBox())?.y).toBeLessThan(sizes.wide.height);
  await page.keyboard.press('Escape');

  await page.getByRole('searchbox', { name: 'Search users' }).fill('member-77@');
  await page.getByText('1 user', { exact: true }).waitFor();
  await page.getByRole('row', { name: 'member-77@example.com' }).waitFor();
  await page.getByRole('searchbox', { name: 'Search users' }).fill('nobody');
  await page.getByRole('heading', { name: 'No user matches “nobody”' }).waitFor();
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await page.getByText('210 users', { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

it('a builder imports a file with a report, and acts as an imported member', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `create table public.notes (id bigint generated always as identity primary key, owner uuid, body text not null);
     alter table public.notes enable row level security;
     create policy own on public.notes to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
     grant all on public.notes to authenticated;`,
  );
  const { page, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('link', { name: 'Import', exact: true }).click();
  const costly = `$2a$15$${'a'.repeat(53)}`;
  const csv = `email,email_confirmed,name,password_hash\nada@example.com,true,Ada,${costly}\nnobody,true,Nobody,\n`;
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'members.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Send and preview' }).click();
  const preview = page.getByRole('table', { name: 'First rows of the file' });
  await preview.getByRole('row', { name: 'ada@example.com' }).waitFor();
  await preview.getByText('bcrypt, 1920 ms').waitFor();
  await preview.getByText('the address is not valid').waitFor();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('1 user imported, 0 already existed, 1 refused.').waitFor();
  await page.getByText('bcrypt: 1 account, 1,920 ms for the first sign-in (costly)').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the report' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('members.csv.refused.csv');

  await page.getByRole('link', { name: 'All users' }).click();
  await page.getByRole('row', { name: 'ada@example.com' }).click();
  await page.getByRole('link', { name: 'Open the page of this member' }).click();
  const member = page.getByRole('article', { name: 'Member' });
  await member.getByText('No stored events').waitFor();
  await member.getByRole('button', { name: 'Send recovery link' }).click();
  await member.getByRole('button', { name: 'Recovery link sent' }).waitFor();

  const [id] = (await runSql(site.node, app.ref, 'select id from auth.users')).results.at(-1)?.rows[0] ?? [];
  await runSql(
    site.node,
    app.ref,
    `insert into public.notes (owner, body) values ('${id}', 'mine'), (gen_random_uuid(), 'of somebody else')`,
  );
  await member.getByRole('link', { name: 'Act as this member' }).click();
  await page.getByText(/^You act as this member for (?:9|10) more min/).waitFor();
  await page.getByRole('gridcell', { name: 'mine', exact: true }).waitFor();
  expect(await page.getByText('of somebody else').count()).toBe(0);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('of somebody else').waitFor();
  expect(problems).toEqual([]);
});

it('a builder revokes a session: the node refuses its client within a second, and other sessions continue', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `create table public.notes (id bigint generated always as identity primary key, text text not null);
     alter table public.notes enable row level security;
     create policy "members read" on public.notes for select to authenticated using (true);
     insert into public.notes (text) values ('hello');`,
  );
  const [ada, mei] = [await signUpMember(app, 'ada'), await signUpMember(app, 'mei')];
  const { page, problems } = await site.visit(`/app/${app.ref}/sessions`);
  await page.getByText('2 sessions', { exact: true }).waitFor();
  expect((await ada.client.from('notes').select()).data).toHaveLength(1);

  await page.getByRole('row', { name: ada.email }).click();
  const panel = page.getByRole('complementary', { name: 'Selected session' });
  await panel.getByText('aal1, one factor').waitFor();
  await panel.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByText('1 session', { exact: true }).waitFor();
  await panel.waitFor({ state: 'detached' });

  await expect
    .poll(async () => (await ada.client.from('notes').select()).status, { timeout: 1500, interval: 100 })
    .toBe(401);
  expect((await ada.client.auth.refreshSession()).error).not.toBeNull();
  expect((await mei.client.from('notes').select()).data).toHaveLength(1);

  await page.getByRole('button', { name: 'Revoke all', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke every session' });
  await dialog.getByRole('textbox').fill(app.ref);
  await dialog.getByRole('button', { name: 'Revoke all' }).click();
  await page.getByRole('heading', { name: 'No active sessions' }).waitFor();
  await expect
    .poll(async () => (await mei.client.from('notes').select()).status, { timeout: 1500, interval: 100 })
    .toBe(401);
  expect(problems).toEqual([]);
});

it('the list of sessions shows a session that begins while the page is open', async () => {
  const app = await createApp(site.node);
  const { page, problems } = await site.visit(`/app/${app.ref}/sessions`);
  await page.getByRole('heading', { name: 'No active sessions' }).waitFor();
  const { email } = await signUpMember(app);
  await page.getByRole('row', { name: email }).waitFor();
  expect(problems).toEqual([]);
});

it('a builder grants a role to a member, revokes it, and sees since when each member has it', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `select ninefold.define_role('agent', 'Answers tickets.'), ninefold.define_role('lead')`,
  );
  const { email, client } = await signUpMember(app);
  const { page, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('row', { name: email }).click();
  const panel = page.getByRole('complementary', { name: 'Selected user' });
  const agent = panel.getByRole('switch', { name: 'Role agent' });
  await panel.getByText('0 of 2').waitFor();
  await panel.getByText('Answers tickets.').waitFor();
  const rolesNow = async () =>
    (await runSql(site.node, app.ref, 'select role from ninefold.member_roles')).results[0]?.rows;

  await agent.click();
  await panel.getByText('1 of 2').waitFor();
  await panel.getByText(/^granted/).waitFor();
  expect(await agent.isChecked()).toBe(true);
  expect(await rolesNow()).toEqual([['agent']]);
  expect((await client.auth.refreshSession()).data.user?.app_metadata.roles).toEqual(['agent']);

  await agent.focus();
  await page.keyboard.press('Space');
  await panel.getByText('0 of 2').waitFor();
  expect(await rolesNow()).toEqual([]);
  expect(problems).toEqual([]);
});

it('the page of a user shows the second factors and the number of recovery codes, and removes a factor', async () => {
  const app = await createApp(site.node);
  const { client, email } = await signUpMember(app);
  const { data: factor } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'My phone' });
  const totp = new TOTP({ secret: Secret.fromBase32(factor?.totp.secret ?? '') });
  await client.auth.mfa.challengeAndVerify({ factorId: factor?.id ?? '', code: totp.generate() });
  const { data } = await client.auth.getSession();
  const headers = { apikey: app.publishable_key, authorization: `Bearer ${data.session?.access_token}` };
  await fetch(`${app.url}/auth/v1/factors/recovery-codes`, { method: 'POST', headers });

  const { page, problems } = await site.visit(`/app/${app.ref}/users`);
  await page.getByRole('row', { name: email }).click();
  const panel = page.getByRole('complementary', { name: 'Selected user' });
  await panel.getByText('10 of 10 left').waitFor();
  await panel.getByRole('button', { name: 'Remove My phone' }).click();
  await panel.getByText('None. The member adds them in your app.').waitFor();
  expect((await client.auth.mfa.listFactors()).data?.all).toEqual([]);
  expect(problems).toEqual([]);
});
