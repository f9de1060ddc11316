import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppDatabase, startAppDatabase } from '../../test/support/app-database.ts';
import { type FileFieldFact, fileFieldQueries } from '../catalog/file-fields.ts';
import type { Pool } from '../database/pool.ts';
import { firstJson, rowsAsText } from '../database/statement.ts';

let database: AppDatabase;
let owner: Pool;

beforeAll(async () => {
  database = await startAppDatabase('file-fields');
  owner = database.as('app_owner');
  await owner.script(`create schema if not exists public; create domain public.short as text;
    create table public.rooms (id int primary key, gone text, plan public.short, photos text[], size int)`);
}, 60_000);

afterAll(async () => {
  await database?.stop();
});

const facts = async (): Promise<Partial<FileFieldFact>[]> => {
  const [result] = await owner.run([{ text: fileFieldQueries.file_fields, params: [] }]);
  return (result && firstJson<FileFieldFact[]>(result)) ?? [];
};

const rows = async (text: string) => {
  const [result] = await owner.run([{ text, params: [] }]);
  return result ? rowsAsText(result) : [];
};

it('ninefold.file_field stores the fact, creates a private bucket with the limits, and records the change', async () => {
  const before = await rows('select count(*) from ninefold.journal');
  await owner.script(
    `select ninefold.file_field('public.rooms', 'photos', 'photos', array['Image/*', 'application/pdf'], 5000000, '/{user}/rooms/')`,
  );
  expect(await facts()).toMatchObject([
    {
      bucket: 'photos',
      types: ['image/*', 'application/pdf'],
      max_bytes: 5_000_000,
      folder: '{user}/rooms',
      number: 4,
    },
  ]);
  expect(await rows('select public, file_size_limit, allowed_mime_types from storage.buckets')).toEqual([
    { public: 'f', file_size_limit: '5000000', allowed_mime_types: '{image/*,application/pdf}' },
  ]);
  expect(await rows('select count(*) from ninefold.journal')).not.toEqual(before);
  await owner.script(`select ninefold.file_field('public.rooms', 'photos', 'photos')`);
  expect(await facts()).toMatchObject([{ bucket: 'photos', types: null, max_bytes: null, folder: null }]);
  expect(await rows('select file_size_limit from storage.buckets')).toEqual([{ file_size_limit: '5000000' }]);
});

it('a file field follows its column when it is renamed, and ends with it', async () => {
  await owner.script(`select ninefold.file_field('public.rooms', 'gone', 'photos');
    alter table public.rooms drop column gone; alter table public.rooms rename column photos to pictures;
    alter table public.rooms add column photos text`);
  expect(await rows('select field, number from ninefold.file_fields')).toEqual([{ field: 'pictures', number: '4' }]);
  await owner.script('alter table public.rooms rename to halls; alter table public.halls drop column photos');
  expect(await facts()).toMatchObject([{ number: 4 }]);
  await owner.script('create table public.short_lived (file text)');
  await owner.script(
    `select ninefold.file_field('public.short_lived', 'file', 'photos'); drop table public.short_lived`,
  );
  expect(await rows('select field from ninefold.file_fields')).toEqual([{ field: 'pictures' }]);
});

it('ninefold.file_field accepts a domain over text and removes the field with the bucket null', async () => {
  await owner.script(`select ninefold.file_field('public.halls', 'plan', 'plans')`);
  expect(await facts()).toHaveLength(2);
  await owner.script(`select ninefold.file_field('public.halls', 'plan', null)`);
  expect(await facts()).toHaveLength(1);
});

it.each([
  [`'public.halls', 'size', 'photos'`, 'size of public.halls is integer'],
  [`'public.halls', 'missing', 'photos'`, 'public.halls has no column missing'],
  [`'public.halls', 'plan', null`, 'plan of public.halls is no file field'],
  [`'public.halls', 'plan', ''`, 'file_fields_bucket'],
  [`'public.halls', 'plan', 'photos', '{png}'`, 'file_fields_types'],
  [`'public.halls', 'plan', 'photos', array[null]::text[]`, 'file_fields_types'],
  [`'public.halls', 'plan', 'photos', null, 0`, 'file_fields_max_bytes'],
  [`'public.halls', 'plan', 'photos', null, null, '../x'`, 'file_fields_folder'],
  [`'public.halls', 'plan', 'photos', null, null, 'a//b'`, 'file_fields_folder'],
  [`'public.halls', 'plan', 'photos', null, null, '{secret}'`, 'file_fields_folder'],
])('ninefold.file_field(%s) is refused: %s', async (args, reason) => {
  await expect(owner.script(`select ninefold.file_field(${args})`)).rejects.toThrow(reason);
});

it('only the owner calls ninefold.file_field', async () => {
  await expect(
    owner.script(`begin; set local role authenticated; select ninefold.file_field('public.halls', 'plan', 'photos')`),
  ).rejects.toThrow(/permission denied/);
});
