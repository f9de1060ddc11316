import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SqlResponse } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { mailsTo } from '../support/mails.ts';
import { uniqueEmail } from '../support/unique.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder defines a role, grants it, invites a member with it, revokes it and deletes it, without SQL', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `select ninefold.define_role('lead', 'Decides.'); create table public.notes (id bigint primary key);
     alter table public.notes enable row level security;
     create policy leads on public.notes for select to authenticated using ((select ninefold.has_role('lead')))`,
  );
  const ada = await signUpMember(app, 'ada');
  const { page, context, problems } = await site.visit(`/app/${app.ref}/roles`);
  const rolesOf = async () => {
    const sql =
      'select u.email, m.role from ninefold.member_roles m join auth.users u on u.id = m.user_id order by 1, 2';
    return (await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, { sql })).results[0]?.rows;
  };

  await page.getByRole('button', { name: 'New role' }).click();
  const dialog = page.getByRole('dialog', { name: 'New role' });
  await dialog.getByLabel('Name', { exact: true }).fill('lead');
  await dialog.getByLabel('What its members do').fill('Answers tickets.');
  expect(await dialog.getByRole('button', { name: 'Define role' }).getAttribute('aria-disabled')).toBe('true');
  await dialog.getByLabel('Name', { exact: true }).fill('agent');
  await dialog.getByText(/Tried in a transaction: no error/).waitFor();
  await dialog.getByText('Undo').click();
  await dialog.getByText("select ninefold.drop_role('agent');").waitFor();
  expect(await faults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Define role' }).click();

  const panel = page.getByRole('complementary', { name: 'Role agent' });
  await panel.getByText('No member has this role.').waitFor();
  await panel.getByLabel('Search members').fill(ada.email);
  await panel.getByRole('button', { name: `Grant to ${ada.email}` }).click();
  await panel.getByRole('button', { name: `Revoke from ${ada.email}` }).waitFor();
  expect(await rolesOf()).toEqual([[ada.email, 'agent']]);
  expect(await faults(page)).toEqual([]);

  const invited = uniqueEmail('gus');
  await page.getByRole('button', { name: 'Invite member' }).click();
  const invitation = page.getByRole('dialog', { name: 'Invite a member' });
  await invitation.getByLabel('E-mail').fill(invited);
  // The role that allows less comes first.
  expect(await invitation.getByLabel('Role').getByRole('option').allInnerTexts()).toEqual([
    'no role, as every member',
    'agent',
    'lead',
  ]);
  await invitation.getByLabel('Role').selectOption('agent');
  await invitation.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText(`Invited ${invited}.`).waitFor();
  expect((await mailsTo(site.node, app, invited)).length).toBe(1);
  await panel.getByRole('button', { name: `Revoke from ${invited}` }).click();
  await panel.getByRole('button', { name: `Revoke from ${invited}` }).waitFor({ state: 'detached' });
  expect(await rolesOf()).toEqual([[ada.email, 'agent']]);

  await panel.getByRole('button', { name: 'Delete' }).click();
  const deletion = page.getByRole('dialog', { name: 'Delete the role agent?' });
  await deletion.getByText('1 member would lose it with their next request.', { exact: false }).waitFor();
  await deletion.getByText('Undo').click();
  await deletion.getByText(`grant_role('${ada.user.id}'::uuid, 'agent')`, { exact: false }).waitFor();
  await deletion.getByRole('textbox').fill('agent');
  await deletion.getByRole('button', { name: 'Delete role' }).click();
  await page.getByRole('button', { name: 'agent', exact: true }).waitFor({ state: 'detached' });
  expect(await rolesOf()).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});
