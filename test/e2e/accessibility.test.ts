import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp, runSql } from '../support/apps.ts';
import { signUpMember } from '../support/clients.ts';
import { type Console, openConsole, sizes, type Visit } from './console.ts';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

const schema = `
  create table public.customers (id bigint generated always as identity primary key, name text not null);
  create table public.tickets (
    id bigint generated always as identity primary key,
    customer bigint not null references public.customers,
    title text not null,
    body jsonb,
    created_at timestamptz not null default now(),
    constraint title_length check (length(title) <= 80));
  comment on table public.tickets is 'What a customer asks for';
  alter table public.tickets enable row level security;
  create policy "members read" on public.tickets for select to authenticated using (true);
  create function public.open_tickets() returns bigint language sql stable as 'select count(*) from public.tickets';
  insert into public.customers (name) values ('Brightwater'), ('Elm Street Clinic');
  insert into public.tickets (customer, title, body)
    select 1 + n % 2, 'Ticket number ' || n, jsonb_build_object('n', n) from generate_series(1, 12) n;`;

let site: Console;
let filled: string;
let empty: string;
/** Request id of a call that failed. */
let failed: string;
beforeAll(async () => {
  site = await openConsole();
  const app = await createApp(site.node, { name: 'Helpdesk' });
  await runSql(site.node, app.ref, schema);
  await signUpMember(app);
  const refused = await fetch(`${app.url}/rest/v1/nowhere`, { headers: { apikey: app.publishable_key } });
  failed = refused.headers.get('x-request-id') ?? '';
  filled = `/app/${app.ref}`;
  empty = `/app/${(await createApp(site.node)).ref}`;
});
afterAll(() => site.close());

interface View {
  name: string;
  path: () => string;
  /** Waits until all of it is there. */
  ready: (page: Page) => Promise<unknown>;
  signedIn?: boolean;
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor();
const dialog = (name: string) => (page: Page) => page.getByRole('dialog', { name }).waitFor();

const views: readonly View[] = [
  { name: 'sign-in', path: () => '/sign-in', ready: heading('Sign in'), signedIn: false },
  { name: 'set-up, done', path: () => '/setup', ready: heading('All set up'), signedIn: false },
  { name: 'no page', path: () => '/app', ready: heading('There is no page here') },
  {
    name: 'apps',
    path: () => '/',
    ready: (page) => page.getByRole('table', { name: 'Apps' }).getByRole('link').first().waitFor(),
  },
  { name: 'make an app', path: () => '/?make=true', ready: dialog('Make an app') },
  { name: 'contents', path: () => filled, ready: (page) => page.getByText('Publishable key').waitFor() },
  { name: 'contents, empty', path: () => empty, ready: (page) => page.getByText('Publishable key').waitFor() },
  { name: 'entities', path: () => `${filled}/entities`, ready: heading(/./) },
  { name: 'roles', path: () => `${filled}/roles`, ready: heading(/./) },
  { name: 'calls', path: () => `${filled}/calls`, ready: heading(/./) },
  {
    name: 'rules, one in full and one tried',
    path: () => `${filled}/rules?rule=public.tickets.title_length`,
    ready: async (page) => {
      await page.getByRole('complementary', { name: 'title_length of tickets' }).waitFor();
      await page.getByRole('textbox', { name: 'Every row fulfils' }).fill('length(title) > 15');
      await page.getByRole('button', { name: 'Count' }).click();
      await page.getByText('would break it').waitFor();
    },
  },
  {
    name: 'errors, one in full',
    path: () => `${filled}/errors?error=code.PGRST205`,
    ready: (page) => page.getByRole('complementary', { name: 'Error PGRST205' }).waitFor(),
  },
  {
    name: 'errors, none met',
    path: () => `${empty}/errors`,
    ready: (page) => page.getByText('none was met').waitFor(),
  },
  {
    name: 'the story of a call',
    path: () => `${filled}/calls/${failed}`,
    ready: async (page) => {
      await page.getByRole('table', { name: 'Steps of the call' }).getByText('In all').waitFor();
    },
  },
  {
    name: 'limits, one in full',
    path: () => `${filled}/limits?limit=pageRows`,
    ready: (page) => page.getByRole('textbox', { name: 'New value of pageRows' }).waitFor(),
  },
  {
    name: 'changes, one in full',
    path: () => `${filled}/changes?version=1`,
    ready: (page) => page.getByRole('complementary', { name: 'Version 1' }).waitFor(),
  },
  { name: 'data', path: () => `${filled}/data`, ready: heading(/./) },
  {
    name: 'data, a table',
    path: () => `${filled}/data?table=public.tickets`,
    ready: (page) => page.getByText('Ticket number 1', { exact: true }).waitFor(),
  },
  { name: 'data, empty', path: () => `${empty}/data`, ready: heading(/./) },
  { name: 'sql', path: () => `${filled}/sql`, ready: heading(/./) },
  {
    name: 'users',
    path: () => `${filled}/users`,
    ready: (page) => page.getByText('1 user', { exact: true }).waitFor(),
  },
  {
    name: 'users, one in full',
    path: () => `${filled}/users`,
    ready: async (page) => {
      await page.getByRole('row', { name: 'example.com' }).click();
      await page.getByRole('textbox', { name: 'User metadata as JSON' }).waitFor();
    },
  },
  { name: 'users, empty', path: () => `${empty}/users`, ready: (page) => page.getByText('No users yet').waitFor() },
  {
    name: 'create a user',
    path: () => `${filled}/users`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Create user' }).click();
      await dialog('Create a user')(page);
    },
  },
  {
    name: 'sessions, one in full',
    path: () => `${filled}/sessions`,
    ready: async (page) => {
      await page.getByRole('row', { name: 'example.com' }).click();
      await page.getByRole('complementary', { name: 'Selected session' }).waitFor();
    },
  },
  {
    name: 'sessions, empty',
    path: () => `${empty}/sessions`,
    ready: (page) => page.getByText('Nobody is signed in').waitFor(),
  },
];

