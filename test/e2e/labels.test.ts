import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAppWith, runSql } from '../support/apps.ts';
import { faults } from './accessible-pages.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
beforeAll(async () => {
  site = await openConsole();
});
afterAll(() => site.close());

it('a builder translates the names of an app, missing ones first, and applies them as a migration', async () => {
  const { ref } = await createAppWith(
    site.node,
    `create type public.size as enum ('small', 'large');
     create table public.parcels (id int primary key, size public.size);
     select ninefold.label('de', 'Nummer', entity => 'public.parcels', field => 'id', help => 'Auf dem Etikett');`,
  );
  const { page, problems } = await site.visit(`/app/${ref}/screens`);
  await page.getByRole('link', { name: 'Labels by language' }).click();
  await page.getByRole('heading', { name: 'Labels in German' }).waitFor();
  await page.getByText('4 of 5 names have no label.').waitFor();
  const fields = page.getByRole('textbox', { name: /^Label of (?!one row)/ });
  expect(await fields.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))).toEqual([
    'Label of parcels',
    'Label of parcels.size',
    'Label of parcels.size = small',
    'Label of parcels.size = large',
    'Label of parcels.id',
  ]);
  await page.getByRole('textbox', { name: 'Label of parcels', exact: true }).fill('Pakete');
  await page.getByRole('textbox', { name: 'Label of one row of parcels' }).fill('Paket');
  await page.getByRole('textbox', { name: 'Label of parcels.id', exact: true }).fill('Paketnummer');
  await page.getByText('2 labels changed.').waitFor();
  await page.getByText('Tried in a transaction').waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('3 of 5 names have no label.').waitFor();
  const { results } = await runSql(
    site.node,
    ref,
    'select language, subject, field, label, one, help from ninefold.labels order by subject, field',
  );
  expect(results[0]?.rows).toEqual([
    ['de', 'public.parcels', '', 'Pakete', 'Paket', null],
    ['de', 'public.parcels', 'id', 'Paketnummer', null, 'Auf dem Etikett'],
  ]);
  await page.getByLabel('Another language').fill('pt-BR');
  await page.getByRole('button', { name: 'Add language' }).click();
  await page.getByRole('heading', { name: 'Labels in Brazilian Portuguese' }).waitFor();
  await page.getByText('5 of 5 names have no label.').waitFor();
  expect(problems).toEqual([]);
}, 60_000);
