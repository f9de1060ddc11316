import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { type Console, openConsole } from './console.ts';
import { inBoth, signUpOnPages } from './portal-pages.ts';

let site: Console;
let desk: AppConnection;

beforeAll(async () => {
  site = await openConsole();
  desk = await createApp(site.node, { template: 'helpdesk' });
});
afterAll(() => site.close());

/** Tickets of the last days: two each day, the first of each day about the first topic. */
const tickets = (customer: string) => `
  insert into public.tickets (customer, topic, subject, description, priority, created_at)
    select '${customer}', case when n % 2 = 0 then (select min(id) from public.topics) end, 'Ticket ' || n, 'x',
      case when n = 5 then 'urgent' else 'normal' end::public.ticket_priority, now() - (n / 2) * interval '1 day' from generate_series(0, 19) n`;

it('an agent takes the next ticket from home, reads the dashboard by pointer and keys, and follows a bar to its rows', async () => {
  const agent = await signUpOnPages(site, desk, 'Gus', 'wide');
  const { page, problems } = agent;
  await runSql(
    site.node,
    desk.ref,
    `insert into public.agents (id, name) select id, 'Gus' from auth.users where email = '${agent.email}';
     ${tickets((await clientOf(desk).auth.signUp({ email: 'ada@example.com', password: 'plum-kettle-91' })).data.user?.id ?? '')}`,
  );
  await page.goto(`${desk.origin}/`);
  await page.getByRole('button', { name: 'Take next ticket' }).click();
  // The function returns the ticket, which is opened.
  await page.getByRole('heading', { level: 1, name: 'Ticket 5' }).waitFor();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search or go to' }).fill('desk doing');
  await page.getByRole('option', { name: /How is the desk doing/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'How is the desk doing?' }).waitFor();
  const part = (name: string) => page.getByRole('region', { name });
  await part('Not solved').getByText('20', { exact: true }).waitFor();
  await part('With me').getByText('1', { exact: true }).waitFor();
  await part('Asked').first().getByText('20 more than in the 30 days before').waitFor();
  await part('Urgent').getByRole('link', { name: 'Ticket 5' }).waitFor();
  await inBoth(page);

  const chart = page.getByRole('slider', { name: 'Asked by day' });
  await chart.focus();
  await page.keyboard.press('Home');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 0$/);
  await page.keyboard.press('End');
  expect(await chart.getAttribute('aria-valuetext')).toMatch(/: 2$/);
  const box = await chart.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 2, (box?.y ?? 0) + 100);
  await expect.poll(() => chart.getAttribute('aria-valuenow')).toBe('0');
  expect(await page.getByRole('table', { name: 'Asked by day' }).getByRole('row').count()).toBe(31);

  await page.getByRole('button', { name: '7 days' }).click();
  await part('Asked').first().getByText('8 more than in the 7 days before').waitFor();
  expect(new URL(page.url()).searchParams.get('days')).toBe('7');
  await part('About what').getByText('20 in all').waitFor();
  await part('About what').getByRole('link', { name: 'empty' }).click();
  await page.getByRole('status').filter({ hasText: '10 tickets.' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/tickets');
  expect(problems).toEqual([]);
  await agent.context.close();
});

it('a phone shows the dashboard below each other, and a part that fails says so', async () => {
  const { page, context, problems, email } = await signUpOnPages(site, desk, 'Lea', 'phone');
  await runSql(
    site.node,
    desk.ref,
    `insert into public.agents (id, name, lead) select id, 'Lea', true from auth.users where email = '${email}';
     create view public.broken with (security_invoker = true) as select t.id, 1 / (t.id - t.id) as share from public.tickets t;
     grant select on public.broken to authenticated;
     select ninefold.define_page('/shares', 'Shares', '[
       {"kind": "number", "title": "Broken", "entity": "public.broken", "value": "sum", "of": "share"},
       {"kind": "line", "title": "By urgency", "entity": "public.tickets", "over": "created_at", "by": "priority"},
       {"kind": "text", "text": "## Why\\n\\nBecause *we* count."},
       {"kind": "buttons", "routes": ["/queue", "/account", "/account/sign-up"]}]', roles => '{agent}')`,
  );
  await page.goto(`${desk.origin}/desk`);
  await page.getByRole('region', { name: 'Urgent' }).getByText('Ticket 5').waitFor();
  await inBoth(page);
  await page.goto(`${desk.origin}/shares`);
  await page.getByRole('region', { name: 'Broken' }).getByRole('alert').waitFor();
  await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/Normal 2, Urgent 0$/);
  await page.getByRole('heading', { level: 2, name: 'Why' }).waitFor();
  // A member needs no link to the sign-up.
  expect(await page.getByRole('main').getByRole('link').allInnerTexts()).toEqual(['Queue', 'Your account']);
  await inBoth(page);
  expect(problems).toEqual([]);
  await context.close();
});

