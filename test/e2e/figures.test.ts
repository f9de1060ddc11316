import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { admin, createApp, runSql } from '../support/apps.ts';
import { type Console, openConsole, readClipboard, sizes } from './console.ts';

/** 60 tables in two schemas, each with a reference to the previous table, and two tables without relations. */
const many = Array.from(
  { length: 60 },
  (_, n) =>
    `create table ${n % 2 === 0 ? 'public' : 'shop'}.t${n} (
       id bigint primary key${n === 0 ? '' : `, before_id bigint references ${n % 2 === 0 ? 'shop' : 'public'}.t${n - 1}`});`,
).join('\n');

let site: Console;
let few: string;
let large: string;
let machine: string;
beforeAll(async () => {
  site = await openConsole();
  const [first, second, third] = await Promise.all([createApp(site.node), createApp(site.node), createApp(site.node)]);
  few = first.ref;
  large = second.ref;
  machine = third.ref;
  await runSql(
    site.node,
    few,
    `create table public.customers (id bigint primary key, name text);
     create table public.tickets (id bigint primary key, customer bigint not null references public.customers, zone text);
     create table public.notes (id bigint primary key);`,
  );
  await runSql(
    site.node,
    large,
    `create schema shop; grant usage on schema shop to anon, authenticated, service_role; ${many}`,
  );
  await runSql(
    site.node,
    machine,
    `create table public.visits (id bigint generated always as identity primary key, status text not null);
     select ninefold.define_machine('public.visits', 'status', 'planned', '[
       {"name": "begin", "from": "planned", "to": "under way"}, {"name": "end", "from": "under way", "to": "done"}]');
     insert into public.visits select from generate_series(1, 3);`,
  );
});
afterAll(() => site.close());

const box = (name: string) => new RegExp(`^${name}, `);

