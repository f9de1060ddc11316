import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SqlResponse } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

const schema = `
  create type public.priority as enum ('low', 'high');
  create table public.customers (id uuid primary key default gen_random_uuid(), name text not null);
  create table public.tickets (
    id int generated always as identity primary key, title text not null constraint title_length check (length(title) between 3 and 80),
    customer uuid not null references public.customers, priority public.priority not null default 'low', due date, context jsonb);
  comment on constraint title_length on public.tickets is 'A title is 3 to 80 characters.';
  insert into public.customers (name) values ('Brightwater'), ('Hollis Freight');`;

const csv = [
  'No;Title;Customer;Priority;Due',
  '7;Printer on fire;Hollis Freight;HIGH;24/11/2026',
  '8;x;Brightwater;low;',
  '9;"Büro; with a semicolon";Brightwater;;25.11.2026',
  '10;No such customer;Nobody;low;',
].join('\r\n');

async function openImport(options = {}) {
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, schema);
  const visit = await site.visit(`/app/${app.ref}/data?table=public.tickets`, options);
  const { page } = visit;
  const service = clientOf(app, app.secret_key);
  const stored = async () =>
    (await service.from('tickets').select('title, priority, due, customer(name)').order('id')).data;
  const choose = (text: string, encoding: BufferEncoding = 'utf8') =>
    page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'tickets.csv', mimeType: 'text/csv', buffer: Buffer.from(text, encoding) });
  return { ...visit, app, stored, choose };
}

it('a builder imports a CSV file: matches columns and labels, lists rows that violate a rule, imports the valid rows, and exports them', async () => {
  const { page, problems, app, stored, choose } = await openImport();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('heading', { name: 'Import into tickets' }).waitFor();
  // A spreadsheet on Windows writes windows-1252.
  await choose(csv, 'latin1');
  await page.getByText('5 columns, 4 matched. Semicolon, Windows-1252, first line is the header.').waitFor();
  expect(await page.getByRole('combobox', { name: 'Field of No' }).inputValue()).toBe('');
  expect(await page.getByRole('combobox', { name: 'Field of Customer' }).inputValue()).toBe('customer');
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Check 4 rows' }).click();
  await page.getByText('2 rows are valid, 2 rows violate a rule').waitFor();
  const refused = page.getByRole('table', { name: 'Rows that violate a rule' });
  await refused.getByRole('row', { name: /^3 .*A title is 3 to 80 characters/ }).waitFor();
  await refused.getByRole('row', { name: /^5 .*customers has no row “Nobody”/ }).waitFor();
  expect(await faults(page)).toEqual([]);
  expect(await stored()).toEqual([]);
  // The browser reports each refused request of the check.
  problems.splice(0);

  await page.getByRole('button', { name: 'Import 2 rows' }).click();
  await page.getByText('2 rows were imported.').waitFor();
  expect(await stored()).toEqual([
    { title: 'Printer on fire', priority: 'high', due: '2026-11-24', customer: { name: 'Hollis Freight' } },
    { title: 'Büro; with a semicolon', priority: 'low', due: '2026-11-25', customer: { name: 'Brightwater' } },
  ]);
  // The check has used up no numbers.
  const numbers = await runSql(site.node, app.ref, 'select id from public.tickets order by id');
  expect(numbers.results.at(-1)?.rows).toEqual([['1'], ['2']]);
  await page.getByRole('button', { name: 'Back to the rows' }).click();
  const grid = page.getByRole('grid', { name: 'Rows of tickets' });
  await grid.getByText('Printer on fire').waitFor();

  const exported = async (item: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item }).click(),
    ]);
    return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') };
  };
  const file = await exported('CSV, 2 rows');
  expect([file.name, file.text.split('\r\n')[0]]).toEqual(['tickets.csv', 'id,title,customer,priority,due,context']);
  const json = await exported('JSON, 2 rows');
  expect([json.name, JSON.parse(json.text)]).toEqual([
    'tickets.json',
    [
      expect.objectContaining({ id: expect.any(Number), title: 'Printer on fire', due: '2026-11-24' }),
      expect.objectContaining({ title: 'Büro; with a semicolon', priority: 'low' }),
    ],
  ]);
  expect(problems).toEqual([]);
});

