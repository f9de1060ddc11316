import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SqlResponse } from '../../contract/admin.ts';
import type { Specification } from '../../contract/specification.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

const schema = `
  create table public.tickets (
    id bigint generated always as identity primary key, title text not null constraint title_length check (length(title) <= 80),
    customer uuid references auth.users, notes text);
  insert into public.tickets (title) values ('one');`;

/** Returns what chapter 6 advises on a table. */
async function adviceOn(ref: string, table: string): Promise<string[]> {
  const { chapters } = await admin<Specification>(site.node, 'GET', `/apps/${ref}/specification`);
  return (chapters.roles?.advice ?? []).filter(({ on }) => on === table).map(({ words }) => words);
}

it('chapter 6 advises nothing on the table whose SQL the console offers as the first one', async () => {
  const app = await createApp(site.node);
  const { page, context, problems } = await site.visit(`/app/${app.ref}`);
  await page.getByRole('link', { name: 'Open in SQL' }).first().click();
  await page.getByRole('textbox', { name: 'SQL' }).getByText('create table').first().waitFor();
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await expect
    .poll(async () => (await runSql(site.node, app.ref, `select to_regclass('public.notes')::text`)).results[0]?.rows)
    .toEqual([['notes']]);
  expect(await adviceOn(app.ref, 'public.notes')).toEqual([]);
  expect(problems).toEqual([]);
  await context.close();
});