it('a visitor reads the first page of an app, and a member sees pictures, the app’s words for no rows, and functions of a row in lists, galleries and boards', async () => {
  const notes = await createApp(site.node, { template: 'notes' });
  const visitor = await site.visit(`${notes.origin}/`, { signedIn: false });
  await visitor.page.getByRole('heading', { level: 1, name: 'Write for yourself' }).waitFor();
  await inBoth(visitor.page);
  await visitor.page.getByRole('main').getByRole('link', { name: 'Make an account' }).click();
  await visitor.page.waitForURL(/\/account\/sign-up/);
  await visitor.context.close();

  const { page, context, problems } = await signUpOnPages(site, desk, 'Ruth', 'wide');
  await runSql(
    site.node,
    desk.ref,
    `create table public.places (id bigint generated always as identity primary key, name text not null, city text, photo text);
     grant select on public.places to authenticated;
     select ninefold.file_field('public.places', 'photo', 'photos');
     insert into public.places (name, city) select 'Place ' || n, 'Kiel' from generate_series(1, 70) n;
     create function public.visit(place bigint, greeting text) returns text language sql as
       $$ select greeting || ' from ' || name from public.places where id = place $$;
     select ninefold.define_screen('/gallery', 'Gallery', 'gallery', 'public.places', '{name,city}', order_by => 'id', place => 1,
       actions => '{public.visit}');
     select ninefold.define_screen('/none', 'None', 'gallery', 'public.places', '{name}', filter => 'city=eq.Rome', empty => 'Nobody was in Rome.', place => 2);
     select ninefold.define_screen('/visits', 'Visits', 'list', 'public.places', '{name,city}', order_by => 'id', place => 3,
       actions => '{public.visit}');
     create table public.trips (id bigint generated always as identity primary key, name text not null, status text not null);
     grant select, update on public.trips to authenticated;
     select ninefold.define_machine('public.trips', 'status', 'planned', '[{"name": "go", "from": "planned", "to": "made"}]');
     insert into public.trips (name) values ('To Kiel'), ('To Bonn');
     create function public.praise(trip bigint) returns text language sql as
       $$ select 'We liked it: ' || name from public.trips where id = trip $$;
     select ninefold.define_screen('/trips', 'Trips', 'board', 'public.trips', '{name}', place => 4, actions => '{public.praise}')`,
  );
  await page.goto(`${desk.origin}/gallery`);
  const cards = page.getByRole('list', { name: 'Gallery' }).getByRole('article');
  await cards.first().getByText('Kiel').waitFor();
  await inBoth(page);
  // The next page is read when the last card is near.
  await cards.last().scrollIntoViewIfNeeded();
  await expect.poll(() => cards.count()).toBe(70);
  await page.getByRole('searchbox').fill('Place 70');
  await expect.poll(() => cards.count()).toBe(1);
  await cards.first().getByRole('button', { name: 'Visit: Place 70' }).click();
  await page.getByRole('form', { name: 'Visit' }).getByLabel('Greeting').fill('Hello');
  await page.getByRole('form', { name: 'Visit' }).getByRole('button', { name: 'Visit' }).click();
  await page.getByText('Visit: done. Hello from Place 70').waitFor();
  await cards.first().getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: 'Place 70' }).waitFor();
  await page.goto(`${desk.origin}/none`);
  await page.getByRole('heading', { name: 'Nobody was in Rome.' }).waitFor();
  await page.goto(`${desk.origin}/visits`);
  await page.getByRole('button', { name: 'Visit: Place 2', exact: true }).click();
  const form = page.getByRole('form', { name: 'Visit' });
  await form.getByLabel('Greeting').fill('Hello');
  await inBoth(page);
  await form.getByRole('button', { name: 'Visit' }).click();
  await page.getByText('Visit: done. Hello from Place 2').waitFor();
  await page.goto(`${desk.origin}/trips`);
  await page.getByRole('article', { name: 'To Bonn' }).getByRole('button', { name: 'Praise: To Bonn' }).click();
  await page.getByText('Praise: done. We liked it: To Bonn').waitFor();
  await inBoth(page);
  expect(problems).toEqual([]);
  await context.close();
});
