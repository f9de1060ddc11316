import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection, SqlResponse } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
let app: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  app = await createApp(site.node);
  const member = await signUpMember(app);
  await runSql(
    site.node,
    app.ref,
    `select ninefold.define_role('agent', 'Answers.');
     select ninefold.grant_role('${member.user.id}', 'agent');
     create type public.visit_status as enum ('planned', 'done');
     create table public.visits (
       id bigint generated always as identity primary key, subject text not null, price numeric,
       status public.visit_status not null default 'planned', owner uuid references auth.users,
       arrival timestamptz not null default now(), departure timestamptz not null default now() + interval '1 hour');
     create table public.topics (id int primary key, name text not null, secret text);
     revoke all on public.topics from anon, authenticated;
     grant select (id, name) on public.topics to authenticated;
     alter table public.visits enable row level security;
     create policy "members read" on public.visits for select to authenticated using (true);
     grant select on public.visits to authenticated;
     insert into public.visits (subject, price) values ('The printer blinks', 4), ('The lift is stuck', 5);
     select ninefold.label('de', 'Besuche', entity => 'public.visits');`,
  );
});
afterAll(() => site.close());

const rowsOf = async (sql: string) =>
  (await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, { sql })).results[0]?.rows;

/** Applies the migration after the server has tried it. Returns after the editor was left. */
async function apply(page: Page): Promise<void> {
  await page.getByText(/Tried in a transaction: no error/).waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForURL((url) => !url.search.includes('edit=') && !url.search.includes('menu='));
}

it('a builder creates a dashboard, a calendar and a public page, changes a list, and undoes steps, without SQL', async () => {
  const { page, context, problems } = await site.visit(`/app/${app.ref}/screens?edit=new`);
  await page.getByRole('heading', { name: 'What do members need?' }).waitFor();
  await page.getByText('A board needs states, but visits has no state machine.').waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('link', { name: /^Calendar/ }).click();
  await page.getByText('arrival to departure').waitFor();
  await apply(page);

  await page.goto(new URL(`/app/${app.ref}/screens?edit=new&kind=dashboard`, site.node.url).href);
  await page.getByRole('button', { name: 'Visits by status', exact: true }).click();
  await page.getByText('Counts visits for each status, the largest first.').waitFor();
  await page.getByRole('combobox', { name: 'Shows' }).selectOption('sum');
  await page.getByText('Adds up price of visits for each status, the largest first.').waitFor();
  // The preview computes the parts of the draft.
  const draft = page.frameLocator('iframe[title^="Preview of"]');
  await draft.getByRole('region', { name: 'Visits by status' }).getByText('9', { exact: true }).first().waitFor();
  await page.getByLabel('Title in German').fill('Nach Status');
  await page.getByLabel('Add part').selectOption('line');
  await page.getByText('Part 4 has no title.').first().waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  expect(await faults(page)).toEqual([]);
  await apply(page);

  await page.goto(new URL(`/app/${app.ref}/screens?edit=new&kind=public+page`, site.node.url).href);
  await page.getByRole('button', { name: /^Title/ }).click();
  await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Hello');
  await page.getByRole('button', { name: /^Menu/ }).click();
  await page.getByLabel('First page of everyone').check();
  await apply(page);
  expect(
    await rowsOf('select route, roles, home, jsonb_array_length(parts) from ninefold.pages order by route'),
  ).toEqual([
    ['/hello', '{anon,authenticated}', 't', '2'],
    ['/overview', null, 'f', '3'],
  ]);

  // The first change of a derived screen defines it in place.
  await page.goto(new URL(`/app/${app.ref}/screens?edit=/visits`, site.node.url).href);
  await page.getByLabel('Show price').uncheck();
  await page.getByRole('button', { name: 'Move subject' }).press(' ');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: /^Filter/ }).click();
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByLabel('Field of the condition').selectOption('owner');
  await page.getByLabel('Whose id owner has').selectOption('member');
  await page.getByRole('button', { name: /^Sort/ }).click();
  await page.getByLabel('Add a field to sort by').selectOption('arrival');
  await page.getByLabel('Direction of arrival').selectOption('newest first');
  await page.getByRole('button', { name: 'Do not sort by id' }).click();
  const preview = page.frameLocator('iframe[title="Preview of Visits"]');
  await preview.getByText('Nothing here yet').waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Remove the condition owner is the member' }).click();
  await preview.getByText('The printer blinks').waitFor();
  await page.keyboard.press('Control+z');
  await preview.getByText('Nothing here yet').waitFor();
  await page.getByRole('tab', { name: /^What will change/ }).click();
  await page.getByRole('tab', { name: 'Undo' }).click();
  await page.getByText("drop_screen('/visits')").waitFor();
  await apply(page);
  expect(await rowsOf(`select columns, filter, order_by, roles from ninefold.screens where route = '/visits'`)).toEqual(
    [['{subject,id,status,owner,arrival,departure}', 'owner=eq.auth.uid()', 'arrival.desc', null]],
  );

  // A field that the role may not read is named before the migration is applied.
  await page.goto(new URL(`/app/${app.ref}/screens?edit=/topics`, site.node.url).href);
  await page.getByLabel('Show secret').check();
  await page.getByRole('region', { name: 'Fields' }).getByText('No member may read secret.').waitFor();
  await page.getByRole('button', { name: /^Who/ }).click();
  await page.getByLabel('everyone who may use it completely').uncheck();
  const who = page.getByRole('region', { name: 'Who' });
  await who.getByText('the role authenticated may not read the column secret').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();

  await page.goto(new URL(`/app/${app.ref}/screens?edit=/visits`, site.node.url).href);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The screen that follows from the table returns at /visits.').waitFor();
  await page.getByRole('button', { name: 'Delete screen' }).click();
  await page.waitForURL((url) => !url.search.includes('edit='));
  expect(await rowsOf(`select count(*) from ninefold.screens where route = '/visits'`)).toEqual([['0']]);
  expect(problems.filter((problem) => !problem.includes('postMessage'))).toEqual([]);
  await context.close();
});