it('a builder creates a table with fields, a reference, a rule and access without SQL, by keyboard', async () => {
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, schema);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/data`);
  await page.getByRole('link', { name: 'New table' }).click();
  await page.getByLabel('Name', { exact: true }).fill('ratings');
  await page.getByLabel('Comment', { exact: true }).fill('A member rates a ticket.');
  const add = async (name: string, type: string) => {
    await page.getByRole('button', { name: 'Add field' }).click();
    // The new row is open, and its name has the focus.
    await page.keyboard.type(name);
    await page.getByLabel(`Type of ${name}`).selectOption(type);
  };
  await add('ticket', 'reference to tickets');
  await page.getByLabel('ticket is required').check();
  await page.getByLabel('When the referenced row is deleted, this row').selectOption('is deleted too');
  await add('score', 'whole number');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('From', { exact: true }).fill('1');
  await page.getByLabel('To', { exact: true }).fill('5');
  await page.getByLabel('Message when violated').fill('A score is 1 to 5.');
  await add('rated_by', 'reference to members');
  await page.getByLabel('Default of rated_by').selectOption('the caller');
  await page.getByRole('button', { name: 'The owner writes' }).click();
  await page.getByRole('button', { name: 'Add sentence' }).click();
  await page.getByLabel('Who').last().selectOption('anyone');

  const panel = page.getByRole('complementary', { name: 'What will change' });
  await panel.getByText('ratings', { exact: false }).first().waitFor();
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  expect(await faults(page)).toEqual([]);
  await panel.getByRole('tab', { name: 'Migration' }).click();
  await panel.getByText('create table public.ratings').waitFor();
  await panel.getByRole('tab', { name: 'Undo' }).click();
  await panel.getByText('drop table public.ratings;').waitFor();

  // The text of the migration is edited by hand: it is tried and shown as changes before it is applied.
  await panel.getByRole('tab', { name: 'Migration' }).click();
  await panel.getByRole('button', { name: 'Edit by hand' }).click();
  const text = panel.getByRole('textbox', { name: /^SQL/ });
  await text.press('Control+End');
  await page.keyboard.type('\nalter table public.ratings add column wrong nothing;');
  await page
    .getByText(/type "nothing" does not exist/)
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: 'Apply' }).getAttribute('aria-disabled')).toBe('true');
  for (let i = 0; i < 'wrong nothing;'.length; i++) await page.keyboard.press('Backspace');
  await page.keyboard.type('remark text;');
  await page.getByText('Migration edited by hand.').waitFor();
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  expect(await faults(page)).toEqual([]);
  await panel.getByRole('tab', { name: 'Specification' }).click();
  await panel.getByText('remark', { exact: false }).first().waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: 'ratings', level: 1 }).waitFor();
  expect(await adviceOn(app.ref, 'public.ratings')).toEqual([]);
  await page.getByRole('columnheader', { name: 'remark' }).waitFor();
  expect(new URL(page.url()).searchParams.get('table')).toBe('public.ratings');

  const ines = await signUpMember(app);
  const { error } = await ines.client.from('ratings').insert({ ticket: 1, score: 7 });
  expect([error?.code, error?.hint]).toEqual(['23514', 'A score is 1 to 5.']);
  const own = await ines.client.from('ratings').insert({ ticket: 1, score: 4 }).select().single();
  expect(own.data).toMatchObject({ score: 4, rated_by: ines.user.id });
  const ben = await signUpMember(app);
  expect((await ben.client.from('ratings').update({ score: 1 }).eq('id', own.data.id).select()).data).toEqual([]);
  expect((await ben.client.from('ratings').select('score')).data).toEqual([{ score: 4 }]);

  await page.goto(new URL(`/app/${app.ref}/changes`, page.url()).href);
  await page
    .getByText(/migration \d{14}_create_ratings\.sql/)
    .first()
    .waitFor();
  expect(problems).toEqual([]);
  await context.close();
});

it('a builder renames, retypes, adds and removes fields, and sees before that PostgreSQL refuses a change', async () => {
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, schema);
  const { page, context } = await site.visit(`/app/${app.ref}/data?table=public.tickets`);
  await page.getByRole('button', { name: 'Edit table' }).click();
  await page.getByText('No change.').waitFor();
  // The only row has no customer.
  await page.getByLabel('customer is required').check();
  await page
    .getByText(/contains null values/)
    .first()
    .waitFor();
  expect(await page.getByRole('button', { name: 'Apply' }).getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel('customer is required').uncheck();
  await page.getByRole('textbox', { name: 'Name of title' }).fill('subject');
  await page.getByRole('button', { name: 'Details of subject' }).click();
  await page.getByRole('button', { name: 'Remove title_length' }).click();
  await page.getByRole('button', { name: 'Details of notes' }).click();
  await page.getByRole('button', { name: 'Remove field' }).click();
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.keyboard.type('state');
  await page.getByLabel('Type of state').selectOption('one of a list');
  await page.getByText('state has no values to choose from.').first().waitFor();
  await page.getByLabel('Allowed values, with commas').fill('open, closed');
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  await page.getByRole('link', { name: 'SQL' }).first().click();
  await page.getByRole('dialog', { name: 'Leave without applying?' }).getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('columnheader', { name: 'subject' }).waitFor();
  const { results } = await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, {
    sql: `select attname from pg_attribute where attrelid = 'public.tickets'::regclass and attnum > 0 and not attisdropped order by attnum;
      select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'public.tickets'::regclass and contype = 'c'`,
  });
  expect(results[0]?.rows.flat()).toEqual(['id', 'subject', 'customer', 'state']);
  expect(results[1]?.rows.flat()).toEqual(["CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text])))"]);
  await context.close();
});

it('a builder starts a table from a CSV file, limits access by a condition, and changes the key', async () => {
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, schema);
  const { page, context, problems } = await site.visit(`/app/${app.ref}/data?design=new`);
  await page.getByLabel('Start from a CSV file').setInputFiles({
    ...{ name: 'Open orders.csv', mimeType: 'text/csv' },
    buffer: Buffer.from('Order No.,Paid,Due\n7,yes,24/11/2026\n8,no,\n'),
  });
  await page.getByText('4 fields from 2 rows.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Add sentence' }).click();
  await page.getByLabel('When', { exact: true }).selectOption('when paid is');
  await page.getByLabel('Value of the condition').selectOption('true');
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('heading', { name: 'open_orders', level: 1 }).waitFor();

  await page.getByRole('button', { name: 'Edit table' }).click();
  for (const [field, isKey] of [
    ['id', false],
    ['order_no', true],
  ] as const) {
    await page.getByRole('button', { name: `Details of ${field}` }).click();
    await page.getByLabel('Part of the key, which identifies a row').setChecked(isKey);
  }
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  // The editor has the same heading.
  await page.getByRole('button', { name: 'Edit table' }).waitFor();
  const { results } = await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, {
    sql: `insert into public.open_orders (order_no, paid) values (7, true), (8, false);
      select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'public.open_orders'::regclass and contype = 'p'`,
  });
  expect(results[1]?.rows.flat()).toEqual(['PRIMARY KEY (order_no)']);
  const { client } = await signUpMember(app);
  expect((await client.from('open_orders').select('order_no, paid')).data).toEqual([{ order_no: 7, paid: true }]);
  expect(problems).toEqual([]);
  await context.close();
});

it('the editor of a table has no accessibility fault on a phone, and deletes the table after its name is typed', async () => {
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, schema);
  const { page, context } = await site.visit(`/app/${app.ref}/data?table=public.tickets&design=table`, {
    viewport: sizes.phone,
  });
  await page.getByRole('button', { name: 'Details of title' }).click();
  await page.getByText('No change.').waitFor();
  expect(await faults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  await page.getByRole('button', { name: 'Delete table' }).click();
  await page.getByLabel('Type tickets to confirm').fill('tickets');
  await page.keyboard.press('Enter');
  await page.getByText('No tables yet').waitFor();
  await context.close();
});
