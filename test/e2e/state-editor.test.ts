import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SqlResponse } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';
import { addState, drawTransition } from './machine-steps.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder draws a state machine without SQL, and removes a state after its rows have somewhere to go', async () => {
  const app = await createApp(site.node);
  await runSql(
    site.node,
    app.ref,
    `select ninefold.define_role('agent', 'Answers.');
     create table public.tickets (id bigint primary key, state text not null default 'new', note text);`,
  );
  const { page, context, problems } = await site.visit(`/app/${app.ref}/states`);
  await page.getByRole('link', { name: 'Draw a machine' }).click();
  await page.getByLabel('Table', { exact: true }).selectOption('tickets');
  await page.getByLabel('Field with the state').selectOption('state');
  for (const name of ['open', 'done']) await addState(page, name);
  await drawTransition(page, 'new', 'open', 'take');
  const take = page.getByRole('group', { name: 'Transition take' });
  await take.getByRole('group', { name: 'May be made by' }).getByLabel('everyone who may change the row').uncheck();
  await take.getByLabel('agent').check();
  await take.getByRole('group', { name: 'Requires' }).getByLabel('note').check();
  await drawTransition(page, 'open', 'done', 'close');
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  expect(await faults(page)).toEqual([]);
  const panel = page.getByRole('complementary', { name: 'What will change' });
  await panel.getByRole('tab', { name: 'Undo' }).click();
  await panel.getByText('drop_machine', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('link', { name: 'Edit machine' }).waitFor();
  const defined = await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, {
    sql: 'select name, from_states, to_state, roles, requires from ninefold.transitions order by position',
  });
  expect(defined.results[0]?.rows).toEqual([
    ['take', '{new}', 'open', '{agent}', '{note}'],
    ['close', '{open}', 'done', null, '{}'],
  ]);

  await runSql(
    site.node,
    app.ref,
    `insert into public.tickets (id) values (1), (2); select ninefold.drop_machine('public.tickets', 'state');
     update public.tickets set state = 'open'; select ninefold.define_machine('public.tickets', 'state', 'new',
       '[{"name": "take", "from": "new", "to": "open"}, {"name": "close", "from": ["new", "open"], "to": "done"}]')`,
  );
  await page.reload();
  await page.getByText('2 rows', { exact: false }).first().waitFor();
  await page.getByRole('link', { name: 'Edit machine' }).click();
  await page.getByRole('button', { name: /^open\b/ }).click();
  await page.getByRole('button', { name: 'Remove state' }).click();
  await page.getByText('2 rows in open would have no state. Choose where they go.').waitFor();
  await page.getByLabel('Move the rows of open to').selectOption('done');
  await page.getByText('No row loses its state.', { exact: false }).waitFor();
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('link', { name: 'Edit machine' }).waitFor();
  const moved = await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, {
    sql: 'select distinct state from public.tickets; select name from ninefold.transitions',
  });
  expect(moved.results.map(({ rows }) => rows)).toEqual([[['done']], [['close']]]);
  expect(problems).toEqual([]);
  await context.close();
});
