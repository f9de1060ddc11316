import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { memberWith, type StorageApp, startStorageApp } from '../../../test/support/storage-app.ts';
import { noteUnused, sweepOrphans, sweepUnused, sweepUploads } from './sweep.ts';

let app: StorageApp;
beforeAll(async () => {
  app = await startStorageApp('sweep');
});
afterAll(() => app?.stop());
beforeEach(async () => {
  await app.sql(
    `truncate storage.objects, storage.buckets cascade; insert into storage.buckets (id, name) values ('b', 'b')`,
  );
  await sweepUnused(app);
  await app.store.delete(await app.keys());
});

const upload = (path: string, body: string, headers = {}) => app.send('POST', `/object/b/${path}`, { body, headers });
const textOf = async (path: string) => (await app.send('GET', `/object/authenticated/b/${path}`)).body.toString();
const noted = () => app.column('select count(*) from ninefold.unused_files');
const contents = async () => Number((await app.column('select count(*) from ninefold.stored_files'))[0]);
/** Resolves when a statement of another session waits for a lock. */
const waits = () => expect.poll(() => app.column('select count(*) from pg_locks where not granted')).not.toEqual(['0']);

describe('sweepUnused', () => {
  it('deletes the bytes of an object that the API deleted', async () => {
    await upload('a', 'bytes');
    await app.send('DELETE', '/object/b/a');
    expect(await app.keys()).toHaveLength(1);
    expect(await sweepUnused(app)).toBe(1);
    expect(await app.keys()).toEqual([]);
    expect(await contents()).toBe(0);
  });

  it.each([
    ['DELETE', 'delete from storage.objects'],
    ['TRUNCATE', 'truncate storage.objects'],
    ['an UPDATE of the version', 'update storage.objects set version = null'],
    ['a deletion of the bucket with its objects', 'delete from storage.objects; delete from storage.buckets'],
  ])('deletes the bytes of an object after %s in SQL', async (_, sql) => {
    await upload('a', 'bytes');
    await app.sql(sql);
    await sweepUnused(app);
    expect(await app.keys()).toEqual([]);
  });

  it('deletes the bytes of an object that a foreign key of the app deleted with its member', async () => {
    const id = randomUUID();
    await app.database.pool.script(`insert into auth.users (id, email) values ('${id}', '${id}@example.com')`);
    await app.sql('create policy own on storage.objects for all to authenticated using (true) with check (true)');
    await app.database.pool.script(
      'alter table storage.objects add constraint of_member foreign key (owner) references auth.users on delete cascade',
    );
    await app.send('POST', '/object/b/mine', { body: 'bytes', as: memberWith(id) });
    await app.database.pool.script(`delete from auth.users where id = '${id}'`);
    await app.database.pool.script('alter table storage.objects drop constraint of_member');
    await app.sql('drop policy own on storage.objects');
    await sweepUnused(app);
    expect(await app.keys()).toEqual([]);
  });

  it('keeps the bytes after a deletion that was rolled back', async () => {
    await upload('a', 'bytes');
    await app.sql('delete from storage.objects; select 1 / 0').catch(() => undefined);
    expect(await noted()).toEqual(['0']);
    await sweepUnused(app);
    expect(await textOf('a')).toBe('bytes');
  });

  it('keeps a content until the last of its objects is gone, whether the API or SQL copied it', async () => {
    await upload('a', 'bytes');
    await upload('again', 'bytes');
    await app.send('POST', '/object/copy', {
      body: JSON.stringify({ bucketId: 'b', sourceKey: 'a', destinationKey: 'copied' }),
    });
    await app.sql(
      `insert into storage.objects (bucket_id, name, version) select bucket_id, 'by-sql', version from storage.objects where name = 'a'`,
    );
    expect(await app.keys()).toHaveLength(1);
    for (const name of ['a', 'again', 'copied']) {
      await app.sql(`delete from storage.objects where name = '${name}'`);
      await sweepUnused(app);
      expect(await textOf('by-sql')).toBe('bytes');
    }
    await app.sql('delete from storage.objects');
    await sweepUnused(app);
    expect(await app.keys()).toEqual([]);
  });

  it('deletes the bytes that an upload replaced, and keeps those of the same content', async () => {
    await upload('a', 'first');
    await upload('a', 'second', { 'x-upsert': 'true' });
    await upload('a', 'second', { 'x-upsert': 'true' });
    await sweepUnused(app);
    expect(await app.keys()).toHaveLength(1);
    expect(await textOf('a')).toBe('second');
  });

  it('waits for a transaction that writes the content again, and then keeps the bytes', async () => {
    await upload('a', 'bytes');
    const [version] = await app.column('select version from storage.objects');
    await app.sql('delete from storage.objects');
    let swept: Promise<number> = Promise.resolve(-1);
    await app.database.as('app_owner').transaction(async (tx) => {
      await tx.script(`insert into storage.objects (bucket_id, name, version) values ('b', 'back', '${version}')`);
      swept = sweepUnused(app);
      await waits();
    });
    expect(await swept).toBe(0);
    expect(await textOf('back')).toBe('bytes');
  });

  /** Runs work while a sweep has deleted the only content, before it commits. */
  async function whileSwept(work: (version: string) => Promise<void>): Promise<void> {
    const [version = null] = await app.column('select version from storage.objects');
    await app.database.pool.transaction(async (tx) => {
      await tx.script('delete from ninefold.stored_files');
      await work(version ?? '');
    });
  }

  it('does not take the bytes of an upload of the same content that waits for the sweep', async () => {
    await upload('a', 'bytes');
    let uploading: Promise<unknown> = Promise.resolve();
    await whileSwept(async () => {
      uploading = upload('again', 'bytes');
      await waits();
    });
    await uploading;
    expect(await textOf('again')).toBe('bytes');
  });

  it('makes a copy by SQL fail whose content it has deleted', async () => {
    await upload('a', 'bytes');
    let copying: Promise<unknown> = Promise.resolve();
    await whileSwept(async () => {
      copying = app
        .sql(
          `insert into storage.objects (bucket_id, name, version) select bucket_id, 'late', version from storage.objects`,
        )
        .catch((error: unknown) => error);
      await waits();
    });
    expect(await copying).toMatchObject({ sqlstate: '40001' });
  });

  it('makes a copy by the API fail whose content it has deleted', async () => {
    await upload('a', 'bytes');
    let copying: Promise<unknown> = Promise.resolve();
    await whileSwept(async () => {
      const body = JSON.stringify({ bucketId: 'b', sourceKey: 'a', destinationKey: 'late' });
      copying = app.send('POST', '/object/copy', { body }).catch((error: unknown) => error);
      await waits();
    });
    expect(await copying).toMatchObject({ code: 'NoSuchKey' });
    expect(await app.column('select name from storage.objects')).toEqual(['a']);
  });

  it('never takes the bytes of an object while many uploads, copies and deletions share few contents', async () => {
    const texts = ['one', 'two', 'three'];
    let isOver = false;
    const sweeping = (async () => {
      while (!isOver) await sweepUnused(app).catch(() => undefined);
    })();
    const work = async (worker: number) => {
      for (let i = 0; i < 40; i++) {
        const name = `w${worker}-${i % 3}`;
        const text = texts[(worker + i) % texts.length] ?? '';
        await upload(name, text, { 'x-upsert': 'true' });
        if (i % 4 === 0) {
          const body = JSON.stringify({ bucketId: 'b', sourceKey: name, destinationKey: `${name}-copy` });
          await app.send('POST', '/object/copy', { body, headers: { 'x-upsert': 'true' } });
        }
        expect(await textOf(name)).toBe(text);
        if (i % 3 === 0) await app.send('DELETE', `/object/b/${name}`);
      }
    };
    const worked = await Promise.allSettled([0, 1, 2, 3].map(work));
    isOver = true;
    await sweeping;
    expect(worked.filter(({ status }) => status === 'rejected')).toEqual([]);
    await sweepUnused(app);
    for (const name of await app.column('select name from storage.objects')) {
      expect(texts).toContain(await textOf(name ?? ''));
    }
    expect(await app.keys()).toHaveLength(await contents());
    expect(await app.spooled()).toEqual([]);
  });
});

