import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

const schema = `
  create type public.priority as enum ('low', 'normal', 'high');
  comment on type public.priority is 'low: within 5 days; high: within 8 hours';
  create table public.customers (id uuid primary key default gen_random_uuid(), name text not null, email text);
  create table public.tickets (
    id int primary key, title text not null constraint title_length check (length(title) between 3 and 80),
    customer uuid references public.customers, priority public.priority not null default 'normal',
    urgent boolean not null default false, due timestamptz, context jsonb, reason text, status text not null default 'new');
  comment on constraint title_length on public.tickets is 'A title is 3 to 80 characters.';
  select ninefold.define_role('lead', 'Leads the team.');
  select ninefold.define_machine('public.tickets', 'status', 'new', '[
    {"name": "take", "from": "new", "to": "open"}, {"name": "hold", "from": "open", "to": "waiting", "requires": ["reason", "due"]},
    {"name": "close", "from": "waiting", "to": "closed", "roles": ["lead"]}, {"name": "drop", "from": "open", "to": "new"}]');
  insert into public.customers (name, email) values ('Brightwater', 'desk@brightwater.example'), ('Hollis Freight', 'ops@hollis.example'),
    ('Holberg', 'it@holberg.example');
  insert into public.tickets (id, title, customer) select n, 'Ticket ' || n, (select id from public.customers where name = 'Brightwater')
    from generate_series(1, 3) n;`;

async function openTickets(options = {}) {
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, schema);
  const visit = await site.visit(`/app/${app.ref}/data?table=public.tickets`, options);
  const { page } = visit;
  const grid = page.getByRole('grid', { name: 'Rows of tickets' });
  await grid.getByText('Brightwater').first().waitFor();
  const stored = async (id: number) =>
    (await clientOf(app, app.secret_key).from('tickets').select('*, customer(name)').eq('id', id).single()).data;
  return { ...visit, app, grid, stored, cell: cellOf(page) };
}

/** Returns a function from a row and a field to its cell. */
const cellOf = (page: Page) => (row: number, field: string) =>
  page
    .locator(`td[data-row="${row - 1}"]`)
    .nth(['id', 'title', 'customer', 'priority', 'urgent', 'due', 'context', 'reason', 'status'].indexOf(field));

it('a builder edits cells with pickers: a reference by its label, an enum, a boolean, a time and JSON', async () => {
  const { page, problems, cell, grid, stored } = await openTickets();
  await cell(2, 'customer').dblclick();
  await page.keyboard.type('ho');
  const list = page.getByRole('listbox', { name: 'Rows of customers' });
  await list.getByRole('option', { name: 'Hollis Freight' }).waitFor();
  await list.getByRole('option', { name: 'Brightwater' }).waitFor({ state: 'detached' });
  await page.getByText('2 of 2 match name and email').waitFor();
  expect(await list.textContent()).not.toMatch(/[0-9a-f]{8}-/);
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect.poll(() => cell(2, 'customer').textContent()).toBe('Hollis Freight');

  // Typing on a cell opens its editor. Tab saves and opens the next cell.
  await cell(2, 'title').click();
  await page.keyboard.type('Printer');
  await page.keyboard.press('Tab');
  await page.getByRole('form', { name: 'Edit customer' }).waitFor();
  await page.keyboard.press('Escape');
  await grid.getByText('Printer', { exact: true }).waitFor();

  await cell(2, 'priority').dblclick();
  await page.getByRole('option', { name: /high.*within 8 hours/ }).click();
  await expect.poll(() => cell(2, 'priority').textContent()).toBe('high');

  await cell(2, 'urgent').click();
  await page.keyboard.press('Space');
  await expect.poll(() => cell(2, 'urgent').textContent()).toBe('true');

  await cell(2, 'due').click();
  await page.keyboard.press('Enter');
  await page.keyboard.type('1 feb 2027 9am');
  await page.getByText('1 Feb 2027 09:00').waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: /^Thursday,? 4 February 2027$/ }).click();
  await page.getByRole('textbox', { name: 'due' }).press('Enter');
  await cell(2, 'due').getByText('4 Feb 2027').waitFor();

  await cell(2, 'context').dblclick();
  const json = page.getByRole('form', { name: 'Edit context' });
  await json.getByRole('textbox', { name: 'context' }).fill('{\n  "a": 1,\n}');
  await json.getByText(/^Not JSON yet.*line 3$/).waitFor();
  await json.getByRole('textbox', { name: 'context' }).press('Control+Enter');
  await json.getByRole('textbox', { name: 'context' }).fill('{"a": 12345678901234567890}');
  await json.getByText('Valid JSON, 1 key.').waitFor();
  expect(await faults(page)).toEqual([]);
  await json.getByRole('textbox', { name: 'context' }).press('Control+Enter');
  await json.waitFor({ state: 'detached' });
  expect(await stored(2)).toMatchObject({
    ...{ title: 'Printer', customer: { name: 'Hollis Freight' }, priority: 'high', urgent: true },
    due: expect.stringContaining('2027-02-04T'),
  });
  expect(problems).toEqual([]);
});

