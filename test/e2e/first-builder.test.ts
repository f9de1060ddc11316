import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BuilderLink } from '../../contract/team.ts';
import { admin } from '../support/apps.ts';
import { builder } from '../support/builder.ts';
import { clientOf } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startNode, type TestNode } from '../support/node.ts';
import { uniqueEmail } from '../support/unique.ts';
import { browse, type Console, readClipboard } from './console.ts';

let node: TestNode;
let site: Console;
beforeAll(async () => {
  node = await startNode();
  site = await browse(node);
});
afterAll(async () => {
  await site.close();
  await node.stop();
});

it('the one-time link leads to an app that the stock client can use, and is refused afterwards', async () => {
  const { page, context, problems } = await site.visit('/');
  await page.waitForURL('**/setup');
  await page.getByRole('heading', { name: 'Create the first builder' }).waitFor();
  await page.goto(node.setupUrl ?? '');
  await page.getByRole('textbox', { name: 'Name' }).fill(builder.name);
  await page.getByRole('textbox', { name: 'E-mail' }).fill(builder.email);
  await page.getByText('At least 8 characters').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(builder.password);
  await page.getByRole('button', { name: 'Create account and open the console' }).click();

  await page.getByRole('heading', { name: 'Create your first app' }).waitFor();
  await page.getByRole('button', { name: 'Create app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create app' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Help Désk');
  expect(await dialog.getByRole('textbox', { name: 'Ref' }).inputValue()).toBe('help-desk');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('');
  await dialog.getByRole('textbox', { name: 'Ref' }).fill('Help Desk');
  await dialog.getByRole('button', { name: 'Create app' }).click();
  expect(await dialog.getByRole('textbox', { name: 'Ref' }).getAttribute('aria-invalid')).toBe('true');
  await dialog.getByRole('textbox', { name: 'Ref' }).fill('helpdesk');
  await dialog.getByRole('button', { name: 'Create app' }).click();

  await page.getByRole('heading', { name: 'What does helpdesk do?' }).waitFor();
  await context.grantPermissions(['clipboard-write']);
  await page.getByRole('button', { name: 'Copy Publishable key' }).click();
  await page.getByRole('status').filter({ hasText: 'Copied Publishable key' }).waitFor();
  const publishable_key = await readClipboard(context, node);
  const client = clientOf({ url: `${node.url}/apps/helpdesk`, publishable_key });
  const { data, error } = await client.auth.signUp({ email: uniqueEmail(), password: 'a long password' });
  expect(error).toBeNull();
  expect(data.session).not.toBeNull();

  await page.goto(node.setupUrl ?? '');
  await page.getByRole('heading', { name: 'Set-up is complete' }).waitFor();
  expect(problems).toEqual([]);
});

it('the first builder invites another builder, who returns with a recovery link', async () => {
  const { page: inviting, problems } = await site.visit('/sign-in');
  await inviting.getByRole('textbox', { name: 'E-mail' }).fill(builder.email);
  await inviting.getByLabel('Password', { exact: true }).fill(builder.password);
  await inviting.getByRole('button', { name: 'Sign in' }).click();
  await inviting.getByRole('table', { name: 'Apps' }).waitFor();
  await inviting.goto(`${node.url}/app/helpdesk/team`);
  await inviting.getByRole('row', { name: builder.email }).waitFor();
  await inviting.getByRole('button', { name: 'Invite builder' }).click();
  const dialog = inviting.getByRole('dialog', { name: 'Invite builder' });
  const email = uniqueEmail('reader');
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await dialog.getByRole('combobox', { name: 'Role' }).selectOption('reader');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = new URL(await dialog.getByRole('textbox', { name: 'Link' }).inputValue());

  const invited = await site.visit(`${link.pathname}${link.hash}`);
  await invited.page.getByText(`invites ${email} to helpdesk, as reader.`).waitFor();
  await invited.page.getByRole('textbox', { name: 'Name' }).fill('Arif Rahman');
  await invited.page.getByLabel('Password', { exact: true }).fill('a first password');
  await invited.page.getByRole('button', { name: 'Accept' }).click();
  await invited.page.getByRole('table', { name: 'Apps' }).getByText('helpdesk').first().waitFor();
  await invited.page.goto(`${node.url}/app/helpdesk/team`);
  await invited.page.getByRole('row', { name: 'Arif Rahman' }).waitFor();
  expect(await invited.page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);

  await invited.page.getByText('Builders without one open the console with the password alone.').waitFor();
  await invited.page.getByRole('link', { name: 'Arif Rahman' }).click();
  const panel = { name: 'Selected builder' };
  await invited.page.getByRole('complementary', panel).getByText('Arif Rahman is a reader of this app.').waitFor();
  expect(await invited.page.getByRole('heading', { name: 'Sessions' }).count()).toBe(0);

  await inviting.reload();
  await inviting.getByRole('row', { name: email }).getByRole('cell', { name: 'helpdesk', exact: true }).waitFor();
  await inviting.getByRole('link', { name: 'Arif Rahman' }).click();
  const arif = inviting.getByRole('complementary', panel);
  await arif.getByText('Arif Rahman is a reader of this app without a second factor.').waitFor();
  await arif.getByText('Chrome').waitFor();
  await arif.getByRole('button', { name: 'Create recovery link' }).waitFor();
  await inviting.keyboard.press('Escape');
  await arif.waitFor({ state: 'hidden' });
  await inviting.getByRole('link', { name: 'change on the page Builders' }).click();
  await inviting.getByRole('heading', { name: 'Builders', level: 1 }).waitFor();
  await inviting.getByRole('button', { name: `Recover ${email}` }).click();
  const recovering = inviting.getByRole('dialog', { name: 'Recover Arif Rahman' });
  await recovering.getByRole('button', { name: 'Create link' }).click();
  const recovery = await recovering.getByRole('textbox', { name: 'Link' }).inputValue();

  await invited.page.getByRole('button', { name: 'Signed in as Arif Rahman' }).click();
  await invited.page.getByRole('menuitem', { name: 'Your account' }).click();
  await invited.page.getByText('this one', { exact: true }).waitFor();
  await invited.page.getByRole('button', { name: 'Change password' }).click();
  const own = invited.page.getByRole('dialog', { name: 'Change password' });
  await own.getByLabel('Current password', { exact: true }).fill('a first password');
  await own.getByLabel('New password', { exact: true }).fill('a better password');
  await own.getByRole('button', { name: 'Set password' }).click();
  await own.waitFor({ state: 'hidden' });

  await invited.page.goto(recovery);
  await invited.page.getByLabel('Password', { exact: true }).fill('a second password');
  await invited.page.getByRole('button', { name: 'Set password' }).click();
  await invited.page.getByRole('heading', { name: 'New password set' }).waitFor();
  expect([...problems, ...invited.problems]).toEqual([]);
});

it('the console asks a builder with an authenticator app for its code after the password and after a passkey', async () => {
  // WebAuthn binds a passkey to a host name, not to an IP address.
  const own = `http://localhost:${new URL(node.url).port}`;
  const { page, context, problems } = await site.visit(
    `${own}/sign-in?next=${encodeURIComponent('/app/helpdesk/team')}`,
  );
  const devices = await context.newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  const signIn = async () => {
    await page.getByRole('textbox', { name: 'E-mail' }).fill(builder.email);
    await page.getByLabel('Password', { exact: true }).fill(builder.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
  const show = async (code: string) => {
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  const signOut = async () => {
    await page.getByRole('button', { name: `Signed in as ${builder.name}` }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };
  await signIn();
  await page.getByRole('row', { name: builder.email }).waitFor();
  await page.getByRole('button', { name: `Signed in as ${builder.name}` }).click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  await withClient(await superuserUrl(node, 'app_console'), (client) =>
    client.query(`update auth.mfa_amr_claims set updated_at = now() - interval '16 minutes'`),
  );
  await page.getByRole('button', { name: 'Add passkey' }).click();
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await proof.getByText('You are about to add a passkey.').waitFor();
  await proof.getByLabel('Password', { exact: true }).fill('not this one');
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await proof.getByText('This is not your password.').waitFor();
  await proof.getByLabel('Password', { exact: true }).fill(builder.password);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await proof.waitFor({ state: 'hidden' });
  // The browser reports the responses 403 and 400.
  expect(problems.splice(0)).toEqual([expect.stringContaining('403'), expect.stringContaining('400')]);
  await page.getByRole('button', { name: 'Remove Passkey' }).waitFor();
  await page.getByRole('button', { name: 'Add authenticator app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add authenticator app' });
  const secret = (await dialog.locator('code').textContent()) ?? '';
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  expect(
    await dialog.getByRole('img', { name: 'QR code' }).evaluate((image: HTMLImageElement) => image.naturalWidth),
  ).toBeGreaterThan(0);
  await dialog.getByRole('textbox', { name: 'Code' }).fill(totp.generate());
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await dialog.waitFor({ state: 'hidden' });
  // The recovery has ended the previous sessions of the builder.
  await page
    .getByRole('button', { name: /^End the session/ })
    .first()
    .waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Create recovery codes' }).click();
  const shown = page.getByRole('dialog', { name: 'Recovery codes' });
  const code = (await shown.getByRole('listitem').first().textContent()) ?? '';
  await shown.getByRole('button', { name: 'Close' }).click();

  await page.goto(`${own}/builders`);
  await page.getByRole('switch', { name: 'Second factor required' }).click();
  const rule = page.getByRole('dialog', { name: 'Require a second factor' });
  await rule.getByRole('combobox', { name: 'Takes effect' }).selectOption('at once');
  await rule.getByRole('button', { name: 'Require' }).click();
  await page.getByText('The others can only add one.').waitFor();
  await signOut();
  await signIn();
  await show(totp.generate({ timestamp: Date.now() + 30_000 }));
  await page.getByRole('table', { name: 'Apps' }).waitFor();
  await signOut();
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await show(code);
  await page.getByRole('table', { name: 'Apps' }).waitFor();
  await signOut();
  expect(problems).toEqual([]);
  await signIn();
  await show(code);
  await page.getByText('This code is wrong or used.').waitFor();
});

it('the console leads an invited builder to the second factor that the node requires, and lets the builder leave an app', async () => {
  const own = `http://localhost:${new URL(node.url).port}`;
  const email = uniqueEmail('developer');
  const { url } = await admin<BuilderLink>(node, 'POST', '/apps/helpdesk/team/invitations', {
    email,
    role: 'developer',
  });
  const { page, context, problems } = await site.visit(`${own}/invitation${new URL(url).hash}`, { signedIn: false });
  const devices = await context.newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'usb', automaticPresenceSimulation: true },
      ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true },
    },
  });
  await page.getByRole('textbox', { name: 'Name' }).fill('Lena Brandt');
  await page.getByLabel('Password', { exact: true }).fill('a first password');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  await page.getByRole('button', { name: 'Add security key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add security key' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Blue key');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Remove Blue key' }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('table', { name: 'Apps' }).waitFor();
  expect(await page.getByRole('link', { name: 'Builders' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Signed in as Lena Brandt' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByText('ninefold builders recover').waitFor();
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill('a first password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Use Blue key' }).click();
  await page.getByRole('table', { name: 'Apps' }).waitFor();

  await page.goto(`${own}/app/helpdesk/team`);
  await page.getByRole('table', { name: 'Permissions of the roles' }).waitFor();
  await page.getByRole('button', { name: 'Leave helpdesk' }).click();
  const leaving = page.getByRole('dialog', { name: 'Leave app' });
  await leaving.getByRole('textbox').fill('helpdesk');
  await leaving.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByText('Create your first app').waitFor();
  expect(problems).toEqual([]);
});
