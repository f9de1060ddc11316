import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { memberWith, type StorageApp, startStorageApp } from '../../../test/support/storage-app.ts';
import { sweepUnused } from '../../apps/files/sweep.ts';

let app: StorageApp;
beforeAll(async () => {
  app = await startStorageApp('write-object');
  await app.sql(`insert into storage.buckets (id, name) values ('b', 'b')`);
});
afterAll(() => app?.stop());
beforeEach(() => app.sql('delete from storage.objects'));

const upload = (path: string, body: string | Uint8Array, headers = {}) =>
  app.send('POST', `/object/b/${path}`, { body, headers });
const read = async (path: string) => (await app.send('GET', `/object/authenticated/b/${path}`)).body.toString();

/** Lets a trigger of the owner run while `work` runs. */
async function withTrigger(timing: string, body: string, work: () => Promise<void>): Promise<void> {
  await app.sql(`create function public.t() returns trigger language plpgsql as $$ begin ${body} end $$;
    create trigger zz ${timing} on storage.objects for each row execute function public.t()`);
  try {
    await work();
  } finally {
    await app.sql('drop trigger zz on storage.objects; drop function public.t()');
  }
}

describe('storeObject', () => {
  it('leaves no bytes and no content if the policies refuse the row', async () => {
    const member = memberWith('00000000-0000-4000-8000-000000000001');
    for (const size of [10, 100_000]) {
      const upload = app.send('POST', '/object/b/a', { body: Buffer.alloc(size, 1), as: member });
      await expect(upload).rejects.toMatchObject({ code: 'AccessDenied' });
    }
    await sweepUnused(app);
    expect([await app.keys(), await app.spooled()]).toEqual([[], []]);
    expect(await app.column('select count(*) from ninefold.stored_files')).toEqual(['0']);
  });

  it.each([
    ['a BEFORE trigger drops', 'before insert', 'return null;'],
    ['an AFTER trigger deletes', 'after insert', 'delete from storage.objects where id = new.id; return null;'],
    ['a trigger gives another version', 'before insert', 'new.version := gen_random_uuid(); return new;'],
  ])('refuses a row that %s, and serves a later upload of the same content', async (_, timing, body) => {
    await withTrigger(timing, body, async () => {
      await expect(upload('a', 'same bytes')).rejects.toMatchObject({ code: 'database_refused' });
    });
    await app.sql('delete from storage.objects');
    await upload('a', 'same bytes');
    expect(await read('a')).toBe('same bytes');
    await sweepUnused(app);
    expect(await read('a')).toBe('same bytes');
  });

  it.each([
    ['a value that has no such form', 'perform new.name::uuid; return null;', 400, '22P02'],
    ['a missing table', 'insert into public.nowhere values (1); return null;', 500, '42P01'],
    [
      'a constraint',
      'insert into public.once values (1); return null;',
      409,
      'A rule of this app refused this: once_pkey',
    ],
  ])('says that code of the app failed if a trigger fails because of %s', async (_, body, status, words) => {
    await app.sql(
      'create table public.once (id int primary key); insert into public.once values (1); grant all on public.once to public',
    );
    await withTrigger('after insert', body, async () => {
      const refusal = await upload('a', 'bytes').catch(
        (error: unknown) => error as { status: number; message: string },
      );
      expect(refusal).toMatchObject({ code: 'database_refused', status, message: expect.stringContaining(words) });
    });
    await app.sql('drop table public.once');
  });

  it('lets policies and triggers read the role and the subject of the caller as settings', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    await app.sql('create policy members on storage.objects to authenticated using (true)');
    const body = `raise exception '% %', current_setting('request.jwt.claim.role'), current_setting('request.jwt.claim.sub');`;
    await withTrigger('after insert', body, async () => {
      const send = app.send('POST', '/object/b/a', { body: 'x', as: memberWith(id) });
      await expect(send).rejects.toMatchObject({ message: `authenticated ${id}` });
    });
    await app.sql('drop policy members on storage.objects');
  });

  it('keeps the bytes of a committed row whatever a trigger does to the statements after it', async () => {
    await app.sql(`create schema hostile; grant usage on schema hostile to public;
      create function hostile.json_build_object(text, uuid, text, text) returns text language sql as $$ select '{' $$;`);
    const body = `perform set_config('search_path', 'hostile, pg_catalog', true); return null;`;
    await withTrigger('after insert', body, async () => {
      await expect(upload('a', 'hostile bytes')).rejects.toThrow(SyntaxError);
    });
    await upload('b', 'hostile bytes');
    expect(await read('b')).toBe('hostile bytes');
    await app.sql('drop schema hostile cascade');
  });

  it('leaves no bytes if a trigger ends the session of the upload', async () => {
    await sweepUnused(app);
    const before = await app.keys();
    await withTrigger('after insert', 'perform pg_terminate_backend(pg_backend_pid()); return null;', async () => {
      await expect(upload('a', 'ended')).rejects.toThrow();
    });
    const slowly = 'perform pg_sleep(1.2); perform pg_terminate_backend(pg_backend_pid()); return null;';
    await withTrigger('after insert', slowly, async () => {
      await expect(upload('a', 'ended slowly')).rejects.toThrow();
    });
    expect(await app.keys()).toEqual(before);
  });

  it('counts no content whose size the owner invents', async () => {
    const hash = "decode(repeat('ab', 32), 'hex')";
    for (const [fake, code] of [
      [`${hash}, -1000000000000, null`, '23514'],
      [`'\\x', 1, null`, '23514'],
      [`decode(repeat('ab', 500), 'hex'), 1, null`, '23514'],
      [`${hash}, 1, '\\x00'`, '23514'],
    ]) {
      const body = `perform set_config('role', 'supabase_storage_admin', true);
        perform ninefold.keep_file(gen_random_uuid(), ${fake}, false); return null;`;
      await withTrigger('after insert', body, async () => {
        await expect(upload('a', 'x')).rejects.toMatchObject({ code: 'database_refused', cause: { sqlstate: code } });
      });
    }
    expect(await app.column('select count(*) from ninefold.stored_files where size < 0')).toEqual(['0']);
  });
});

describe('the triggers of Ninefold', () => {
  it('run no cast of the owner with their privileges', async () => {
    await upload('a', 'bytes');
    await app.sql(`
      create table public.ran (as_role name); grant insert on public.ran to public;
      create type public.odd as (v text);
      create function public.odd_text(public.odd) returns text language plpgsql as $$
        begin insert into public.ran values (current_user); return ($1).v; end $$;
      create cast (public.odd as text) with function public.odd_text(public.odd) as implicit;
      alter table storage.objects alter column version type public.odd using row(version)::public.odd;
      insert into storage.objects (bucket_id, name, version) values ('b', 'odd', row('x')::public.odd);
      update storage.objects set version = row('y')::public.odd;
      delete from storage.objects;
      alter table storage.objects alter column version type text using null`);
    expect(await app.column('select distinct as_role from public.ran')).toEqual([]);
  });
});
