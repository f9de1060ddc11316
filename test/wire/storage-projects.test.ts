import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection, MigrateResponse } from '../../contract/admin.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { contradicted, fileCallers, type TriedCell, tryFiles } from '../support/file-matrix.ts';
import { probeOf } from '../support/probe.ts';

const node = inject('node');

/** Storage as public Supabase projects set it up, each in one migration with a bucket of its own. */
const projects: Readonly<Record<string, string>> = {
  'own-folder': `
    insert into storage.buckets (id, name, public) values ('own-folder', 'own-folder', false) on conflict (id) do nothing;
    create policy "Users manage own folder" on storage.objects for all to authenticated
      using (bucket_id = 'own-folder' and (storage.foldername(name))[1] = auth.uid()::text)
      with check (bucket_id = 'own-folder' and (storage.foldername(name))[1] = auth.uid()::text);`,
  'public-avatars': `
    insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
      values ('public-avatars', 'public-avatars', true, 5242880, array['image/png', 'text/plain'])
      on conflict (id) do update set public = excluded.public, file_size_limit = excluded.file_size_limit;
    create policy "Avatar images are publicly accessible." on storage.objects for select using (bucket_id = 'public-avatars');
    create policy "Anyone can upload an avatar." on storage.objects for insert
      with check (bucket_id = 'public-avatars' and auth.role() = 'authenticated');`,
  'split-path': `
    insert into storage.buckets (id, name) values ('split-path', 'split-path');
    create policy split_read on storage.objects for select using (bucket_id = 'split-path' and split_part(name, '/', 1) = (select auth.uid())::text);
    create policy split_write on storage.objects for insert with check (bucket_id = 'split-path' and split_part(name, '/', 1) = (select auth.uid())::text);`,
  'admins-only': `
    insert into storage.buckets (id, name) values ('admins-only', 'admins-only');
    create table public.profiles (id uuid primary key references auth.users on delete cascade, is_admin boolean not null default false);
    create function public.is_admin() returns boolean language sql stable security definer set search_path = '' as
      $$ select exists (select from public.profiles where id = auth.uid() and is_admin) $$;
    create policy admins on storage.objects for all to authenticated using (bucket_id = 'admins-only' and public.is_admin());`,
  owned: `
    insert into storage.buckets (id, name) values ('owned', 'owned');
    create policy owned_insert on storage.objects for insert to authenticated with check (bucket_id = 'owned' and owner_id = auth.uid()::text);
    create policy owned_select on storage.objects for select to authenticated using (bucket_id = 'owned');
    create policy owned_delete on storage.objects for delete to authenticated using (bucket_id = 'owned' and owner = auth.uid());`,
  'by-extension': `
    insert into storage.buckets (id, name) values ('by-extension', 'by-extension');
    create policy pictures on storage.objects for insert to authenticated
      with check (bucket_id = 'by-extension' and lower(storage.extension(name)) in ('png', 'jpg') and storage.filename(name) not like '.%');`,
  'named-after-member': `
    insert into storage.buckets (id, name) values ('named-after-member', 'named-after-member');
    create policy named on storage.objects for all to authenticated
      using (bucket_id = 'named-after-member' and storage.filename(name) = auth.uid() || '.png');`,
  'no-listing': `
    insert into storage.buckets (id, name) values ('no-listing', 'no-listing');
    create policy no_listing on storage.objects for select to anon, authenticated
      using (bucket_id = 'no-listing' and storage.allow_any_operation(array['object.get_authenticated', 'object.get_authenticated_info']));`,
  teams: `
    insert into storage.buckets (id, name) values ('teams', 'teams');
    create table public.team_members (team text, user_id uuid default auth.uid());
    alter table public.team_members enable row level security;
    grant select, insert on public.team_members to authenticated;
    create policy own_teams on public.team_members for all to authenticated using (user_id = auth.uid());
    create policy team_files on storage.objects for all to authenticated
      using (bucket_id = 'teams' and (storage.foldername(name))[1] in (select team from public.team_members where user_id = auth.uid()));`,
  restricted: `
    insert into storage.buckets (id, name) values ('restricted', 'restricted');
    create policy restricted_all on storage.objects for all to authenticated using (bucket_id = 'restricted');
    create policy restricted_no_delete on storage.objects as restrictive for delete to authenticated using (bucket_id <> 'restricted');`,
  attached: `
    insert into storage.buckets (id, name) values ('attached', 'attached');
    create table public.attachments (id uuid primary key, path text not null, size bigint);
    create function public.attach() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        if tg_op = 'DELETE' then delete from public.attachments where id = old.id; return old; end if;
        if new.bucket_id = 'attached' then
          insert into public.attachments values (new.id, new.name, (new.metadata ->> 'size')::bigint) on conflict (id) do nothing;
        end if;
        return new;
      end $$;
    create trigger attach after insert or delete on storage.objects for each row execute function public.attach();
    create policy attached on storage.objects for all to authenticated using (bucket_id = 'attached');`,
  cleaned: `
    insert into storage.buckets (id, name) values ('cleaned', 'cleaned');
    create function public.delete_my_files() returns integer language plpgsql security definer set search_path = '' as $$
      declare n integer;
      begin
        delete from storage.objects where bucket_id = 'cleaned' and owner_id = auth.uid()::text;
        get diagnostics n = row_count; return n;
      end $$;
    create function public.find_files(prefix text) returns table (name text) language sql stable set search_path = '' as
      $$ select s.name from storage.search(prefix, 'cleaned', 100, 2) s $$;
    create policy cleaned on storage.objects for all to authenticated using (bucket_id = 'cleaned' and owner_id = auth.uid()::text);`,
};

