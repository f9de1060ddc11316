import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin } from '../support/apps.ts';
import type { Member } from '../support/clients.ts';
import { superuserUrl, withClient } from '../support/database.ts';
import { startMailServer, type TestMailServer } from '../support/mail-server.ts';
import { type Console, openWithMember, readClipboard } from './console.ts';

let site: Console;
let app: AppConnection;
let member: Member;
let server: TestMailServer;
beforeAll(async () => {
  server = await startMailServer();
  ({ site, app, member } = await openWithMember('select 1'));
  await withClient(await superuserUrl(site.node, `app_${app.ref}`), (client) =>
    client.query(
      `insert into ninefold.mails (kind, recipient, user_id, data)
       values ('recovery', $1, $2, $3), ('<b>kind</b>', 'x@example.org', null, '{"ConfirmationURL": "javascript:alert(1)"}')`,
      [member.email, member.user.id, { ConfirmationURL: `${app.url}/verify?token=abc`, Token: '482913' }],
    ),
  );
  await withClient(await superuserUrl(site.node, `app_${app.ref}`), (client) =>
    client.query(
      `insert into ninefold.mails (channel, kind, recipient, data)
       values ('sms', 'sms_confirmation', '+15555550100', '{"Token": "517239", "Message": "Your code is 517239"}')`,
    ),
  );
});
afterAll(async () => {
  await site.close();
  await server.close();
});

describe('mail pages', () => {
  it('open with keys and show a stored mail with its link, code and text', async () => {
    const { page, context, problems } = await site.visit(`/app/${app.ref}`);
    await page.getByText('Publishable key').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByText('No mail server is set.').waitFor();
    await page.getByRole('row', { name: 'Reset password' }).click();
    const panel = page.getByRole('complementary', { name: 'Selected mail' });
    const frame = page.frameLocator('iframe[title="Mail: Set a new password"]');
    await frame.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await frame.getByText('482913').waitFor();
    expect(await panel.getByRole('link', { name: 'Open link' }).getAttribute('href')).toBe(
      `${app.url}/verify?token=abc`,
    );
    await context.grantPermissions(['clipboard-write']);
    await panel.getByRole('button', { name: 'Copy code 482913' }).click();
    await panel.getByRole('button', { name: 'Copied code 482913' }).waitFor();
    expect(await readClipboard(context, site.node)).toBe('482913');
    await panel.getByRole('tab', { name: 'Plain text' }).click();
    await panel.getByText(`Set a new password: ${app.url}/verify?token=abc`).waitFor();
    await page.getByRole('row', { name: 'Text: sign-in code' }).click();
    await panel.getByText('Your code is 517239').waitFor();
    await panel.getByRole('button', { name: 'Copy code 517239' }).waitFor();
    await page.getByRole('row', { name: 'Reset password' }).click();
    await page.getByRole('searchbox', { name: 'Search mails' }).fill('nobody');
    await page.getByText('No mail matches “nobody”').waitFor();
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await panel.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.getByRole('row', { name: 'Reset password' }).count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('change a template and show a preview, in which no script runs', async () => {
    const { page, context, problems } = await site.visit(
      `/app/${app.ref}/mail?view=templates&kind=recovery&language=de`,
    );
    const html = page.getByRole('textbox', { name: 'HTML' });
    await html.waitFor();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Neues Passwort setzen' }).waitFor();
    await html.fill('<p>Code {{ if');
    await page.getByText('The template is broken').waitFor();
    await html.fill('<p>Hallo {{ .Data.name }}</p><script>top.hit = 1</script>');
    await page.frameLocator('iframe').getByText('Hallo Ada').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('button', { name: 'Use the standard text' })
      .and(page.locator(':not([aria-disabled])'))
      .click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Neues Passwort setzen' }).waitFor();
    expect(await page.evaluate(() => 'hit' in window)).toBe(false);
    expect(problems.filter((problem) => !problem.includes('Blocked script execution'))).toEqual([]);
    await context.close();
  });

  it('set the mail server, never show its password, and show the server’s response', async () => {
    const { page, context, problems } = await site.visit(`/app/${app.ref}/mail?view=server`);
    await page.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1');
    await page.getByRole('textbox', { name: 'Port' }).fill(String(server.port));
    await page.getByLabel('Password', { exact: true }).fill('hidden-password');
    await page.getByRole('textbox', { name: 'Sender address' }).fill('desk@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A password is set.').waitFor();
    expect(await page.content()).not.toContain('hidden-password');
    await page.getByRole('textbox', { name: 'Send a test mail to' }).fill('ada@example.org');
    await page.getByRole('button', { name: 'Send test mail' }).click();
    // The shared node does not allow loopback addresses.
    await page.getByText(/is no public address/).waitFor();
    const settings = await admin<{ key: string; value: unknown }[]>(site.node, 'GET', `/apps/${app.ref}/settings`);
    expect(settings.find(({ key }) => key === 'smtp_port')?.value).toBe(server.port);
    expect(problems).toEqual([]);
    await context.close();
  });
});