it('a cell shows a broken rule in its own words, and null as a choice of its own', async () => {
  const { page, problems, cell, stored } = await openTickets();
  await cell(1, 'title').dblclick();
  const editor = page.getByRole('form', { name: 'Edit title' });
  await editor.getByText('A title is 3 to 80 characters.').waitFor();
  await editor.getByRole('textbox').fill('x');
  await page.keyboard.press('Enter');
  await editor.getByRole('alert').getByText('A title is 3 to 80 characters.').first().waitFor();
  expect(problems.splice(0)).toEqual([expect.stringContaining('400')]);
  await page.keyboard.press('Escape');
  await cell(1, 'customer').dblclick();
  await page.getByRole('option', { name: 'null' }).click();
  await expect.poll(async () => (await stored(1))?.customer).toBeNull();
  expect(problems).toEqual([]);
});

it('the Data page changes a state only by a transition that is open, asks for what it requires, and says why others are closed', async () => {
  const { page, problems, cell, stored } = await openTickets();
  const list = page.getByRole('listbox', { name: 'State changes of status' });
  await cell(1, 'status').dblclick();
  await list.getByRole('option', { name: /close.*only from waiting/, disabled: true }).waitFor();
  await list.getByRole('option', { name: 'take', disabled: false }).click();
  await expect.poll(() => cell(1, 'status').textContent()).toBe('open');
  await cell(1, 'status').dblclick();
  await list.getByRole('option', { name: /hold.*to waiting; asks for reason/ }).click();
  const form = page.getByRole('form', { name: 'Edit status' });
  await form.getByRole('textbox', { name: 'reason' }).fill('A part is missing');
  await form.getByRole('textbox', { name: 'due' }).fill('26.11.2026 16:30');
  expect(await faults(page)).toEqual([]);
  await form.getByRole('button', { name: 'hold' }).click();
  await expect.poll(() => stored(1)).toMatchObject({ status: 'waiting', reason: 'A part is missing' });
  expect(Date.parse((await stored(1))?.due ?? '')).toBe(new Date(2026, 10, 26, 16, 30).getTime());
  await cell(1, 'status').dblclick();
  await list.getByRole('option', { name: /close.*needs the role lead/, disabled: true }).waitFor();
  expect(problems).toEqual([]);
});

