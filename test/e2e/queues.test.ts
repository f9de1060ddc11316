import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { type Console, openConsole, sizes } from './console.ts';

let site: Console;
let app: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  app = await createApp(site.node);
});
afterAll(() => site.close());

const value = async (sql: string): Promise<unknown> =>
  (await runSql(site.node, app.ref, `select ${sql}`)).results.at(-1)?.rows[0]?.[0];

it('the page Queues creates a queue, sends, archives and deletes messages, exposes it to clients, purges and drops it', async () => {
  const { page, context, problems } = await site.visit(`/app/${app.ref}/queues`);
  await page.getByText("select pgmq.create('mails');").waitFor();
  await shoot('empty');
  await page.getByRole('button', { name: 'New queue' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('mails');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'The queue is empty' }).waitFor();
  await page.getByText('Clients cannot use this queue').waitFor();

  for (const [message, delay] of [
    ['{"to": "ada@example.com"}', ''],
    ['{"to": "gus@example.com"}', ''],
    ['[1, 2]', '600'],
  ] as const) {
    await page.getByRole('button', { name: 'Send message' }).first().click();
    await dialog.getByRole('textbox', { name: 'Message' }).fill('{');
    await dialog.getByRole('button', { name: 'Send', exact: true, disabled: true }).waitFor();
    await dialog.getByRole('textbox', { name: 'Message' }).fill(message);
    await dialog.getByRole('textbox', { name: 'Headers' }).fill('{"trace": 1}');
    await dialog.getByRole('textbox', { name: 'Delay in seconds' }).fill(delay);
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  const table = page.getByRole('table', { name: 'Messages' });
  await table.getByText('gus@example.com').waitFor();
  await table.getByText(/^in (9|10) minutes$/).waitFor();
  await page.getByText('2 visible to readers').waitFor();

  await table.getByRole('button', { name: '1', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Selected message' });
  await panel.getByText('"ada@example.com"').waitFor();
  await panel.getByText('"trace"').waitFor();
  await shoot('queue');
  await panel.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('complementary').getByText('Message 2').waitFor();
  await panel.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('complementary').getByText('Message 3').waitFor();
  await panel.getByRole('button', { name: 'Close' }).click();
  expect(await value('array_agg(msg_id) from pgmq.q_mails')).toBe('{3}');

  await page.getByRole('button', { name: 'Archived' }).click();
  await page.getByRole('table', { name: 'Archived messages' }).getByText('ada@example.com').waitFor();

  await page.getByRole('link', { name: 'Open to members by SQL' }).click();
  await page.getByRole('textbox', { name: 'SQL' }).getByText('Archiving also writes').waitFor();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('region', { name: 'Results' }).getByText('CREATE POLICY').first().waitFor();
  expect(await value(`count(*) from pg_policies where tablename in ('q_mails', 'a_mails')`)).toBe('2');
  await page.goBack();
  await page.getByText('pgmq_public is not exposed').waitFor();
  await page.getByRole('link', { name: 'Queues' }).first().click();
  await page.getByRole('button', { name: 'Expose to clients' }).click();
  await page.getByText('may use 1 queue of these').waitFor();
  await page.getByRole('table', { name: 'Queues' }).getByText('by policies').waitFor();
  await shoot('list');

  for (const [verb, gone] of [
    ['Purge', '3'],
    ['Drop', ''],
  ] as const) {
    await page.getByRole('button', { name: `${verb} mails` }).click();
    await dialog.getByRole('button', { name: verb, disabled: true }).waitFor();
    await dialog.getByRole('textbox').fill('mails');
    if (gone !== '') await shoot('purge');
    await dialog.getByRole('button', { name: verb }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  await page.getByText('No queues yet').waitFor();
  expect(await value(`to_regclass('pgmq.q_mails')`)).toBeNull();
  expect(problems).toEqual([]);
  await context.close();

  /** Takes pictures of the page if the environment names a folder for them. */
  async function shoot(name: string): Promise<void> {
    const folder = process.env.SCREENSHOTS;
    if (!folder) return;
    for (const [size, viewport] of Object.entries({ ...sizes, wide: { width: 1280, height: 800 } })) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${folder}/queues-${name}-${size}-${colorScheme}.png` });
      }
    }
    await page.setViewportSize(sizes.wide);
  }
});