let app: AppConnection;
let member: Member;
let tried: readonly TriedCell[];

const OTHER = 'other/one.txt';
const pathsOf = ({ id }: { id: string | null }) => [`${id ?? 'nobody'}/${id ?? 'nobody'}.png`, OTHER];

beforeAll(async () => {
  app = await createApp(node);
  const files = Object.entries(projects).map(([name, sql], i) => ({
    name: `${i + 1}_${name.replaceAll('-', '_')}.sql`,
    sql,
  }));
  await admin<MigrateResponse>(node, 'POST', `/apps/${app.ref}/migrations`, { files });
  member = await signUpMember(app);
  await runSql(node, app.ref, `insert into public.team_members values ('other', '${member.user.id}')`);
  tried = await tryFiles(node, app, fileCallers(app, member), (_, caller) => pathsOf(caller));
}, 120_000);

/** Returns what a caller could do in a bucket: for each operation the paths, `own` and `other`. */
const done = (role: string, bucket: string) =>
  Object.fromEntries(
    tried
      .filter(({ cell }) => cell.role === role && cell.bucket === bucket)
      .map(({ cell, allowed }) => [
        cell.operation,
        Object.entries(allowed)
          .filter(([, isDone]) => isDone)
          .map(([path]) => (path === OTHER ? 'other' : 'own'))
          .join(' '),
      ]),
  );

const nothing = { read: '', list: '', upload: '', replace: '', move: '', delete: '' };
const both = 'own other';
const everything = { read: both, list: both, upload: both, replace: both, move: both, delete: both };