it('a builder puts the menu of a role into an order with the keyboard, at 390 px too, and resets it', async () => {
  const { page, context, problems } = await site.visit(`/app/${app.ref}/screens?menu=agent`, { viewport: sizes.phone });
  const menu = page.getByRole('list', { name: 'Menu', exact: true });
  await menu.waitFor();
  await page.getByRole('button', { name: 'Add group' }).click();
  await page.getByRole('button', { name: 'New group', exact: true }).click();
  await page.getByLabel('Title of the group').fill('Work');
  await page.getByLabel('Title in German').fill('Arbeit');
  await page.getByRole('button', { name: 'Move Visits', exact: true }).press(' ');
  for (let step = 0; step < 20; step++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Make Visits the first page' }).click();
  await page.getByRole('button', { name: 'Leave Topics out' }).click();
  expect(await faults(page)).toEqual([]);
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
  expect(scrollWidth).toBe(clientWidth);
  await apply(page);
  const [[groups, home] = []] = (await rowsOf(`select groups, home from ninefold.menus where role = 'agent'`)) ?? [];
  expect(home).toBe('/visits');
  const parsed = JSON.parse(groups ?? '[]') as { title: string | null; routes: string[] }[];
  expect(parsed[0]).toEqual({ title: 'Work', titles: { de: 'Arbeit' }, routes: ['/visits'] });
  expect(parsed.flatMap(({ routes }) => routes)).not.toContain('/topics');

  await page.goto(new URL(`/app/${app.ref}/screens?menu=agent`, site.node.url).href);
  await page.getByRole('button', { name: 'Reset' }).click();
  await apply(page);
  expect(await rowsOf('select count(*) from ninefold.menus')).toEqual([['0']]);
  expect(problems.filter((problem) => !problem.includes('postMessage'))).toEqual([]);
  await context.close();
});