it('a builder fixes refused rows by buttons, and undoes the import except rows that were changed since', async () => {
  const { page, app, problems, stored, choose } = await openImport();
  await runSql(
    site.node,
    app.ref,
    `alter table public.tickets add constraint one_title unique (title), add column channel text check (channel in ('mail', 'phone'))`,
  );
  await runSql(
    site.node,
    app.ref,
    `insert into public.tickets (title, customer) select 'Already here', id from public.customers where name = 'Brightwater'`,
  );
  await page.reload();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await choose(
    [
      'title,customer,priority,due,channel',
      'Printer on fire,Brightwater,hihg,,Mail',
      'Wrong invoice,Brightwater,low,31/02/2027,',
      'x,Brightwater,low,,',
      'Already here,Brightwater,high,,',
      'Label printer,Hollis Freight,low,,fone',
    ].join('\n'),
  );
  await page.getByRole('button', { name: 'Check 5 rows' }).click();
  await page.getByText('0 rows are valid, 5 rows violate a rule').waitFor();
  const refused = page.getByRole('table', { name: 'Rows that violate a rule' });
  // A row shows the label of the row that it references, and not the key.
  await refused.getByRole('row', { name: /^4 x Brightwater/ }).waitFor();
  const fixes = page.getByRole('list', { name: 'Fixes' });
  // A rule that lists the values of a text suggests the nearest value, as an enum does.
  await fixes.getByRole('button', { name: 'Use phone for fone' }).click();
  await page.getByText('1 row is valid, 4 rows violate a rule').waitFor();
  await fixes.getByRole('button', { name: 'Use high for hihg' }).click();
  await page.getByText('2 rows are valid, 3 rows violate a rule').waitFor();
  await fixes.getByRole('button', { name: 'Empty due' }).click();
  await page.getByText('3 rows are valid, 2 rows violate a rule').waitFor();
  expect(await faults(page)).toEqual([]);
  await fixes
    .getByRole('listitem')
    .filter({ hasText: 'A title is 3 to 80 characters.' })
    .getByRole('button', { name: 'Leave the row out' })
    .click();
  await page.getByText('3 rows are valid, 1 row violates a rule').waitFor();
  await fixes.getByRole('button', { name: 'Skip rows that exist' }).click();
  await page.getByText('4 rows are valid, 0 rows violate a rule').waitFor();
  await page.getByText('You can undo the import for 24 hours.').waitFor();
  await page.getByRole('button', { name: 'Import 4 rows' }).click();
  await page.getByText('3 rows were imported.').waitFor();
  problems.splice(0);
  expect((await stored())?.map(({ title }) => title)).toEqual([
    'Already here',
    'Printer on fire',
    'Wrong invoice',
    'Label printer',
  ]);

  await runSql(site.node, app.ref, `update public.tickets set priority = 'high' where title = 'Wrong invoice'`);
  // The list of imports is the app's, so that another browser undoes the import.
  const elsewhere = await site.visit(new URL(page.url()).pathname + new URL(page.url()).search);
  await elsewhere.page.getByText('3 rows of tickets.csv').waitFor();
  await elsewhere.page.close();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole('button', { name: 'Undo import' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo the import of tickets.csv?' });
  await dialog.getByText('2 rows of tickets will be deleted. 1 row was changed or deleted since and stays.').waitFor();
  expect(await faults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Delete 2 rows' }).click();
  await page.getByText('The import was undone: 2 rows were deleted.').waitFor();
  expect((await stored())?.map(({ title }) => title)).toEqual(['Already here', 'Wrong invoice']);
  expect(problems).toEqual([]);
});

it('a builder edits a refused row in place, and takes the row with the nearest label for a reference', async () => {
  const { page, problems, stored, choose } = await openImport();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await choose('title,customer,due\nx,Brightwater,\nPrinter on fire,Hollis Frieght,\nLabel printer,Nobody,31/02/2027');
  await page.getByRole('button', { name: 'Check 3 rows' }).click();
  await page.getByText('0 rows are valid, 3 rows violate a rule').waitFor();
  await page.getByRole('button', { name: 'Use Hollis Freight for Hollis Frieght' }).click();
  await page.getByText('1 row is valid, 2 rows violate a rule').waitFor();
  await page.getByRole('button', { name: 'Edit line 2' }).click();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'title of line 2' }).fill('Toner is empty');
  await page.keyboard.press('Enter');
  await page.getByText('2 rows are valid, 1 row violates a rule').waitFor();
  await page.getByRole('button', { name: 'Edit line 4' }).click();
  await page.getByRole('textbox', { name: 'customer of line 4' }).fill('Hollis Freight');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  // PostgreSQL reports one error of a row at a time.
  await page.getByRole('row', { name: /^4 .*“31\/02\/2027” does not fit due/ }).waitFor();
  await page.getByRole('button', { name: 'Edit line 4' }).click();
  await page.getByRole('textbox', { name: 'due of line 4' }).fill('28/02/2027');
  await page.keyboard.press('Enter');
  await page.getByText('3 rows are valid, 0 rows violate a rule').waitFor();
  problems.splice(0);
  await page.getByRole('button', { name: 'Import 3 rows' }).click();
  await page.getByText('3 rows were imported.').waitFor();
  expect(await stored()).toEqual([
    { title: 'Toner is empty', priority: 'low', due: null, customer: { name: 'Brightwater' } },
    { title: 'Printer on fire', priority: 'low', due: null, customer: { name: 'Hollis Freight' } },
    { title: 'Label printer', priority: 'low', due: '2027-02-28', customer: { name: 'Hollis Freight' } },
  ]);
  expect(problems).toEqual([]);
});

it('the import writes nothing if the check ended before the last row, or if the builder stops it', async () => {
  const { page, app, problems, stored, choose } = await openImport();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await choose(`title,customer,context\n${'Ticket,Brightwater,{\n'.repeat(200)}Ticket,Brightwater,{}`);
  await page.getByRole('button', { name: 'Check 201 rows' }).click();
  await page.getByText('0 rows are valid, 200 rows violate a rule. 1 row is not checked yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Import 0 rows' }).getAttribute('aria-disabled')).toBe('true');
  await choose(`title,customer\n${Array.from({ length: 300 }, (_, n) => `Ticket ${n},Brightwater\n`).join('')}`);
  await page.getByRole('button', { name: 'Check 300 rows' }).click();
  await page.getByText('300 rows are valid, 0 rows violate a rule').waitFor();
  // The insert waits for a lock of this statement, so that the import is active when it is stopped.
  const lock = runSql(site.node, app.ref, 'lock table public.customers in exclusive mode; select pg_sleep(6);');
  const held = `select 1 from pg_locks where relation = 'public.customers'::regclass and mode = 'ExclusiveLock' and granted`;
  await expect
    .poll(
      async () =>
        (await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, { sql: held })).results[0]?.row_count,
    )
    .toBe(1);
  await page.getByRole('button', { name: 'Import 300 rows' }).click();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped. Nothing was imported.').waitFor();
  await lock;
  expect(await stored()).toEqual([]);
  expect(problems).toEqual([]);
});

it('the import fits the import on a phone', async () => {
  const { page, problems, choose } = await openImport({ viewport: sizes.phone, colorScheme: 'dark' });
  await page.goto(`${page.url()}&import=true`);
  await choose(csv);
  await page.getByRole('button', { name: 'Check 4 rows' }).click();
  await page.getByText('2 rows are valid').waitFor();
  expect(await faults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  expect(problems.filter((problem) => !problem.includes('status of 4'))).toEqual([]);
});