describe('the storage of twelve public projects', () => {
  it('chapter 6 says always and never exactly where every request is done and refused', () => {
    expect(tried).toHaveLength(Object.keys(projects).length * 3 * 6);
    expect(contradicted(tried)).toEqual([]);
  });

  it('the probe finds no cell of files that its statements contradict, and leaves no file behind', async () => {
    const { files = [] } = await probeOf(node, app.ref);
    expect(files).toHaveLength(Object.keys(projects).length * 3 * 6);
    expect(files.filter(({ outcome }) => outcome === 'disagrees')).toEqual([]);
    // PostgreSQL does not decide who reads a public bucket. A condition with one result for all tried files proves nothing.
    const unprobed = files.filter(({ outcome, verdict }) => outcome === 'not probed' && verdict !== 'when');
    expect(unprobed.map(({ bucket, operation }) => `${operation} ${bucket}`)).toEqual(
      Array(3).fill('read public-avatars'),
    );
    const ofOwnFolder = files.filter(({ bucket, role }) => bucket === 'own-folder' && role === 'authenticated');
    expect(ofOwnFolder.map(({ outcome }) => outcome)).toEqual(Array(6).fill('agrees'));
    const left = await runSql(node, app.ref, `select count(*) from storage.objects where name like '%ninefold-probe%'`);
    expect(left.results[0]?.rows).toEqual([['0']]);
  });

  it('the secret key may do everything in every bucket', () => {
    for (const bucket of Object.keys(projects))
      expect([bucket, done('service_role', bucket)]).toEqual([bucket, everything]);
  });

  it.each([
    // A member may not move a file out of the own folder or give it a name that no policy accepts.
    ['own-folder', { ...nothing, read: 'own', list: 'own', upload: 'own', replace: 'own', move: 'own', delete: 'own' }],
    ['public-avatars', { ...nothing, read: both, list: both, upload: both }],
    ['split-path', { ...nothing, read: 'own', list: 'own', upload: 'own' }],
    ['admins-only', nothing],
    ['owned', { ...nothing, read: both, list: both, upload: both }],
    ['by-extension', { ...nothing, upload: 'own' }],
    ['named-after-member', { ...nothing, read: 'own', list: 'own', upload: 'own', replace: 'own', delete: 'own' }],
    ['no-listing', { ...nothing, read: both }],
    [
      'teams',
      { ...nothing, read: 'other', list: 'other', upload: 'other', replace: 'other', move: 'other', delete: 'other' },
    ],
    ['restricted', { ...everything, delete: '' }],
    ['attached', everything],
    ['cleaned', { ...nothing, upload: both }],
  ])('a member may do in the bucket %s what its policies say', (bucket, expected) => {
    expect(done('authenticated', bucket)).toEqual(expected);
  });

  it.each(Object.keys(projects))(
    'a visitor may do nothing in the bucket %s but what it says for everybody',
    (bucket) => {
      const open =
        bucket === 'public-avatars'
          ? { ...nothing, read: both, list: both }
          : bucket === 'no-listing'
            ? { ...nothing, read: both }
            : nothing;
      expect(done('anon', bucket)).toEqual(open);
    },
  );

  it('an owner deletes own files, and the words of the policy say so', async () => {
    const files = member.client.storage.from('owned');
    expect((await files.upload('mine.txt', new Blob(['x']))).error).toBeNull();
    expect((await files.remove(['mine.txt'])).data).toHaveLength(1);
    const cell = tried.find(
      ({ cell }) => cell.role === 'authenticated' && cell.bucket === 'owned' && cell.operation === 'delete',
    );
    expect(cell?.cell.words).toBe('own row (by owner)');
  });

  it('triggers on storage.objects see the row with its metadata, and run when a file is deleted', async () => {
    const files = member.client.storage.from('attached');
    await files.upload('note.txt', new Blob(['four'], { type: 'text/plain' }));
    const count = async () =>
      (await runSql(node, app.ref, 'select path, size from public.attachments')).results[0]?.rows;
    expect(await count()).toEqual([['note.txt', '4']]);
    await files.remove(['note.txt']);
    expect(await count()).toEqual([]);
  });

  it('a function that deletes from storage.objects and one that calls storage.search work as in Supabase', async () => {
    const files = member.client.storage.from('cleaned');
    await files.upload('a/one.txt', new Blob(['1']));
    await files.upload('a/two.txt', new Blob(['2']));
    expect((await member.client.rpc('find_files', { prefix: 'a/' })).data).toEqual([
      { name: 'one.txt' },
      { name: 'two.txt' },
    ]);
    expect((await member.client.rpc('delete_my_files')).data).toBe(2);
    expect((await files.download('a/one.txt')).error).not.toBeNull();
  });

  it('a bucket that a migration inserts again with ON CONFLICT has its new rules', async () => {
    await runSql(node, app.ref, projects['public-avatars']?.split('create policy')[0] ?? '');
    const files = clientOf(app, app.secret_key).storage.from('public-avatars');
    const { error } = await files.upload('page.html', new Blob(['<p>'], { type: 'text/html' }));
    expect(error?.message).toContain('mime type text/html is not supported');
  });
});