describe('sweepOrphans and noteUnused', () => {
  const later = async (work: () => Promise<void>) => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + (limits.orphanHours.default + 1) * 3_600_000);
    await work().finally(() => now.mockRestore());
  };

  it('delete the bytes that an upload without a row left behind, after a day', async () => {
    await upload('a', 'kept');
    const [key = ''] = await app.keys();
    await app.store.copy(key, `shop/00/${'0'.repeat(64)}.${randomUUID()}`);
    await app.store.copy(key, `shop/uploads/${randomUUID()}/${randomUUID()}`);
    await sweepOrphans(app);
    expect(await app.keys()).toHaveLength(3);
    await later(() => sweepOrphans(app));
    expect(await app.keys()).toEqual([key]);
    expect(await textOf('a')).toBe('kept');
  });

  it('delete the bytes of objects that were deleted while the owner had disabled the triggers', async () => {
    await upload('a', 'bytes');
    await upload('kept', 'others');
    await app.sql('alter table storage.objects disable trigger user');
    await app.sql(`delete from storage.objects where name = 'a'`);
    for (const when of ['delete', 'update'])
      await app.sql(`alter table storage.objects enable always trigger ninefold_unused_by_${when}`);
    await app.sql(
      'alter table storage.objects enable always trigger ninefold_unused_by_truncate, enable always trigger ninefold_used_by_insert, enable always trigger ninefold_used_by_update',
    );
    await noteUnused(app);
    expect(await sweepUnused(app)).toBe(0);
    await app.database.pool.script(`update ninefold.stored_files set stored_at = now() - interval '2 hours'`);
    await noteUnused(app);
    expect(await sweepUnused(app)).toBe(1);
    expect(await textOf('kept')).toBe('others');
  });
});

describe('sweepUploads', () => {
  it('deletes the parts of uploads that have expired, and the records of used upload URLs', async () => {
    await upload('a', 'bytes');
    const [key = ''] = await app.keys();
    const [expired, running] = [randomUUID(), randomUUID()];
    for (const id of [expired, running]) {
      await app.store.copy(key, `shop/uploads/${id}/${randomUUID()}`);
      await app.database.pool.script(`insert into ninefold.uploads (id, protocol, bucket_id, name, role, content_type, is_upsert, expires_at)
        values ('${id}', 'tus', 'b', 'x', 'anon', 'text/plain', false, now() + interval '${id === expired ? -1 : 1} minute')`);
    }
    await app.database.pool.script(
      `insert into ninefold.used_upload_tokens values (gen_random_uuid(), now() - interval '1 second')`,
    );
    await sweepUploads(app);
    expect((await app.keys()).filter((each) => each.includes('/uploads/'))).toEqual([expect.stringContaining(running)]);
    expect(await app.column('select count(*) from ninefold.used_upload_tokens')).toEqual(['0']);
    await app.database.pool.script('delete from ninefold.uploads');
  });
});
