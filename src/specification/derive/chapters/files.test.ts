import { expect, it } from 'vitest';
import { chaptersApp } from '../../../../test/support/chapters-app.ts';
import { diffChapters } from '../../compare/diff.ts';

const app = chaptersApp('files-in-chapters');

const photos = `
  insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('avatars', 'avatars', true, 1048576, '{image/png,image/jpeg}'), ('photos', 'photos', false, null, null);
  create policy own on storage.objects for all to authenticated
    using (bucket_id = 'photos' and (storage.foldername(name))[1] = (select auth.uid())::text);
  create policy agents on storage.objects for select to authenticated using (bucket_id = 'photos' and ninefold.has_role('agent'));
  create policy faces on storage.objects for insert to authenticated
    with check (bucket_id = 'avatars' and storage.extension(name) in ('png', 'jpg') and storage.filename(name) = auth.uid() || '.png');
`;

it('chapter 6 says for each bucket who may do what, as if bucket_id were known', async () => {
  await app.owner.script(photos);
  const { entities, rules, roles } = await app.derive();
  expect(entities?.buckets).toEqual([
    { id: 'avatars', public: true, file_size_limit: 1048576, allowed_mime_types: ['image/png', 'image/jpeg'] },
    { id: 'photos', public: false, file_size_limit: null, allowed_mime_types: null },
  ]);
  expect(rules?.files).toEqual([
    { id: 'avatars.size', bucket: 'avatars', words: 'a file has at most 1 MiB', code: 'EntityTooLarge' },
    {
      ...{ id: 'avatars.types', bucket: 'avatars', code: 'InvalidMimeType' },
      words: 'the type of a file is image/png or image/jpeg',
    },
  ]);
  const shown = (role: string, bucket: string) =>
    Object.fromEntries(
      (roles?.files ?? [])
        .filter((cell) => cell.role === role && cell.bucket === bucket)
        .map(({ operation, verdict, words }) => [operation, words === '' ? verdict : words]),
    );
  const own = 'the first folder of name is the member’s id';
  expect(shown('authenticated', 'photos')).toEqual({
    ...{ read: `the member has role agent or ${own}`, list: `the member has role agent or ${own}` },
    ...{ upload: own, replace: own, move: own, delete: own },
  });
  expect(shown('authenticated', 'avatars')).toEqual({
    ...{ read: 'always', list: 'never', replace: 'never', move: 'never', delete: 'never' },
    upload: "the extension of name is one of 'png', 'jpg' and the file name of name is the member followed by '.png'",
  });
  expect(shown('anon', 'photos')).toEqual(
    Object.fromEntries(['read', 'list', 'upload', 'replace', 'move', 'delete'].map((name) => [name, 'never'])),
  );
  expect(shown('anon', 'avatars')).toMatchObject({ read: 'always', list: 'never' });
  expect(Object.values(shown('service_role', 'photos'))).toEqual(Array(6).fill('always'));
});

it('chapters 7 and 8 have the calls and the errors of files, with the roles that a policy lets through', async () => {
  await app.owner.script(photos);
  const { calls, errors } = await app.derive();
  const rolesOf = (id: string) => calls?.calls.find((call) => call.id === id)?.roles;
  expect(rolesOf('storage.object.get_public')).toEqual(['anon', 'authenticated', 'agent', 'service_role']);
  expect(rolesOf('storage.object.upload')).toEqual(['authenticated', 'agent', 'service_role']);
  expect(rolesOf('storage.bucket.create')).toEqual(['service_role']);
  expect(errors?.errors.filter(({ group }) => group === 'storage').map(({ code }) => code)).toContain('NoSuchBucket');
});

it('an app whose schema storage is not Ninefold’s has no files in any chapter', async () => {
  await app.owner.script('drop table storage.buckets cascade; create view storage.buckets as select 1 as id');
  const { entities, rules, roles, calls, errors } = await app.derive();
  expect([entities?.buckets, rules?.files, roles?.files]).toEqual([undefined, undefined, undefined]);
  expect(calls?.calls.filter(({ area }) => area === 'storage')).toEqual([]);
  expect(errors?.errors.filter(({ group }) => group === 'storage')).toEqual([]);
});

it('the specification in Markdown describes buckets, their rules, and who reads and writes them', async () => {
  await app.owner.script(photos);
  const { markdown } = await app.derive();
  for (const line of [
    '| `avatars` | everybody | 1 MiB | `image/png`, `image/jpeg` |',
    '- Bucket `avatars`: a file has at most 1 MiB; the type of a file is image/png or image/jpeg',
    '- Files of **photos**: read and list if',
    '### Files of bucket photos',
    '- Bucket `photos`: callers read with `GET /storage/v1/object/authenticated/photos/…`, or by a signed URL; authenticated, agent, service_role upload with `POST /storage/v1/object/photos/…`.',
    'calls of `/storage/v1`, as in every app: `docs/files.md`.',
  ])
    expect(markdown).toContain(line);
});

it('the changes of versions name buckets, their rules and rights in words', async () => {
  await app.owner.script(photos);
  const before = await app.derive();
  await app.owner.script(`
    update storage.buckets set public = true, file_size_limit = 2000000 where id = 'photos';
    insert into storage.buckets (id, name) values ('more', 'more');
    drop policy agents on storage.objects;`);
  const after = await app.derive();
  const words = diffChapters(
    { entities: before.entities, rules: before.rules, roles: before.roles },
    { entities: after.entities, rules: after.rules, roles: after.roles },
  ).map((change) => change.words);
  expect(words).toEqual(
    expect.arrayContaining([
      'The bucket photos has changed: everybody may read its files; its largest file has 2 MB (before: no limit of its own).',
      'There is a new bucket more.',
      'Files of the bucket photos: a file has at most 2 MB.',
    ]),
  );
  expect(words.join('\n')).toContain('Files of the bucket photos: anon (read) now always (before: never).');
});
