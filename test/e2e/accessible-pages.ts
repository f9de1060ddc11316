import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { clone } from '../support/clone.ts';
import { type Console, openConsole, sizes, type Visit } from './console.ts';

/** The minified program, because each document receives and parses it. */
const axeSource = readFileSync(join(clone, 'node_modules/axe-core/axe.min.js'), 'utf8');
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
  create table public.visits (
    id bigint generated always as identity primary key, status text not null, reason text, at timestamptz);
  alter table public.visits enable row level security;
  create policy "members see visits" on public.visits for select to authenticated using (auth.uid() is not null);
  select ninefold.define_machine('public.visits', 'status', 'planned', '[
    {"name": "begin", "from": "planned", "to": "under way", "sets": {"at": "now()"}},
    {"name": "cancel", "from": ["planned", "under way"], "to": "cancelled", "requires": ["reason"]},
    {"name": "end", "from": "under way", "to": "done", "when": "at is not null"}]');
  insert into public.visits default values;
  select ninefold.describe_app(purpose => 'Customers write to us here.', owner => 'Ines Okafor');
  select ninefold.define_screen('/inbox', 'Inbox', 'list', 'public.tickets', '{title,created_at}');
  insert into public.customers (name) values ('Brightwater'), ('Elm Street Clinic');
  insert into public.tickets (customer, title, body)
    select 1 + n % 2, 'Ticket number ' || n, jsonb_build_object('n', n) from generate_series(1, 12) n;
  select pgmq.create('mails');
  select pgmq.send('mails', '{"to": "ada@example.com"}', '{"trace": 1}'::jsonb);`;

let site: Console;
let filled: string;
let empty: string;
/** Request id of a failed request. */
let failed: string;
export interface View {
  name: string;
  path: () => string;
  /** Waits until the page is complete. */
  ready: (page: Page) => Promise<unknown>;
  signedIn?: boolean;
}

const heading = (name: string | RegExp) => (page: Page) => page.getByRole('heading', { name, level: 1 }).waitFor();
const dialog = (name: string) => (page: Page) => page.getByRole('dialog', { name }).waitFor();

/** Pages of the node and of the chapters. */
export const chapterViews: readonly View[] = [
  { name: 'sign-in', path: () => '/sign-in', ready: heading('Sign in'), signedIn: false },
  { name: 'set-up, complete', path: () => '/setup', ready: heading('Set-up is complete'), signedIn: false },
  { name: 'an unknown page', path: () => '/app', ready: heading('Page not found') },
  {
    name: 'apps',
    path: () => '/',
    ready: (page) => page.getByRole('table', { name: 'Apps' }).getByRole('link').first().waitFor(),
  },
  { name: 'create an app', path: () => '/?make=true', ready: dialog('Create app') },
  {
    name: 'contents',
    path: () => filled,
    ready: async (page) => {
      await page.getByText('Publishable key').waitFor();
      await page.getByText('Last change').waitFor();
    },
  },
  { name: 'contents of an empty app', path: () => empty, ready: (page) => page.getByText('Publishable key').waitFor() },
  { name: 'jobs of an empty app', path: () => `${empty}/jobs`, ready: heading('What runs by itself?') },
  {
    name: 'the app in one page',
    path: () => `${filled}/one-page`,
    ready: (page) => page.getByRole('article').waitFor(),
  },
  {
    name: 'purpose, in the editor',
    path: () => empty,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('textbox', { name: 'Audience' }).waitFor();
    },
  },
  {
    name: 'sign-in methods, with the panel of a provider',
    path: () => `${filled}/sign-in-methods?method=google`,
    ready: (page) => page.getByRole('complementary', { name: 'Google' }).waitFor(),
  },
  {
    name: 'sign-in methods, with the panel of a new provider',
    path: () => `${filled}/sign-in-methods?method=new`,
    ready: (page) => page.getByRole('complementary', { name: 'New provider' }).waitFor(),
  },
  {
    name: 'sign-in methods, with the panel of a hook',
    path: () => `${filled}/sign-in-methods?method=hook_send_email`,
    ready: async (page) => {
      const panel = page.getByRole('complementary', { name: 'Send mail' });
      await panel.getByLabel('Calls').selectOption('an address');
      await panel.getByRole('textbox', { name: 'Address' }).waitFor();
    },
  },
  {
    name: 'screens, with the panel of a screen',
    path: () => `${filled}/screens?screen=/inbox`,
    ready: (page) => page.getByRole('complementary', { name: 'Screen /inbox' }).waitFor(),
  },
  {
    name: 'screens as pictures',
    path: () => `${filled}/screens`,
    ready: (page) => page.locator('[data-phase="painted"]').first().waitFor(),
  },
  {
    name: 'screens of an empty app',
    path: () => `${empty}/screens`,
    ready: (page) => page.getByText('No screens yet').waitFor(),
  },
  {
    name: 'entities, with the diagram and the panel of an entity',
    path: () => `${filled}/entities?entity=public.tickets`,
    ready: (page) => page.getByRole('button', { name: /^tickets, table/ }).waitFor(),
  },
  {
    name: 'entities of an empty app',
    path: () => `${empty}/entities`,
    ready: (page) => page.getByRole('heading', { name: 'Create a table' }).waitFor(),
  },
  {
    name: 'a field',
    path: () => `${filled}/entities?entity=public.visits&field=status`,
    ready: (page) => page.getByRole('table', { name: 'Uses' }).waitFor(),
  },
  {
    name: 'an unknown field',
    path: () => `${filled}/entities?entity=public.visits&field=gone`,
    ready: (page) => page.getByText('There is no field').waitFor(),
  },
  {
    name: 'states, with the panel of a state',
    path: () => `${filled}/states?state=planned`,
    ready: async (page) => {
      await page.getByRole('complementary', { name: 'State planned' }).waitFor();
      await page.getByRole('button', { name: /^planned, 1 row/ }).waitFor();
    },
  },
  {
    name: 'states, with the panel of a transition',
    path: () => `${filled}/states?way=end+from+under+way`,
    ready: async (page) => {
      await page.getByRole('complementary', { name: 'end, from under way to done' }).waitFor();
      await page
        .getByRole('button', { name: /^planned/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'states of an empty app',
    path: () => `${empty}/states`,
    ready: (page) => page.getByText('No state machine yet').waitFor(),
  },
  {
    name: 'roles, probed, with the panel of an explained cell',
    path: () => `${filled}/roles?cell=public.tickets+select+anon`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Probe all' }).click();
      await page.getByText('tried just now').waitFor();
      await page.getByRole('combobox', { name: 'Row' }).fill('1');
      await page.getByRole('option', { name: 'Ticket number 1', exact: false }).first().click();
      await page.getByRole('button', { name: 'Copy the explanation as text' }).waitFor();
    },
  },
  {
    name: 'roles, with the dialog that applies an advice',
    path: () => `${filled}/roles?advice=no+row-level+security%3A+public.customers`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Apply' }).click();
      await dialog('Change customers?')(page);
    },
  },
  { name: 'roles of an empty app', path: () => `${empty}/roles`, ready: heading(/./) },
  { name: 'calls', path: () => `${filled}/calls`, ready: heading(/./) },
  {
    name: 'calls, with the panel of a call that was sent, and its errors',
    path: () => `${filled}/calls?call=rest.public.tickets.update`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Service key' }).click();
      await page.getByRole('button', { name: 'Send PATCH, then undo' }).click();
      await page.getByRole('region', { name: 'Reply' }).waitFor();
      await page.getByText('of the protocols and the server').click();
    },
  },
  {
    name: 'rules, with the panel of a rule and a tested rule',
    path: () => `${filled}/rules?rule=public.tickets.title_length`,
    ready: async (page) => {
      await page.getByRole('complementary', { name: 'title_length of tickets' }).waitFor();
      await page.getByRole('textbox', { name: 'Condition' }).fill('length(title) > 15');
      await page.getByRole('button', { name: 'Count' }).click();
      await page.getByText('would violate it').waitFor();
      await page.getByText('strictObject').first().waitFor();
    },
  },
  {
    name: 'errors, with the panel of an error',
    path: () => `${filled}/errors?error=code.PGRST205`,
    ready: (page) => page.getByRole('complementary', { name: 'Error PGRST205' }).waitFor(),
  },
  {
    name: 'errors of an app without errors',
    path: () => `${empty}/errors`,
    ready: (page) => page.getByText('none occurred').waitFor(),
  },
  {
    name: 'the trace of a call',
    path: () => `${filled}/calls/${failed}`,
    ready: async (page) => {
      await page.getByRole('table', { name: 'Steps of the call' }).getByText('In all').waitFor();
    },
  },
  {
    name: 'limits, with the panel of a limit',
    path: () => `${filled}/limits?limit=pageRows`,
    ready: (page) => page.getByRole('textbox', { name: 'New value of pageRows' }).waitFor(),
  },
  {
    name: 'limits, with the panel of a fixed limit and its open group',
    path: () => `${filled}/limits?limit=heldBodyBytes`,
    ready: (page) => page.getByRole('table', { name: 'Requests' }).waitFor(),
  },
  {
    name: 'changes, with the panel of a version and a comparison',
    path: () => `${filled}/changes?version=2`,
    ready: async (page) => {
      await page.getByRole('figure').getByRole('heading').first().waitFor();
      const panel = page.getByRole('complementary', { name: 'Version 2' });
      await panel.getByRole('heading', { level: 2 }).waitFor();
      await panel.getByRole('heading', { level: 3, name: 'Causes' }).waitFor();
    },
  },
];

/** Pages of the tools, of the team and of the node's operation. */
export const toolViews: readonly View[] = [
  {
    name: 'logs',
    path: () => `${filled}/logs`,
    ready: (page) => page.getByRole('table', { name: 'Calls' }).getByText('/nowhere').first().waitFor(),
  },
  {
    name: 'logs, with a filter that matches nothing',
    path: () => `${empty}/logs?call=auth.signup`,
    ready: (page) => page.getByText('No stored request matches this filter').waitFor(),
  },
  { name: 'data', path: () => `${filled}/data`, ready: heading(/./) },
  {
    name: 'data, a table',
    path: () => `${filled}/data?table=public.tickets`,
    ready: (page) => page.getByText('Ticket number 1', { exact: true }).waitFor(),
  },
  {
    name: 'data, with the panel of a row and its access',
    path: () => `${filled}/data?table=public.visits`,
    ready: async (page) => {
      await page.getByRole('grid', { name: 'Rows of visits' }).getByRole('rowheader', { name: '1' }).click();
      await page.getByRole('tab', { name: 'Access' }).click();
      await page.getByRole('button', { name: /^anon, delete: no/ }).waitFor();
    },
  },
  {
    name: 'data, with a cell in the editor',
    path: () => `${filled}/data?table=public.visits`,
    ready: async (page) => {
      await page.getByRole('grid', { name: 'Rows of visits' }).getByText('planned', { exact: true }).click();
      if (await page.getByRole('complementary', { name: 'Row 1' }).isVisible()) {
        await page.getByRole('button', { name: 'Edit at', exact: true }).click();
        await page.getByRole('textbox', { name: 'at', exact: true }).waitFor();
      } else {
        await page.keyboard.press('Enter');
        await page.getByRole('option', { name: /^begin/ }).waitFor();
      }
    },
  },
  {
    name: 'data, the import of a file',
    path: () => `${filled}/data?table=public.customers&import=true`,
    ready: async (page) => {
      const file = { name: 'customers.csv', mimeType: 'text/csv', buffer: Buffer.from('Name;Town\nNew customer;Ulm') };
      await page.getByLabel('CSV file').setInputFiles(file);
      await page.getByRole('combobox', { name: 'Field of Town' }).waitFor();
    },
  },
  {
    name: 'files, with the panel of an object and marked files',
    path: () => `${filled}/files?bucket=attachments&file=notes.txt`,
    ready: async (page) => {
      await page.getByRole('region', { name: 'Text of notes.txt' }).waitFor();
      await page.getByText('service_role').waitFor();
      await page.getByRole('checkbox', { name: 'Mark 2026' }).click();
      await page.getByText('1 marked').waitFor();
    },
  },
  {
    name: 'files, with an upload',
    path: () => `${filled}/files?bucket=attachments`,
    ready: async (page) => {
      const file = { name: 'more notes.txt', mimeType: 'text/plain', buffer: Buffer.from('more') };
      await page.getByLabel('Files to upload').setInputFiles(file);
      await page.getByRole('region', { name: 'Uploads' }).getByText('Done, 4 bytes').waitFor();
    },
  },
  {
    name: 'files, with the dialog that moves an object',
    path: () => `${filled}/files?bucket=attachments&file=notes.txt`,
    ready: async (page) => {
      await page.getByRole('region', { name: 'Text of notes.txt' }).waitFor();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Move or rename' }).click();
      await dialog('Move notes.txt')(page);
    },
  },
  {
    name: 'access to files, with the panel of a cell',
    path: () => `${filled}/files?view=policies`,
    ready: async (page) => {
      const matrix = page.getByRole('table', { name: 'Roles, entities' });
      await matrix.getByRole('row', { name: 'insert' }).getByRole('button').nth(1).click();
      await page.getByRole('complementary', { name: 'Files of attachments, insert' }).waitFor();
    },
  },
  {
    name: 'access to files, with the dialog of a new policy',
    path: () => `${filled}/files?view=policies`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Add policy' }).click();
      await page.getByText('Tried in a transaction').waitFor();
    },
  },
  {
    name: 'space of files',
    path: () => `${filled}/files?view=space`,
    ready: (page) => page.getByRole('table', { name: 'Bytes without a file' }).waitFor(),
  },
  {
    name: 'S3 and links',
    path: () => `${filled}/files?view=s3`,
    ready: (page) => page.getByText('No access keys yet').waitFor(),
  },
  {
    name: 'files of an empty app',
    path: () => `${empty}/files`,
    ready: (page) => page.getByText('No buckets yet').waitFor(),
  },
  {
    name: 'the dialog of a new bucket',
    path: () => `${empty}/files`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Create bucket' }).click();
      await dialog('Create bucket')(page);
    },
  },
  {
    name: 'queues',
    path: () => `${filled}/queues`,
    ready: (page) => page.getByRole('table', { name: 'Queues' }).getByText('mails').waitFor(),
  },
  {
    name: 'a queue, with the panel of a message',
    path: () => `${filled}/queues?queue=mails&message=1`,
    ready: (page) => page.getByRole('complementary', { name: 'Selected message' }).getByText('"trace"').waitFor(),
  },
  {
    name: 'the dialog of a message',
    path: () => `${filled}/queues?queue=mails`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Send message' }).first().click();
      await dialog('Send message to mails')(page);
    },
  },
  {
    name: 'queues of an empty app',
    path: () => `${empty}/queues`,
    ready: (page) => page.getByText('No queues yet').waitFor(),
  },
  { name: 'data of an empty app', path: () => `${empty}/data`, ready: heading(/./) },
  {
    name: 'mail, with the panel of a mail',
    path: () => `${filled}/mail`,
    ready: async (page) => {
      await page.getByRole('row', { name: 'Password changed' }).first().click();
      await page
        .getByRole('complementary', { name: 'Selected mail' })
        .getByTitle(/^Mail:/)
        .waitFor();
    },
  },
  {
    name: 'mail of an empty app',
    path: () => `${empty}/mail`,
    ready: (page) => page.getByText('No mails yet').waitFor(),
  },
  {
    name: 'mail, a template',
    path: () => `${filled}/mail?view=templates&kind=recovery&language=ar`,
    ready: (page) => page.getByTitle(/^Preview:/).waitFor(),
  },
  {
    name: 'mail, the server',
    path: () => `${filled}/mail?view=server`,
    ready: (page) => page.getByRole('textbox', { name: 'Server' }).waitFor(),
  },
  {
    name: 'functions of an empty app',
    path: () => `${empty}/functions`,
    ready: (page) => page.getByText('No functions yet.').waitFor(),
  },
  {
    name: 'functions, with the output of a function',
    path: () => `${filled}/functions?function=hello`,
    ready: (page) => page.getByText('No output yet.').waitFor(),
  },
  {
    name: 'functions, with the form that calls a function',
    path: () => `${filled}/functions?function=hello&tab=try`,
    ready: (page) => page.getByRole('textbox', { name: 'Body' }).waitFor(),
  },
  {
    name: 'functions, with the code of a function',
    path: () => `${filled}/functions?function=hello&tab=code`,
    ready: (page) => page.getByRole('textbox', { name: /index\.ts/ }).waitFor(),
  },
  {
    name: 'the dialog of a new function',
    path: () => `${filled}/functions`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'New function' }).click();
      await dialog('New function')(page);
    },
  },
  { name: 'sql', path: () => `${filled}/sql`, ready: heading(/./) },
  {
    name: 'users',
    path: () => `${filled}/users`,
    ready: (page) => page.getByText('1 user', { exact: true }).waitFor(),
  },
  {
    name: 'users, with the panel of a user',
    path: () => `${filled}/users`,
    ready: async (page) => {
      await page.getByRole('row', { name: 'example.com' }).click();
      await page.getByRole('textbox', { name: 'User metadata as JSON' }).waitFor();
    },
  },
  {
    name: 'the page of a member',
    path: () => `${filled}/users`,
    ready: async (page) => {
      await page.getByRole('row', { name: 'example.com' }).click();
      await page.getByRole('link', { name: 'Open the page of this member' }).click();
      await heading(/example\.com/)(page);
    },
  },
  { name: 'import of users', path: () => `${filled}/import-users`, ready: heading('Import users') },
  {
    name: 'users of an empty app',
    path: () => `${empty}/users`,
    ready: (page) => page.getByText('No users yet').waitFor(),
  },
  {
    name: 'create a user',
    path: () => `${filled}/users`,
    ready: async (page) => {
      await page.getByRole('button', { name: 'Create user' }).click();
      await dialog('Create user')(page);
    },
  },
  {
    name: 'sessions, with the panel of a session',
    path: () => `${filled}/sessions`,
    ready: async (page) => {
      await page.getByRole('row', { name: 'example.com' }).click();
      await page.getByRole('complementary', { name: 'Selected session' }).waitFor();
    },
  },
  {
    name: 'API keys',
    path: () => `${filled}/api-keys`,
    ready: (page) => page.getByRole('row', { name: 'service_role' }).waitFor(),
  },
  {
    name: 'signing keys',
    path: () => `${filled}/keys`,
    ready: (page) => page.getByRole('row', { name: 'jwt-secret' }).waitFor(),
  },
  {
    name: 'sessions of an empty app',
    path: () => `${empty}/sessions`,
    ready: (page) => page.getByText('No active sessions').waitFor(),
  },
  {
    name: 'team, with one builder',
    path: () => `${filled}/team`,
    ready: async (page) => {
      await page.getByRole('table', { name: 'Team' }).getByRole('link').first().click();
      await page.getByRole('complementary', { name: 'Selected builder' }).getByText('builders recover').waitFor();
    },
  },
  {
    name: 'builders of the node',
    path: () => '/builders',
    ready: (page) => page.getByRole('table', { name: 'Builders' }).getByText('northwind.example').waitFor(),
  },
  {
    name: 'node',
    path: () => '/node',
    ready: async (page) => {
      await page.getByRole('table', { name: 'Apps' }).getByRole('link').first().waitFor();
      await page.getByRole('heading', { name: 'What could be lost' }).waitFor();
      await page.getByText('Backups are not set up. If').waitFor();
    },
  },
  {
    name: 'backups of a node without backups',
    path: () => '/backups',
    ready: (page) => page.getByRole('heading', { name: 'This node takes no backups' }).waitFor(),
  },
  {
    name: 'audit log of the node',
    path: () => '/audit',
    ready: (page) => page.getByRole('row', { name: 'signed in' }).first().waitFor(),
  },
  {
    name: 'settings, with changes that are not saved',
    path: () => `${filled}/settings`,
    ready: async (page) => {
      await page.getByRole('textbox', { name: 'Site address' }).fill('https://site.example');
      await page.getByRole('region', { name: 'Changes' }).waitFor();
    },
  },
  {
    name: 'audit log',
    path: () => `${filled}/audit`,
    ready: (page) => page.getByRole('table', { name: 'Audit log' }).getByText('signed in').first().waitFor(),
  },
  {
    name: 'the builder’s account',
    path: () => '/account',
    ready: (page) => page.getByText('this one', { exact: true }).waitFor(),
  },
  { name: 'recovery', path: () => '/recovery', ready: heading('New password'), signedIn: false },
];

/**
 * Defines a test for each page: axe finds no fault, and the page is not wider than the window. The page is loaded in a
 * wide window and in light. The same page is then tested on a phone and in dark, because both sizes use the same colours.
 */
export function checkPages(views: readonly View[]): void {
  beforeAll(async () => {
    site = await openConsole();
    const app = await createApp(site.node, { name: 'Helpdesk' });
    await runSql(site.node, app.ref, schema);
    // Reading the list records the first version. The function below causes the second one.
    await admin(site.node, 'GET', `/apps/${app.ref}/versions`);
    const { client } = await signUpMember(app);
    const { storage } = clientOf(app, app.secret_key);
    await storage.createBucket('attachments', { public: false });
    for (const name of ['notes.txt', '2026/11/report.txt']) {
      const { error } = await storage
        .from('attachments')
        .upload(name, Buffer.from(name), { contentType: 'text/plain' });
      if (error) throw error;
    }
    await client.auth.updateUser({ password: 'another long password' });
    await admin(site.node, 'PUT', `/apps/${app.ref}/functions/hello`, {
      files: { 'hello/index.ts': "Deno.serve(() => new Response('hello'));" },
      entrypoint: 'hello/index.ts',
      message: 'say hello',
    });
    await admin(site.node, 'PUT', `/apps/${app.ref}/function-secrets`, { SMTP_TOKEN: 'secret' });
    const refused = await fetch(`${app.url}/rest/v1/nowhere`, { headers: { apikey: app.publishable_key } });
    failed = refused.headers.get('x-request-id') ?? '';
    filled = `/app/${app.ref}`;
    empty = `/app/${(await createApp(site.node)).ref}`;
  });
  afterAll(() => site.close());

  // Two browser profiles, with and without a session. Their caches make the tests faster.
  let visits: { member: Visit; stranger: Visit };
  beforeAll(async () => {
    visits = { member: await site.visit('/'), stranger: await site.visit('/sign-in', { signedIn: false }) };
  });
  afterAll(() => Promise.all(Object.values(visits).map(({ context }) => context.close())));

  it.each(views)('the page has no accessibility faults: $name', async ({ path, ready, signedIn = true }) => {
    const { page, problems } = signedIn ? visits.member : visits.stranger;
    problems.splice(0);
    for (const [size, colorScheme] of [
      ['wide', 'light'],
      ['phone', 'dark'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(sizes[size]);
      if (size === 'wide') {
        await page.goto(new URL(path(), site.node.url).href);
        await ready(page);
      }
      await settled(page);
      expect([size, ...(await faults(page))]).toEqual([size]);
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([size, excess <= 0]).toEqual([size, true]);
    }
    expect(problems).toEqual([]);
  });
}

/** Defines a test for each dialog that opens over a page. Call it after `checkPages`. */
export function checkDialogs(): void {
  it.each([
    ['the palette', 'Control+k', 'Search or jump'],
    ['the list of keys', '?', 'Keyboard'],
  ])('the dialog has no accessibility faults: %s', async (_, key, name) => {
    const visit = await site.visit(filled, { colorScheme: 'light' });
    await visit.page.getByText('Publishable key').waitFor();
    await visit.page.keyboard.press(key);
    await dialog(name)(visit.page);
    expect(await faults(visit.page)).toEqual([]);
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    expect(await faultsOfColour(visit.page)).toEqual([]);
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });
}

/** Waits until no request is pending and no placeholder is shown. */
async function settled(page: Page): Promise<void> {
  await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
  await page.evaluate(() => document.fonts.ready);
}

/** Returns what axe finds, each fault with its position and explanation. */
export async function faults(page: Page): Promise<string[]> {
  // A document keeps the program until the browser loads another one.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  return found(page, rules);
}

/**
 * Returns the faults that a change of the theme can cause. Call it after `faults`, which checks the rest of the same
 * page.
 */
export const faultsOfColour = (page: Page): Promise<string[]> => found(page, ['color-contrast', 'link-in-text-block']);

/** Runs axe, which the page has loaded, with some rules or with the rules of some tags. */
async function found(page: Page, runOnly: string[]): Promise<string[]> {
  const { violations } = await page.evaluate(
    // Excludes frames, because they contain mails of the app.
    (only) =>
      (window as unknown as { axe: typeof axe }).axe.run({
        runOnly: only,
        resultTypes: ['violations'],
        iframes: false,
        preload: false,
      }),
    runOnly,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
  );
}