describe.concurrent('EntityDiagram', () => {
  it('moves between boxes with the arrow keys, and shows the entity on Enter', async ({ expect }) => {
    const { page, context, problems } = await site.visit(`/app/${few}/entities`);
    const tickets = page.getByRole('button', { name: box('tickets') });
    await tickets.waitFor();
    // One box is in the tab order. From the first box in reading order, the arrow moves along the relation.
    await tickets.focus();
    await page.keyboard.press('ArrowRight');
    const customers = page.getByRole('button', { name: box('customers') });
    await expect.poll(() => customers.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.locator('[data-box][tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'customers' }).waitFor();
    expect(await customers.getAttribute('aria-pressed')).toBe('true');
    expect(new URL(page.url()).searchParams.get('entity')).toBe('public.customers');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary', { name: 'customers' }).count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('shows a new table and the relations to it without a reload', async ({ expect }) => {
    const { page, context } = await site.visit(`/app/${few}/entities`);
    await page.getByRole('button', { name: box('notes') }).waitFor();
    await runSql(
      site.node,
      few,
      'create table public.labels (id bigint primary key, note bigint references public.notes)',
    );
    await page.getByRole('button', { name: box('labels') }).waitFor();
    await page.getByRole('img', { name: 'labels points to notes by note' }).waitFor({ state: 'attached' });
    await runSql(site.node, few, 'drop table public.labels');
    await expect.poll(() => page.getByRole('button', { name: box('labels') }).count()).toBe(0);
    await context.close();
  });

  it('exports SVG and Mermaid', async ({ expect }) => {
    const { page, context } = await site.visit(`/app/${few}/entities`, {
      permissions: ['clipboard-write'],
    });
    await page.getByRole('button', { name: box('tickets') }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as SVG' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${few}-entities.svg`);
    const svg = await readFile(await download.path(), 'utf8');
    const drawn = await page.evaluate((text) => {
      const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
      return [...parsed.querySelectorAll('text')].map((element) => element.textContent);
    }, svg);
    expect(drawn).toEqual(expect.arrayContaining(['tickets', 'customers', 'notes', 'customer']));
    expect(svg).not.toContain('undefined');

    await page.getByRole('button', { name: 'Copy the figure in Mermaid' }).click();
    await page.getByText('Copied the figure in Mermaid').waitFor({ state: 'attached' });
    const mermaid = await readClipboard(context, site.node);
    expect(mermaid).toContain('"tickets" }o--|| "customers" : "customer"');
    await context.close();
  });

  it('finds a box by the name of its entity or a field, and scrolls to the box', async ({ expect }) => {
    await admin(site.node, 'PUT', `/apps/${large}/settings/db_schemas`, { value: ['public', 'shop'] });
    const { page, context, problems } = await site.visit(`/app/${large}/entities`);
    const find = page.getByRole('combobox', { name: 'Find in the figure' });
    await page.getByRole('list', { name: 'Clusters of entities' }).waitFor();
    await find.fill('shop.t57');
    await page.getByRole('option', { name: 'shop.t57' }).click();
    await page.getByRole('complementary', { name: 'shop.t57' }).waitFor();
    const figure = page.locator('figure', { has: find });
    const found = figure.getByRole('button', { name: box('shop.t57') });
    await expect
      .poll(async () => {
        const [inner, outer] = await Promise.all([found.boundingBox(), figure.boundingBox()]);
        return inner && outer && inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width;
      })
      .toBe(true);
    // The diagram stays in view: the table does not scroll to its row.
    expect(await figure.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('shows many entities as clusters, then the tables of one cluster, then one table, and goes back', async ({
    expect,
  }) => {
    const { page, context, problems } = await site.visit(`/app/${large}/entities`);
    const clusters = page.getByRole('list', { name: 'Clusters of entities' });
    const boxes = page.locator('[data-box]');
    await clusters.waitFor();
    // The page draws boxes only after a cluster is chosen, but shows the table of all entities at once.
    expect(await boxes.count()).toBe(0);
    await page.getByRole('table', { name: 'Entities' }).waitFor();
    // The row counts of PostgreSQL's statistics are estimates.
    await clusters
      .getByText(/^(no rows|about [\d,]+ rows?)$/)
      .first()
      .waitFor();

    await clusters.getByRole('button').first().click();
    await page.waitForURL(/cluster=/);
    await boxes.first().waitFor();
    const inCluster = await boxes.count();
    expect(inCluster).toBeGreaterThan(1);
    expect(inCluster).toBeLessThanOrEqual(40);

    await boxes.and(page.locator('[tabindex="0"]')).press('Enter');
    await page.getByRole('button', { name: 'One table' }).click();
    await page.waitForURL((url) => !url.search.includes('cluster='));
    await expect.poll(() => boxes.count()).toBeLessThanOrEqual(3);
    await page.goBack();
    await page.waitForURL(/cluster=/);
    await expect.poll(() => boxes.count()).toBe(inCluster);
    await page.getByRole('button', { name: /^Clusters / }).click();
    await clusters.waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('lets a finger scroll the page on a phone', async ({ expect }) => {
    const { page, context } = await site.visit(`/app/${few}/entities`, { viewport: sizes.phone, hasTouch: true });
    await page.getByRole('button', { name: box('tickets') }).waitFor();
    const touch = page.locator('.react-flow__pane').first();
    expect(await touch.evaluate((element) => getComputedStyle(element).touchAction)).toBe('pan-x pan-y');
    await context.close();
  });
});

describe.concurrent('StateDiagram', () => {
  it('updates the number of rows in each state after a row changes its state', async ({ expect }) => {
    const { page, context, problems } = await site.visit(`/app/${machine}/states`);
    await page.getByRole('button', { name: /^planned, 3 rows/ }).waitFor();
    await runSql(site.node, machine, `update public.visits set status = 'under way' where id = 1`);
    await page.getByRole('button', { name: /^planned, 2 rows/ }).waitFor();
    await page.getByRole('button', { name: /^under way, 1 row/ }).click();
    await page.getByRole('complementary', { name: 'State under way' }).getByText('1 row in this state').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('shows a state machine as not enforced while its trigger is disabled', async ({ expect }) => {
    const { page, context } = await site.visit(`/app/${machine}/states`);
    await page.getByText('pairs of states are decided').waitFor();
    await runSql(site.node, machine, 'alter table public.visits disable trigger user');
    await page.getByText('This machine is not enforced').waitFor();
    await runSql(site.node, machine, 'alter table public.visits enable trigger user');
    await expect.poll(() => page.getByText('This machine is not enforced').count()).toBe(0);
    await context.close();
  });
});
