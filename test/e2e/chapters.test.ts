import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SettingEntry } from '../../contract/admin.ts';
import { admin, createApp, deleteApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type Console, openWithTemplate } from './console.ts';

let site: Console;
let template: string;
beforeAll(async () => {
  ({ site, template } = await openWithTemplate(
    `create table public.tickets (
       id bigint generated always as identity primary key,
       title text not null constraint title_length check (length(title) between 3 and 120));
     comment on constraint title_length on public.tickets is 'The title is 3 to 120 characters';
     alter table public.tickets enable row level security;
     create policy "members write" on public.tickets for all to authenticated using (true);
     insert into public.tickets (title) values ('Printer on fire'), ('Toner'), ('No light in room 4');`,
  ));
});
afterAll(() => site.close());

it('the console shows the name of an app in the console, and also its ref in the list of apps', async () => {
  const app = await createApp(site.node, { name: 'Northwind’s helpdesk' });
  const { page, context, problems } = await site.visit('/');
  const row = page.getByRole('row', { name: app.ref });
  await row.getByRole('link', { name: 'Northwind’s helpdesk' }).click();
  await page.getByRole('heading', { name: 'What does Northwind’s helpdesk do?' }).waitFor();
  await expect.poll(() => page.title()).toBe('1 Purpose, Northwind’s helpdesk · Ninefold');
  await page.getByRole('button', { name: 'App Northwind’s helpdesk. Switch to another' }).waitFor();
  await page.getByRole('link', { name: 'Logs' }).first().click();
  await page
    .getByRole('navigation', { name: 'Where this is' })
    .getByRole('link', { name: 'Northwind’s helpdesk' })
    .waitFor();
  await expect.poll(() => page.title()).toBe('Logs, Northwind’s helpdesk · Ninefold');
  expect(problems).toEqual([]);
  await context.close();
});

it('the console shows on the contents page the purpose, the last change and what needs attention', async () => {
  const app = await createApp(site.node, { from: template });
  await runSql(
    site.node,
    app.ref,
    `select ninefold.describe_app(purpose => 'Members report what is broken'); create table public.rooms (id int primary key)`,
  );
  const { page, problems } = await site.visit(`/app/${app.ref}`);
  await page.getByText('Members report what is broken.').waitFor();
  await page.getByText(/^Last change, /).waitFor();
  expect(await page.getByRole('main').innerText()).toMatch(
    /Members report what is broken\..*No member yet.*Last change, .*Needs attention/s,
  );
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('link', { name: /rooms/ }).first().click();
  await page.getByRole('complementary').getByText('row-level security').first().waitFor();
  expect(new URL(page.url()).searchParams.get('advice')).toContain('public.rooms');
  expect(problems).toEqual([]);
});