it('Ctrl+Z and the list of changes undo changes, unless the row was changed since', async () => {
  const { page, app, problems, cell, stored } = await openTickets();
  const set = async (row: number, title: string) => {
    await cell(row, 'title').dblclick();
    await page.getByRole('textbox', { name: 'title' }).fill(title);
    await page.keyboard.press('Enter');
    await page.getByText(`Saved: title of ${row}`).waitFor();
  };
  await set(1, 'First');
  await set(2, 'Second');
  await set(3, 'Third');
  await page.keyboard.press('Control+z');
  await expect.poll(async () => (await stored(3))?.title).toBe('Ticket 3');
  await runSql(site.node, app.ref, `update public.tickets set title = 'Changed elsewhere' where id = 2`);
  await page.getByRole('button', { name: 'Changes in this session' }).click();
  const list = page.getByRole('dialog', { name: 'Changes in this session' });
  await list.getByText('title was changed since, so it cannot be undone').waitFor();
  await list.getByRole('button', { name: 'Undo title of 1' }).waitFor();
  expect(await list.getByRole('button', { name: /^Undo/ }).count()).toBe(1);
  expect(await faults(page)).toEqual([]);
  await list.getByRole('button', { name: 'Undo title of 1' }).click();
  await expect.poll(async () => (await stored(1))?.title).toBe('Ticket 1');
  expect((await stored(2))?.title).toBe('Changed elsewhere');
  await page.keyboard.press('Escape');

  await page.getByRole('checkbox', { name: 'Select 3' }).check();
  await page.getByRole('button', { name: 'Delete 1 row' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 row' }).click();
  await page.getByText('Saved: Deleted row 3').waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect.poll(async () => (await stored(3))?.title).toBe('Ticket 3');
  expect(problems).toEqual([]);
});

it('the panel of a row shows its transitions, the permissions of members on it, and its state changes', async () => {
  const { page, problems, grid, app } = await openTickets();
  await runSql(
    site.node,
    app.ref,
    `alter table public.tickets enable row level security;
     create policy "everybody reads" on public.tickets for select using (true);`,
  );
  await grid.getByRole('rowheader', { name: '1', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Row 1' });
  await panel.getByRole('button', { name: 'take open' }).click();
  await panel.getByRole('button', { name: /^hold/ }).click();
  await panel.getByRole('textbox', { name: 'reason' }).fill('A part is missing');
  await panel.getByRole('textbox', { name: 'due' }).fill('fri 9am');
  await page.keyboard.press('Enter');
  await panel.getByText('needs the role lead').waitFor();

  await panel.getByRole('tab', { name: 'Access' }).click();
  await panel.getByRole('button', { name: 'anon, select: yes. Show why' }).waitFor();
  await panel.getByRole('button', { name: 'anon, delete: no. Show why' }).click();
  await panel.getByRole('status').getByText(/polic/).waitFor();
  expect(await faults(page)).toEqual([]);

  await panel.getByRole('tab', { name: 'History' }).click();
  await panel.getByText('3 state changes').waitFor();
  expect(await panel.getByRole('tabpanel').getByRole('listitem').allTextContents()).toEqual([
    expect.stringMatching(/The service key hold.*open.*waiting/),
    expect.stringMatching(/The service key take.*new.*open/),
    expect.stringMatching(/inserted the row.*new/),
  ]);
  expect(problems).toEqual([]);
});

it('a builder edits a field in the sheet of a row on a phone', async () => {
  const { page, problems, grid, stored } = await openTickets({ viewport: sizes.phone });
  await grid.getByText('Ticket 1', { exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Row 1' });
  await panel.getByRole('button', { name: 'Edit customer' }).click();
  await panel.getByRole('combobox', { name: 'customer' }).fill('holberg');
  await panel.getByRole('option', { name: 'Holberg' }).click();
  await expect.poll(async () => (await stored(1))?.customer).toEqual({ name: 'Holberg' });
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(problems).toEqual([]);
});

it('a builder sets a field of several rows at once with the picker of the insert panel, and undoes the change of every row that nobody changed since', async () => {
  const { page, app, problems, grid, stored } = await openTickets();
  await page.getByRole('checkbox', { name: 'Select 1' }).check();
  await page.getByRole('checkbox', { name: 'Select 3' }).check();
  await page.getByRole('button', { name: 'Change 2 rows' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change 2 rows of tickets' });
  // A field with a state machine is changed by its transitions only.
  const fields = await dialog.getByLabel('Field').locator('option').allTextContents();
  expect(fields).toEqual(['title', 'customer', 'priority', 'urgent', 'due', 'context', 'reason']);
  await dialog.getByLabel('Field').selectOption('customer');
  await dialog.getByRole('combobox', { name: 'customer' }).fill('holberg');
  await dialog.getByRole('option', { name: 'Holberg' }).click();
  expect(await faults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Change 2 rows' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expect.poll(() => grid.getByText('Holberg').count()).toBe(2);
  expect([(await stored(1))?.customer, (await stored(2))?.customer, (await stored(3))?.customer]).toEqual([
    { name: 'Holberg' },
    { name: 'Brightwater' },
    { name: 'Holberg' },
  ]);
  await runSql(
    site.node,
    app.ref,
    `update public.tickets set customer = (select id from public.customers where name = 'Brightwater') where id = 3`,
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 row was changed since and stayed.').waitFor();
  await expect.poll(() => grid.getByText('Holberg').count()).toBe(0);

  await page.getByRole('button', { name: 'Insert row' }).click();
  const panel = page.getByRole('complementary', { name: 'Insert a row into tickets' });
  await panel.getByRole('textbox', { name: 'id' }).fill('9');
  await panel.getByRole('textbox', { name: 'title' }).fill('By hand');
  await panel.getByRole('combobox', { name: 'customer' }).fill('hollis');
  await panel.getByRole('option', { name: 'Hollis Freight' }).click();

  // The calendar is open while its field has the focus. Escape closes it before the panel.
  const due = panel.getByRole('textbox', { name: 'due' });
  const month = panel.getByText('November', { exact: true });
  expect(await panel.getByRole('button', { name: 'Next month' }).count()).toBe(0);
  await due.fill('24 Nov 2026 16:30');
  await month.waitFor();
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await month.waitFor({ state: 'detached' });
  await due.click();
  const year = panel.getByRole('combobox', { name: 'Year' });
  await year.selectOption('2031');
  await panel.getByRole('button', { name: /26 November 2031/ }).waitFor();
  await year.selectOption('2026');
  await panel.getByRole('button', { name: /26 November 2026/ }).click();
  expect(await due.inputValue()).toBe('26 Nov 2026 16:30');
  await due.fill('some day');
  await panel.getByText('This is no date and time.').waitFor();
  await panel.getByRole('button', { name: 'Insert', exact: true }).click();
  await due.fill('26.11.2026 16:30');
  const context = panel.getByRole('textbox', { name: 'context' });
  await context.fill('{"n": }');
  await panel.getByText(/^Not JSON yet/).waitFor();
  await context.fill('{"n": 12345678901234567890}');
  await panel.getByText('Valid JSON, 1 key.').waitFor();
  await month.waitFor({ state: 'detached' });
  await panel.getByRole('button', { name: 'Format' }).click();
  await panel.getByRole('button', { name: 'Insert', exact: true }).click();
  await grid.getByText('By hand').waitFor();
  const inserted = await stored(9);
  expect(inserted?.customer).toEqual({ name: 'Hollis Freight' });
  // The browser and the test have the same time zone.
  expect(Date.parse(inserted?.due ?? '')).toBe(new Date(2026, 10, 26, 16, 30).getTime());
  expect(problems).toEqual([]);
});
