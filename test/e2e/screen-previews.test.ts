import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection, SqlResponse } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { type Member, signUpMember } from '../support/clients.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';

/** Chapter 2 as pictures: the real pages for members inside the console, as each kind of member sees them. */
let site: Console;
let app: AppConnection;
let gus: Member;
beforeAll(async () => {
  site = await openConsole();
  app = await createApp(site.node, { template: 'helpdesk' });
  const [ada, agent] = [await signUpMember(app, 'ada'), await signUpMember(app, 'gus')];
  gus = agent;
  await runSql(
    site.node,
    app.ref,
    `insert into public.agents (id, name) values ('${gus.user.id}', 'Gus');
     insert into public.tickets (customer, subject, description) values
       ('${ada.user.id}', 'The printer blinks', 'Red.'), ('${gus.user.id}', 'The lift is stuck', 'Second floor.');`,
  );
});
afterAll(() => site.close());

/** Returns the document of a preview. */
async function previewOf(page: Page, title: string): Promise<Frame> {
  const element = await page.locator(`iframe[title="Preview of ${title}"]`).elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error(`There is no preview of ${title}.`);
  return frame;
}

it('chapter 2 shows the rows of the chosen member in pictures and large, and a change in it is refused in words', async () => {
  const { page, context, problems } = await site.visit(`/app/${app.ref}/screens`);
  await page.getByRole('button', { name: /^Agent \d+/, pressed: true }).waitFor();
  await page.locator('iframe[title="Preview of Queue"]').scrollIntoViewIfNeeded();
  const queue = await previewOf(page, 'Queue');
  await queue.getByText('The printer blinks').waitFor({ timeout: 60_000 });
  await queue.getByText('The lift is stuck').waitFor();
  await page.getByText('list, 2 rows').first().waitFor();
  const menu = page.getByRole('complementary', { name: 'Menu of an agent' });
  await menu.getByText('Board', { exact: true }).waitFor();
  expect(await faults(page)).toEqual([]);

  // Members without a role see only their own tickets.
  await page.getByRole('button', { name: /^Member \d+/ }).click();
  await page.locator('iframe[title="Preview of My tickets"]').scrollIntoViewIfNeeded();
  const mine = await previewOf(page, 'My tickets');
  await mine.getByText('The printer blinks').waitFor({ timeout: 60_000 });
  expect(await mine.getByText('The lift is stuck').count()).toBe(0);
  // No member is a lead, so the screens are those of the role and there are no rows.
  await page.getByRole('button', { name: /^Lead \d+/ }).click();
  await page.getByText('No member of this kind yet').waitFor();
  await page.locator('iframe[title="Preview of Tickets"]').first().scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: /^Visitor 0/ }).click();
  const home = await previewOf(page, 'Home');
  await home.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 60_000 });

  await page.getByRole('button', { name: /^Agent \d+/ }).click();
  await page.getByRole('link', { name: 'Open Ticket large' }).click();
  const large = await previewOf(page, `the app as ${gus.email}`);
  await large.getByRole('heading', { name: 'The printer blinks' }).waitFor({ timeout: 60_000 });
  expect(await faults(page)).toEqual([]);
  await page.getByText('/tickets/1', { exact: true }).waitFor();
  // A form is submitted although the sandbox has no `allow-forms`.
  await large.getByPlaceholder('Add comment').fill('Hello');
  await large.getByRole('button', { name: 'Send' }).click();
  await large.getByText('A preview changes nothing.').first().waitFor();
  await large.getByRole('button', { name: /^Take/ }).click();
  await large.getByText('A preview changes nothing.').first().waitFor();
  await large.getByRole('link', { name: 'Queue' }).first().click();
  await page.getByText('/queue', { exact: true }).waitFor();
  const { results } = await admin<SqlResponse>(site.node, 'POST', `/apps/${app.ref}/sql`, {
    sql: `select count(*) from public.tickets where status = 'new'`,
  });
  expect(results[0]?.rows).toEqual([['2']]);
  expect(problems.filter((problem) => !problem.includes('frame'))).toEqual([]);
  await context.close();
});

it('a preview has no storage, no cookie and no network, and no other page gets one', async () => {
  const { page, context } = await site.visit(`/app/${app.ref}/screens?open=/queue&as=role:agent`);
  const frame = await previewOf(page, `the app as ${gus.email}`);
  await frame.getByText('The printer blinks').waitFor({ timeout: 60_000 });
  const found = await frame.evaluate(async (node) => {
    const attempt = (work: () => unknown) => {
      try {
        return String(work());
      } catch (error) {
        return (error as Error).name;
      }
    };
    const request = (url: string) =>
      new Promise((resolve) => {
        const xhr = new XMLHttpRequest();
        xhr.onload = () => resolve('answered');
        xhr.onerror = () => resolve('refused');
        xhr.open('GET', url);
        xhr.send();
      });
    // The functions of the browser in a new document, which the preview has not replaced.
    const blank = document.createElement('iframe');
    document.body.append(blank);
    return {
      origin: self.origin,
      cookie: attempt(() => document.cookie),
      parent: attempt(() => window.parent.document),
      stored: attempt(() => indexedDB.open('a')),
      blank: attempt(() => (blank.contentWindow as Window).localStorage),
      own: await request('/rest/v1/tickets'),
      console: await request(`${node}/admin/v1/apps`),
      elsewhere: await request('https://elsewhere.example/'),
      posted: await fetch('/rest/v1/tickets', { method: 'POST', body: '{}' }).then(({ status }) => status),
      admin: await fetch(`${node}/admin/v1/apps`).then(({ status }) => status),
      mails: await fetch('/portal/v1/../../auth/v1/admin/users').then(({ status }) => status),
      files: await fetch('/storage/v1/bucket').then(({ status }) => status),
    };
  }, site.node.url);
  expect(found).toEqual({
    ...{ origin: 'null', cookie: 'SecurityError', parent: 'SecurityError', stored: 'SecurityError' },
    blank: expect.stringMatching(/SecurityError|TypeError/),
    ...{ own: 'refused', console: 'refused', elsewhere: 'refused' },
    ...{ posted: 400, admin: 400, mails: 400, files: 400 },
  });

  // A page of another origin cannot frame it.
  const framing = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<iframe src="${app.origin}/account/preview"></iframe>`);
  }).listen(0, '127.0.0.1');
  await once(framing, 'listening');
  const { port } = framing.address() as AddressInfo;
  const other = await context.newPage();
  const refusals: string[] = [];
  other.on('console', (message) => refusals.push(message.text()));
  await other.goto(`http://localhost:${port}/`);
  await expect.poll(() => refusals.join()).toContain('frame-ancestors');
  expect(await other.frames()[1]?.content()).not.toContain('id="root"');
  framing.close();
  await context.close();
});