it('the specification is explained in one page, which is printed without the rest of the console, and saved as a file', async () => {
  const app = await createApp(site.node, { from: template });
  const { page, context, problems } = await site.visit(`/app/${app.ref}/purpose`);
  await page.getByRole('link', { name: 'Explain this app in one page' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/app/${app.ref}`);
  const saved = async (extent: string, format: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: `${extent} as ${format}` }).click(),
    ]);
    return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')] as const;
  };
  const [name, markdown] = await saved('Complete specification', 'Markdown');
  expect([name, markdown]).toEqual([`${app.ref}.md`, expect.stringContaining('## 9 Limits')]);
  expect(JSON.parse((await saved('Complete specification', 'JSON'))[1]).chapters).toHaveProperty('limits');
  await page.getByRole('link', { name: 'Explain this app in one page' }).click();
  const article = page.getByRole('article');
  await article.getByText('The title is 3 to 120 characters').waitFor();
  const [html, text] = await saved('One page', 'HTML');
  expect([html, text]).toEqual([`${app.ref}-in-one-page.html`, expect.stringContaining('<h3>What is valid</h3>')]);
  await page.emulateMedia({ media: 'print' });
  await expect.poll(() => page.getByRole('navigation').count()).toBe(0);
  expect(await article.isVisible()).toBe(true);
  expect(await page.getByRole('button', { name: 'Export' }).isVisible()).toBe(false);
  expect(problems).toEqual([]);
  await context.close();
});

it('the console shows the schemas for the rules of one entity as code', async () => {
  const app = await createApp(site.node, { from: template });
  await runSql(site.node, app.ref, 'create table public.rooms (id int primary key)');
  const { page, problems } = await site.visit(`/app/${app.ref}/rules`);
  await page.getByRole('combobox', { name: 'Entity' }).selectOption('rooms');
  const figure = page.locator('#figure-5-3');
  await figure.getByText('export const schemas').waitFor();
  await expect.poll(() => figure.textContent()).not.toContain('title');
  await page.getByRole('combobox', { name: 'Entity' }).selectOption('tickets');
  await expect.poll(() => figure.textContent()).toContain('The title is 3 to 120 characters');
  await figure.getByRole('button', { name: 'JSON Schema' }).click();
  await expect.poll(() => figure.textContent()).toContain('"tickets.insert"');
  await figure.getByRole('button', { name: 'TypeScript' }).click();
  await expect.poll(() => figure.textContent()).toContain(`node bin/ninefold.js types ${app.ref}.`);
  expect(problems).toEqual([]);
});

it('the console counts the rows that would break a rule, and changes nothing', async () => {
  const app = await createApp(site.node, { from: template });
  const { page, problems } = await site.visit(`/app/${app.ref}/rules?rule=public.tickets.title_length`);
  await page.getByRole('button', { name: 'Try another form' }).click();
  const expression = page.getByRole('textbox', { name: 'Condition' });
  expect(await expression.inputValue()).toContain('length(title) >= 3');
  await expression.press('Control+Enter');
  await page.getByText('All 3 rows of tickets satisfy the rule.').waitFor();

  await expression.fill('length(title) > 5');
  await expression.press('Control+Enter');
  await page.getByText('1 of 3 rows of tickets (33%) would violate it: 2.').waitFor();

  // A rule for values that must not be null, and a rule for unique values.
  await runSql(site.node, app.ref, `insert into public.tickets (title) values ('Toner')`);
  await page.getByRole('button', { name: 'No two rows share' }).click();
  await page.getByRole('checkbox', { name: 'title' }).check();
  await page.getByRole('button', { name: 'Count' }).click();
  await page.getByText('2 of 4 rows of tickets (50%) would violate it: 2, 4.').waitFor();
  await page.getByRole('button', { name: 'Has a value', exact: true }).click();
  await page.getByRole('button', { name: 'Count' }).click();
  await page.getByText('All 4 rows of tickets satisfy the rule.').waitFor();
  await runSql(site.node, app.ref, 'delete from public.tickets where id = 4');
  await page.getByRole('button', { name: 'Condition' }).click();

  // The page shows PostgreSQL's own message for an invalid rule. The console sends nothing but an expression.
  await expression.fill('exists (select 1)');
  await page.getByRole('button', { name: 'Count' }).click();
  await page.getByRole('alert').getByText('cannot use subquery in check constraint').waitFor();
  expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
  await expression.fill('true; drop table public.tickets');
  await page.getByRole('button', { name: 'Count' }).and(page.locator('[aria-disabled="true"]')).waitFor();

  // FORCE ROW LEVEL SECURITY must not change the count, because the owner of an app bypasses it.
  await runSql(site.node, app.ref, 'alter table public.tickets force row level security');
  await expression.fill('length(title) > 5');
  await expression.press('Control+Enter');
  await page.getByText('1 of 3 rows of tickets (33%) would violate it: 2.').waitFor();

  const left = await runSql(
    site.node,
    app.ref,
    `select count(*) from pg_constraint where conname = 'tried'; select count(*) from public.tickets`,
  );
  expect(left.results.map(({ rows }) => rows[0]?.[0])).toEqual(['0', '3']);
});

it('the console links from an error to the trace of the request, and from a pasted request id', async () => {
  const app = await createApp(site.node, { from: template });
  const member = await signUpMember(app);
  const refused = await fetch(`${app.url}/rest/v1/tickets`, {
    method: 'POST',
    headers: {
      apikey: app.publishable_key,
      authorization: `Bearer ${member.session.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ title: 'x' }),
  });
  expect(refused.status).toBe(400);
  const requestId = refused.headers.get('x-request-id') ?? '';

  const { page, problems } = await site.visit(`/app/${app.ref}/errors`);
  // A worker writes its counts every five seconds, and the page reads them every ten.
  const counted = page.getByRole('table', { name: 'Errors' }).getByRole('row', { name: 'title_length' });
  await counted.click();
  const panel = page.getByRole('complementary', { name: 'Error title_length' });
  await panel.getByText('The title is 3 to 120 characters', { exact: true }).waitFor();
  // The counts of an app are written every few seconds, and the page shows them at its next refresh.
  await panel.getByRole('link', { name: 'Trace of the last request' }).click({ timeout: 60_000 });
  await page.getByRole('heading', { name: /^What happened at/ }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/app/${app.ref}/calls/${requestId}`);
  const steps = page.getByRole('table', { name: 'Steps of the call' });
  await steps.getByText('raises 23514 of tickets.title_length').waitFor();
  await steps.getByText('policy: members write').waitFor();
  await page.getByRole('complementary', { name: 'Request' }).getByText(member.email).waitFor();
  await page.getByRole('link', { name: '8 Errors', exact: true }).first().waitFor();

  await page.goto(new URL(`/app/${app.ref}`, site.node.url).href);
  await page.getByText('Publishable key').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or jump' }).fill(`x-request-id: ${requestId}`);
  await page.getByRole('option', { name: requestId }).waitFor();
  await page.keyboard.press('Enter');
  await steps.getByText('In all').waitFor();
  expect(problems).toEqual([]);

  await page.goto(new URL(`/app/${app.ref}/calls/00000000-0000-4000-8000-000000000000`, site.node.url).href);
  await page.getByRole('heading', { name: 'No trace stored' }).waitFor();
  expect(problems.splice(0)).toEqual([expect.stringContaining('404')]);
});

it('a builder changes a limit at once, resets it, and reads why a value is refused', async () => {
  const app = await createApp(site.node, { from: template });
  const stored = async () => {
    const settings = await admin<SettingEntry[]>(site.node, 'GET', `/apps/${app.ref}/settings`);
    return settings.find(({ key }) => key === 'db_max_rows')?.value;
  };
  const { page, problems } = await site.visit(`/app/${app.ref}/limits?limit=pageRows`);
  const panel = page.getByRole('complementary', { name: 'Limit pageRows' });
  const field = panel.getByRole('textbox', { name: 'New value of pageRows' });
  await field.fill('many');
  await field.press('Enter');
  await panel.getByRole('alert').getByText('Write a whole number.').waitFor();
  await field.fill('2');
  await field.press('Enter');
  await panel.getByText('2 is in force.').waitFor();
  expect(await stored()).toBe(2);
  await panel.getByText('setting db_max_rows').waitFor();
  await panel.getByRole('button', { name: 'Undo' }).click();
  await panel.getByText('the default').waitFor();
  await expect.poll(stored).toBe(1000);
  await panel.getByRole('checkbox', { name: 'No limit' }).check();
  await panel.getByRole('button', { name: 'Save' }).click();
  await panel.getByText('no limit is in force.').waitFor();
  expect(await stored()).toBe(null);

  // Limits that no setting changes are in closed groups. The search finds them, too.
  const main = page.getByRole('main');
  await main
    .getByRole('rowgroup')
    .filter({ hasText: 'The largest request body.' })
    .getByRole('button')
    .first()
    .waitFor();
  const fixed = main.getByRole('region', { name: 'Fixed numbers' });
  expect(await fixed.getByRole('table').count()).toBe(0);
  await fixed.getByText('Requests', { exact: true }).click();
  await fixed.getByRole('table', { name: 'Requests' }).getByRole('button').first().click();
  await page.getByRole('complementary', { name: 'Limit heldBodyBytes' }).waitFor();
  await main.getByRole('textbox', { name: 'Filter limits' }).fill('heldBodyBytes');
  await main.getByRole('table', { name: 'Limits' }).getByRole('button').first().click();
  await page.goto(new URL(`/app/${app.ref}/limits?limit=pageRows`, page.url()).href);
  expect(problems).toEqual([]);

  // The app is deleted just before the server would respond. The page reads its app every few seconds and does not know
  // this yet.
  await page.route('**/settings/db_max_rows', async (route) => {
    await deleteApp(site.node, app.ref);
    await route.continue();
  });
  await panel.getByRole('button', { name: 'Back to 1,000' }).click();
  await panel.getByRole('alert').getByText('builder_forbidden').waitFor();
  // The page shows the new value before the server responds, and removes it after the error.
  await panel.getByText('setting db_max_rows').waitFor();
});

it('the console describes the changes of each version, and the changes between any two versions', async () => {
  const app = await createApp(site.node, { from: template });
  const versions = `/apps/${app.ref}/versions`;
  await admin(site.node, 'GET', versions);
  await runSql(site.node, app.ref, 'alter table public.tickets add column due timestamptz');
  await admin(site.node, 'GET', versions);
  await runSql(site.node, app.ref, 'drop policy "members write" on public.tickets');
  const { page, problems } = await site.visit(`/app/${app.ref}/changes`);
  const table = page.getByRole('table', { name: 'Versions' });
  await table.getByText(/Roles/).first().waitFor();
  await table.getByRole('row', { name: 'ALTER TABLE' }).click();
  const panel = page.getByRole('complementary', { name: /^Version/ });
  await panel.getByText('tickets has a new field due').waitFor();
  await panel.getByRole('button', { name: /^Compare with/ }).click();
  const compare = page.locator('figure', { hasText: 'Compare any two versions' });
  await compare.getByText('may no longer').first().waitFor();
  expect(await compare.getByText('tickets has a new field due').count()).toBe(0);
  const oldest = await compare.getByRole('combobox', { name: 'From' }).getByRole('option').last().getAttribute('value');
  await compare.getByRole('combobox', { name: 'From' }).selectOption(oldest);
  await compare.getByText('tickets has a new field due').waitFor();
  await compare.getByText('may no longer').first().waitFor();
  expect(problems).toEqual([]);
});

it('the keyboard alone moves through the table of a chapter', async () => {
  const app = await createApp(site.node, { from: template });
  const { page, problems } = await site.visit(`/app/${app.ref}/rules`);
  const rows = page.getByRole('table', { name: 'Rules' }).getByRole('button');
  await rows.first().waitFor();
  await rows.first().focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowUp');
  const second = rows.nth((await rows.count()) - 2);
  expect(await second.evaluate((element) => element === document.activeElement)).toBe(true);
  await pressOnceShown(page, 'aside h3', 'j');
  await page.keyboard.press('Enter');
  const panel = page.getByRole('complementary');
  await rows.last().and(page.locator('[aria-pressed="true"]')).waitFor();
  await page.keyboard.press('Escape');
  await panel.getByRole('heading', { name: 'Violation' }).waitFor({ state: 'detached' });
  expect(await second.evaluate((element) => element === document.activeElement)).toBe(true);
  // Only one row is in the tab order.
  expect(await rows.and(page.locator('[tabindex="0"]')).count()).toBe(1);
  expect(problems).toEqual([]);
});

/** Makes the page receive a key at the moment when an element appears, before its next paint. */
async function pressOnceShown(page: Page, selector: string, key: string): Promise<void> {
  await page.evaluate(
    ([wanted, pressed]) => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector(wanted)) return;
        observer.disconnect();
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true }));
      }).observe(document.body, { childList: true, subtree: true });
    },
    [selector, key] as const,
  );
}
