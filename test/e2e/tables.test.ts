import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder creates a table with SQL, and inserts, edits and deletes a row of it in Data', async () => {
  const app = await createApp(site.node);
  const { page, problems } = await site.visit(`/app/${app.ref}/data`);
  await page.getByRole('heading', { name: 'No tables yet' }).waitFor();

  await page.getByRole('link', { name: 'SQL', exact: true }).click();
  const editor = page.getByRole('textbox', { name: 'SQL' });
  await editor.fill(`create table public.tickets (
    id bigint generated always as identity primary key,
    title text not null check (md5(title) <> md5('x')),
    priority text default 'normal');
    insert into public.tickets (title) values ('Printer on fire') returning id, title;`);
  await page.getByRole('button', { name: 'Run' }).click();
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByText('Printer on fire').waitFor();

  await page.getByRole('link', { name: 'Data', exact: true }).click();
  const grid = page.getByRole('grid', { name: 'Rows of tickets' });
  await grid.getByText('Printer on fire').dblclick();
  const cell = page.getByRole('form', { name: 'Edit title' });
  await cell.getByRole('textbox', { name: 'title' }).fill('x');
  await cell.getByRole('button', { name: 'Save' }).click();
  // The editor describes the rule in words, and shows PostgreSQL's message only in the details.
  await cell.getByText('Details').click();
  await cell.getByText(/tickets_title_check/).waitFor();
  // The browser reports the response 400.
  expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
  await cell.getByRole('textbox', { name: 'title' }).fill('Printer is fine');
  await cell.getByRole('button', { name: 'Save' }).click();
  await grid.getByText('Printer is fine').waitFor();

  await page.getByRole('button', { name: 'Insert row' }).click();
  const panel = page.getByRole('complementary', { name: 'Insert a row into tickets' });
  await panel.getByRole('textbox', { name: 'title' }).fill('Second ticket');
  await panel.getByRole('button', { name: 'Insert', exact: true }).click();
  await grid.getByText('Second ticket').waitFor();

  const service = clientOf(app, app.secret_key);
  const both = await service.from('tickets').select('title, priority').order('id');
  expect(both.data).toEqual([
    { title: 'Printer is fine', priority: 'normal' },
    { title: 'Second ticket', priority: 'normal' },
  ]);

  // A copy has the values of the row but not its key, and the panel stays open for another row.
  await page.getByRole('complementary', { name: 'Row 2' }).getByRole('button', { name: 'Duplicate' }).click();
  await panel.getByRole('textbox', { name: 'title' }).fill('Third ticket');
  await panel.getByRole('button', { name: 'Insert and next' }).click();
  await grid.getByText('Third ticket').waitFor();
  await panel.getByRole('textbox', { name: 'title' }).fill('Fourth ticket');
  await panel.getByRole('button', { name: 'Insert', exact: true }).click();
  await grid.getByText('Fourth ticket').waitFor();

  const search = page.getByRole('searchbox', { name: 'Search tickets' });
  await search.fill('thIRd');
  await grid.getByText('Fourth ticket').waitFor({ state: 'detached' });
  expect(await grid.getByText(/ticket/).allTextContents()).toEqual(['Third ticket']);
  await search.fill('nothing like this');
  await page.getByText('contains “nothing like this”').waitFor();
  await page.getByRole('button', { name: 'Show all rows' }).click();
  await grid.getByText('Fourth ticket').waitFor();
  await service.from('tickets').delete().gt('id', 2);
  await grid.getByText('Fourth ticket').waitFor({ state: 'detached' });
  await grid.getByText('Second ticket').click();

  await page.getByRole('complementary', { name: 'Row 2' }).getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 1 row of tickets?' });
  await dialog.getByRole('button', { name: 'Delete 1 row' }).click();
  await grid.getByText('Second ticket').waitFor({ state: 'detached' });
  expect((await service.from('tickets').select('title')).data).toEqual([{ title: 'Printer is fine' }]);
  expect(problems).toEqual([]);
});

it('a builder edits a row through a view that contains the key of its table', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `create table public.tickets (id int primary key, title text); insert into public.tickets values (1, 'Printer on fire'), (2, 'Second');
     create view public.open_tickets as select id as number, title from public.tickets;`,
  );
  const { page, problems } = await site.visit(`/app/${app.ref}/data?table=public.open_tickets`);
  const grid = page.getByRole('grid', { name: 'Rows of open_tickets' });
  await grid.getByText('Printer on fire').dblclick();
  const cell = page.getByRole('form', { name: 'Edit title' });
  await cell.getByRole('textbox', { name: 'title' }).fill('Printer is fine');
  await cell.getByRole('button', { name: 'Save' }).click();
  await grid.getByText('Printer is fine').waitFor();
  const rows = await clientOf(app, app.secret_key).from('tickets').select('id, title').order('id');
  expect(rows.data).toEqual([
    { id: 1, title: 'Printer is fine' },
    { id: 2, title: 'Second' },
  ]);
  expect(problems).toEqual([]);
});

