import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultAuthSettings } from '../../../../contract/settings-auth.ts';
import { type AppDatabase, startAppDatabase } from '../../../../test/support/app-database.ts';
import { loadFacts } from '../../../catalog/facts.ts';
import type { Pool } from '../../../database/pool.ts';
import { deriveChanged } from '../../derive/specification.ts';
import { entitiesMarkdown } from '../markdown/entities.ts';
import { rulesMarkdown } from '../markdown/rules.ts';
import { loadTypeFacts } from '../types/facts.ts';
import { memberScreens } from './member-screens.ts';

let database: AppDatabase;
let owner: Pool;
let server: Pool;

beforeAll(async () => {
  database = await startAppDatabase('file-fields-of-screens');
  owner = database.as('app_owner');
  server = database.as('app_authenticator');
  await owner.script(`
    grant usage on schema public to anon, authenticated, service_role;
    create domain public.document as text;
    create table public.rooms (id int primary key, photos text[], plan public.document, cover text, hidden text, note text, size int);
    select ninefold.file_field('public.rooms', 'photos', 'photos', array['image/*', 'image/svg+xml'], 5000000, '{id}');
    comment on column public.rooms.plan is E'Where it is.\\n@files bucket=plans';
    comment on column public.rooms.cover is '@files bucket=ignored max=1KB';
    select ninefold.file_field('public.rooms', 'cover', 'photos');
    comment on column public.rooms.note is '@files colour=red';
    comment on column public.rooms.size is '@files bucket=sizes';
    grant select (id, photos, plan, cover, note, size), insert (id, photos) on public.rooms to authenticated`);
}, 60_000);
afterAll(async () => {
  await database?.stop();
});

async function derived() {
  const facts = await loadFacts(server, { exposedSchemas: ['public'], authenticator: 'app_authenticator' });
  const types = await loadTypeFacts(server, facts, { relationships: new Map() });
  const app = { ref: 'desk', name: 'Desk', authSettings: defaultAuthSettings };
  const { specification, entries } = deriveChanged(facts, app, null);
  const { chapters } = specification;
  const caller = { role: 'authenticated', memberRoles: [] };
  return { chapters, screens: memberScreens(types, { chapters, entries }, caller, 'en') };
}

it('the pages get an editor for files, which they neither search nor sort, and no title of a row', async () => {
  const { screens } = await derived();
  const [rooms] = screens.entities;
  const fields = new Map(rooms?.fields.map((field) => [field.name, field]));
  expect(fields.get('photos')).toMatchObject({
    editor: 'files',
    files: {
      bucket: 'photos',
      many: true,
      types: ['image/*', 'image/svg+xml'],
      max_bytes: 5_000_000,
      folder: '{id}',
    },
    insertable: true,
    rules: [],
  });
  expect(fields.get('photos')).not.toHaveProperty('sortable');
  expect(fields.get('plan')).toMatchObject({
    editor: 'files',
    help: 'Where it is.',
    files: { bucket: 'plans', many: false },
  });
  expect(fields.get('plan')).not.toHaveProperty('searchable');
  expect(fields.get('cover')).toMatchObject({
    editor: 'files',
    help: null,
    files: { bucket: 'photos', max_bytes: null },
  });
  expect([fields.get('note')?.editor, fields.get('size')?.editor]).toEqual(['long text', 'number']);
  expect(rooms?.title_fields).toEqual(['note']);
});

it('chapters 3 and 5 describe the files of a field', async () => {
  const { chapters } = await derived();
  if (!chapters.entities || !chapters.rules) throw new Error('no chapters');
  const entities = entitiesMarkdown(chapters.entities, chapters);
  expect(entities).toContain(
    'files of the bucket photos (image/\\* and image/svg+xml, at most 5 MB each), new ones in {id}',
  );
  expect(entities).toContain('a file of the bucket plans | Where it is.');
  expect(rulesMarkdown(chapters.rules)).toContain(
    '- photos holds files of the bucket photos (image/\\* and image/svg+xml, at most 5 MB each) (checked by the pages; the limits of the bucket bind every upload)',
  );
  expect(chapters.rules.rules.find(({ kind }) => kind === 'files')?.sql).toBe(
    `select ninefold.file_field('public.rooms', 'photos', 'photos', types => array['image/*', 'image/svg+xml'], max_bytes => 5000000, folder => '{id}')`,
  );
  const ofFiles = chapters.errors?.errors.filter(({ id }) => id.includes('.files'));
  expect(ofFiles).toEqual([]);
});