describe.each(['wide', 'phone'] as const)('%s', (size) => {
  // One browser profile for those who are signed in and one for others: their caches save most of the time.
  let visits: { member: Visit; stranger: Visit };
  beforeAll(async () => {
    const options = { viewport: sizes[size] };
    visits = {
      member: await site.visit('/', options),
      stranger: await site.visit('/sign-in', { ...options, signedIn: false }),
    };
  });
  afterAll(() => Promise.all(Object.values(visits).map(({ context }) => context.close())));

  it.each(views)('$name', async ({ path, ready, signedIn = true }) => {
    const { page, problems } = signedIn ? visits.member : visits.stranger;
    problems.splice(0);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(new URL(path(), site.node.url).href);
    await ready(page);
    await settled(page);
    expect(await faults(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    expect(await faults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });
});

it.each([
  ['the palette', 'Control+k', 'Search or jump'],
  ['the list of keys', '?', 'Keyboard'],
])('%s', async (_, key, name) => {
  const visit = await site.visit(filled, { colorScheme: 'light' });
  await visit.page.getByText('Publishable key').waitFor();
  await visit.page.keyboard.press(key);
  await dialog(name)(visit.page);
  expect(await faults(visit.page)).toEqual([]);
  await visit.page.emulateMedia({ colorScheme: 'dark' });
  expect(await faults(visit.page)).toEqual([]);
  expect(visit.problems).toEqual([]);
  await visit.context.close();
});

/** Until nothing is being fetched and no bar holds a place. */
async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole('progressbar').count(), { timeout: 15_000 }).toBe(0);
  await page.evaluate(() => document.fonts.ready);
}

/** What axe finds, each with where it is and what it says. */
async function faults(page: Page): Promise<string[]> {
  // Without frames the results need no second page to be put together in.
  const { violations } = await new AxeBuilder({ page }).withTags(rules).setLegacyMode().analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  );
}