it('the SQL page shows the position of an error in a statement', async () => {
  const app = await createApp(site.node);
  const { page, problems } = await site.visit(`/app/${app.ref}/sql`);
  await page.getByRole('textbox', { name: 'SQL' }).fill('select 1;\nselect * form nowhere;');
  await page.keyboard.press('Control+Enter');
  const results = page.getByRole('region', { name: 'Results' });
  await results.getByRole('tab', { name: /error 42601/ }).waitFor();
  await results.getByText(/syntax error at or near "form"/).waitFor();
  expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText('select 40 + 2 as answer;');
  await page.keyboard.press('Control+Enter');
  await results.getByRole('columnheader', { name: 'answer' }).waitFor();
  await page.getByRole('button', { name: /nowhere/ }).click();
  await page.getByRole('textbox', { name: 'SQL' }).getByText('nowhere').waitFor();
  await page.reload();
  await page.getByRole('textbox', { name: 'SQL' }).getByText('nowhere').waitFor();
  expect(problems).toEqual([]);
});

it('the Data page shows the rows that a member sees', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `create table public.notes (id bigint generated always as identity primary key, text text not null);
     alter table public.notes enable row level security;
     insert into public.notes (text) values ('for builders only');`,
  );
  const { page, problems } = await site.visit(`/app/${app.ref}/data?table=public.notes`);
  const note = page.getByRole('grid', { name: 'Rows of notes' }).getByText('for builders only');
  await note.waitFor();
  await page.getByRole('button', { name: 'Rows as seen by service key' }).click();
  await page.getByRole('menuitem', { name: /^anonymous/ }).click();
  await page.getByRole('button', { name: 'Rows as seen by anonymous' }).waitFor();
  await note.waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

it('the Data page shows a state in the colour of chapter 4, and all other values without a colour', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `create type public.priority as enum ('low', 'high');
     create table public.tickets (id int primary key, priority public.priority default 'high', status text not null default 'new');
     insert into public.tickets (id) values (1), (2), (3), (4);
     select ninefold.define_machine('public.tickets', 'status', 'new', '[{"name": "take", "from": "new", "to": "open"},
       {"name": "wait", "from": "open", "to": "waiting"}, {"name": "solve", "from": "waiting", "to": "solved"},
       {"name": "close", "from": "solved", "to": "closed"}]');
     alter table public.tickets disable trigger all;
     update public.tickets set status = (array['open', 'waiting', 'solved', 'closed'])[id];
     alter table public.tickets enable trigger all;`,
  );
  const { page, problems } = await site.visit(`/app/${app.ref}/states`);
  const names = ['open', 'waiting', 'solved', 'closed'];
  /** Returns the colour of the square before each state; null for a value without a square. */
  const coloursIn = async (place: Locator) =>
    Promise.all(names.map(async (name) => swatchOf(place.getByText(name, { exact: true }).first())));
  const table = page.getByRole('table', { name: 'Transitions' });
  await table.getByText('closed', { exact: true }).first().waitFor();
  const defined = await coloursIn(table);
  expect(new Set(defined).size).toBe(names.length);

  await page.getByRole('link', { name: 'Data', exact: true }).click();
  const grid = page.getByRole('grid', { name: 'Rows of tickets' });
  await grid.getByText('closed', { exact: true }).waitFor();
  await expect.poll(() => coloursIn(grid)).toEqual(defined);
  expect(await swatchOf(grid.getByText('high', { exact: true }).first())).toBeNull();
  expect(problems).toEqual([]);
});

it('a builder inserts a row on a phone', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    'create table public.notes (id int generated always as identity primary key, body text)',
  );
  const { page, problems } = await site.visit(`/app/${app.ref}/data?table=public.notes`, { viewport: sizes.phone });
  await page.getByRole('button', { name: 'Insert row' }).click();
  const panel = page.getByRole('complementary', { name: 'Insert a row into notes' });
  await panel.getByRole('textbox', { name: 'body' }).fill('Written on a phone');
  await panel.getByRole('button', { name: 'Insert', exact: true }).click();
  await expect
    .poll(async () => (await clientOf(app, app.secret_key).from('notes').select('body')).data)
    .toEqual([{ body: 'Written on a phone' }]);
  expect(problems).toEqual([]);
});

const swatchOf = (value: Locator): Promise<string | null> =>
  value.evaluate((element) => {
    const { content, backgroundColor } = getComputedStyle(element, '::before');
    return content === 'none' ? null : backgroundColor;
  });

it('the SQL page inserts names of the schema at the cursor, and opens snippets about a table of the app', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    'create table public.gauges (id int primary key, level int); insert into gauges values (1, 42)',
  );
  const { page, context, problems } = await site.visit(`/app/${app.ref}/sql`);
  const lists = page.getByRole('navigation', { name: 'Statements' });
  await lists.getByText('gauges', { exact: true }).click();
  const editor = page.getByRole('textbox', { name: /^SQL/ });
  await editor.click();
  await page.keyboard.type('select ');
  await lists.getByRole('button', { name: 'Insert level' }).click();
  await page.keyboard.type(' from gauges');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('region', { name: 'Results' }).getByText('42', { exact: true }).waitFor();
  await lists.getByRole('button', { name: 'Read rows' }).click();
  await expect.poll(() => editor.textContent()).toContain('from public.gauges');
  expect(problems).toEqual([]);
  await context.close();
});
