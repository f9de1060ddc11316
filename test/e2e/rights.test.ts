import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type Console, openWithTemplate } from './console.ts';

let site: Console;
let template: string;
beforeAll(async () => {
  ({ site, template } = await openWithTemplate(
    `create table public.notes (
       id bigint generated always as identity primary key,
       owner uuid references auth.users,
       title text not null);
     alter table public.notes enable row level security;
     create policy "own notes" on public.notes for all to authenticated using (owner = auth.uid());
     insert into public.notes (title) values ('Nobody’s note');
     create table public.open (id bigint primary key);`,
  ));
});
afterAll(() => site.close());

it('the console explains why a member does not get a row, with the values that the policy compared', async () => {
  const app = await createApp(site.node, { from: template });
  const { email } = await signUpMember(app);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/roles?cell=public.notes+update+authenticated`);
  await page.getByRole('complementary', { name: 'notes, update by authenticated' }).waitFor();
  await page.keyboard.press('e');
  const member = page.getByRole('combobox', { name: 'Member' });
  await expect.poll(() => member.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.type(email.slice(0, 8));
  await page.getByRole('option', { name: email }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Row' }).click();
  await page.getByRole('option', { name: /Nobody’s note/ }).click();
  const panel = page.getByRole('complementary', { name: 'notes, update by authenticated' });
  await panel.getByText('Hidden.').waitFor();
  await panel.getByText('The call answers 204').or(panel.getByText('The call answers 200')).waitFor();
  await panel.getByText('owner is the caller').waitFor();
  await panel.getByText(`the caller: ${email}`).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

it('the matrix of chapter 6 shows each cell in full, and a dash where a view cannot be written', async () => {
  const app = await createApp(site.node, { template: 'helpdesk' });
  const { page, context, problems } = await site.visit(`/app/${app.ref}/roles`);
  const matrix = page.getByRole('table', { name: 'Roles, entities' });
  await matrix.getByText('own ticket').first().waitFor();
  const cut = await matrix
    .getByRole('button')
    .evaluateAll((cells) =>
      cells
        .filter((cell) =>
          [cell, ...cell.querySelectorAll('*')].some(
            (part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0,
          ),
        )
        .map((cell) => cell.textContent),
    );
  expect(cut.filter((text) => text !== 'never')).toEqual([]);
  expect(await matrix.getByText('error', { exact: false }).count()).toBe(0);
  await matrix.getByRole('row', { name: 'update' }).nth(1).getByRole('button').nth(1).click();
  await page
    .getByRole('complementary')
    .getByText('A signed-in member may not change rows of comments: no UPDATE privilege.')
    .waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

it('the console probes every cell on request, and shows when the probe ran', async () => {
  const app = await createApp(site.node, { from: template });
  await signUpMember(app);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/roles`);
  await page.getByRole('button', { name: 'Probe all' }).click();
  await page.getByText('none disagrees').waitFor();
  await page.getByText(/^Probe of .* all rolled back/).waitFor();
  const rows = await runSql(site.node, app.ref, 'select count(*) from public.notes');
  expect(rows.results[0]?.rows[0]?.[0]).toBe('1');
  expect(problems).toEqual([]);
  await context.close();
});

it('a builder applies an advice after a confirmation, and removes the advice', async () => {
  const app = await createApp(site.node, { from: template });
  const { page, context, problems } = await site.visit(`/app/${app.ref}/roles`);
  const advice = page.getByRole('table', { name: 'Advice' }).getByRole('button', { name: /Row-level security is off/ });
  await advice.click();
  await page.getByRole('button', { name: 'Apply' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change open?' });
  await dialog.getByText('enable row level security').waitFor();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect.poll(() => advice.count()).toBe(0);
  const on = await runSql(
    site.node,
    app.ref,
    `select relrowsecurity from pg_class where oid = 'public.open'::regclass`,
  );
  expect(on.results[0]?.rows[0]?.[0]).toBe('t');
  expect(problems).toEqual([]);
  await context.close();
});

it('the console shows the purpose of the app exactly as written, including quotes', async () => {
  const app = await createApp(site.node, { from: template });
  const { page, context, problems } = await site.visit(`/app/${app.ref}/purpose`);
  await page.getByText('No purpose defined yet').waitFor();
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Purpose' }).fill("Members' notes: it's 'all' \\ there.");
  await page.keyboard.press('Control+Enter');
  await page.getByRole('definition').filter({ hasText: "Members' notes: it's 'all' \\ there." }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

it('the console shows everything that uses a field', async () => {
  const { page, context, problems } = await site.visit(`/app/${template}/entities?entity=public.notes`);
  await page.getByRole('complementary', { name: 'notes' }).getByRole('link', { name: 'owner' }).click();
  await page.getByRole('heading', { name: 'notes.owner', level: 1 }).waitFor();
  const uses = page.getByRole('table', { name: 'Uses' });
  await uses.getByRole('link', { name: 'own notes' }).waitFor();
  await uses.getByRole('link', { name: '/notes', exact: true }).waitFor();
  expect(problems).toEqual([]);
  await context.close();
});
