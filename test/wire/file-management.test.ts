import type { SupabaseClient } from '@supabase/supabase-js';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import type { CreatedS3Key, FileDetails, FileUsage, S3KeyEntry } from '../../contract/files.ts';
import { limits } from '../../contract/limits.ts';
import type { RoleCell } from '../../contract/specification-roles.ts';
import { admin, createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';

const node = inject('node');

let app: AppConnection;
let service: SupabaseClient['storage'];
let member: Member;
beforeAll(async () => {
  app = await createApp(node);
  service = clientOf(app, app.secret_key).storage;
  member = await signUpMember(app);
});

const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
  admin<T>(node, method, `/apps/${app.ref}/files${path}`, body);

async function bucket(id: string, isPublic = false): Promise<void> {
  const { error } = await service.createBucket(id, { public: isPublic });
  if (error) throw error;
}

async function store(client: SupabaseClient['storage'], id: string, path: string, body: string): Promise<void> {
  const { error } = await client.from(id).upload(path, Buffer.from(body), { contentType: 'text/plain' });
  if (error) throw error;
}

describe('GET /files/usage', () => {
  it('counts objects and bytes by bucket and by member, and equal contents once', async () => {
    await bucket('counted');
    await bucket('never-used');
    await runSql(
      node,
      app.ref,
      `create policy "members use counted" on storage.objects to authenticated using (bucket_id = 'counted')`,
    );
    await store(service, 'counted', 'one.txt', '12345');
    await store(member.client.storage, 'counted', 'two.txt', '12345');
    await store(member.client.storage, 'counted', 'three.txt', '123');
    const usage = await call<FileUsage>('GET', '/usage');
    expect(usage.buckets).toEqual([
      { id: 'counted', objects: 3, bytes: 13 },
      { id: 'never-used', objects: 0, bytes: 0 },
    ]);
    expect(usage.members).toEqual([{ id: member.user.id, email: member.email, objects: 2, bytes: 8 }]);
    expect(usage).toMatchObject({
      members_with_files: 1,
      stored: { contents: 2, bytes: 8 },
      unused: { contents: 0, bytes: 0 },
      uploads: { count: 0, bytes: 0 },
      quota_bytes: limits.appStorageBytes.default,
    });
  });

  it('counts a row whose size is no number as 0 bytes', async () => {
    await bucket('odd');
    await runSql(
      node,
      app.ref,
      `insert into storage.objects (bucket_id, name, owner_id, metadata) values
        ('odd', 'a', 'no-uuid', '{"size": "many"}'), ('odd', 'b', null, '[]'), ('odd', 'c', null, '{"size": -5}')`,
    );
    const { buckets, members } = await call<FileUsage>('GET', '/usage');
    expect(buckets.find(({ id }) => id === 'odd')).toEqual({ id: 'odd', objects: 3, bytes: 0 });
    expect(members.find(({ id }) => id === 'no-uuid')).toEqual({ id: 'no-uuid', email: null, objects: 1, bytes: 0 });
  });
});

describe('GET /files/object', () => {
  it('returns the owner and the content, and how many objects have it', async () => {
    await bucket('details');
    await store(service, 'details', 'a b/ü.txt', 'same');
    await store(service, 'details', 'copy.txt', 'same');
    const query = new URLSearchParams({ bucket: 'details', name: 'a b/ü.txt' });
    const found = await call<FileDetails>('GET', `/object?${query}`);
    expect(found).toMatchObject({ owner_id: null, owner_email: null, content: { objects: 2, quarantined_at: null } });
    expect(found.content?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('answers 404 for an object that does not exist', async () => {
    await expect(call('GET', '/object?bucket=details&name=none')).rejects.toThrow(/404|NoSuchKey|not found/i);
  });
});

describe('access keys of the S3 protocol', () => {
  it('are created with a secret that no other response contains, and deleted', async () => {
    const created = await call<CreatedS3Key>('POST', '/s3-keys', { name: 'Backup' });
    expect(created).toMatchObject({ name: 'Backup', last_used_at: null });
    expect(created.secret).toMatch(/^[\w-]{40}$/);
    const listed = await call<S3KeyEntry[]>('GET', '/s3-keys');
    expect(listed.map(({ id }) => id)).toContain(created.id);
    expect(JSON.stringify(listed)).not.toContain(created.secret);
    await call('DELETE', `/s3-keys/${created.id}`);
    expect((await call<S3KeyEntry[]>('GET', '/s3-keys')).map(({ id }) => id)).not.toContain(created.id);
    await expect(call('DELETE', `/s3-keys/${created.id}`)).rejects.toThrow();
  });

  it('are at most s3Keys, also if calls create them at the same time', async () => {
    const max = limits.s3Keys.default;
    const outcomes = await Promise.allSettled(
      Array.from({ length: max + 4 }, (_, n) => call<CreatedS3Key>('POST', '/s3-keys', { name: `key ${n}` })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(max);
    expect(await call<S3KeyEntry[]>('GET', '/s3-keys')).toHaveLength(max);
  });
});

describe('POST /files/url-key/rotate', () => {
  it('ends the signed URLs that exist, and not the later ones', async () => {
    await bucket('signed');
    await store(service, 'signed', 'a.txt', 'a');
    const sign = async () => (await service.from('signed').createSignedUrl('a.txt', 60)).data?.signedUrl ?? '';
    const before = await sign();
    expect((await fetch(before)).status).toBe(200);
    await call('POST', '/url-key/rotate');
    expect((await fetch(before)).status).toBe(400);
    expect((await fetch(await sign())).status).toBe(200);
  });
});

describe('GET /files/access', () => {
  const buckets = ['own', 'open', 'listed', 'one-of', 'closed', 'unnamed'] as const;

  beforeAll(async () => {
    await runSql(
      node,
      app.ref,
      `do $$ declare p text; begin
         for p in select policyname from pg_policies where schemaname = 'storage' and tablename = 'objects' loop
           execute format('drop policy %I on storage.objects', p);
         end loop; end $$;
       create policy "own folder" on storage.objects to authenticated
         using (bucket_id = 'own' and (storage.foldername(name))[1] = (select auth.uid()::text));
       create policy "members use open" on storage.objects to authenticated using (bucket_id = 'open');
       create policy "members list" on storage.objects for select to authenticated using (bucket_id = 'listed');
       create policy "one of two" on storage.objects to authenticated
         using (bucket_id = any (array['one-of', 'other']) and (storage.foldername(name))[1] = 'shared');
       create policy "closed is open" on storage.objects to authenticated using (bucket_id = 'closed');
       create policy "but closed" on storage.objects as restrictive to authenticated using (bucket_id <> 'closed')`,
    );
    for (const id of buckets) await bucket(id);
    for (const id of buckets) {
      for (const folder of [member.user.id, 'shared', 'foreign']) await store(service, id, `${folder}/stored.txt`, 'x');
    }
  });

  it('agrees with what a member can do in each bucket', async () => {
    const cells = await call<RoleCell[]>('GET', '/access');
    const verdict = (id: string, operation: RoleCell['operation']) =>
      cells.find((cell) => cell.entity === id && cell.operation === operation && cell.role === 'authenticated')
        ?.verdict;
    for (const id of buckets) {
      const from = member.client.storage.from(id);
      const read: boolean[] = [];
      const added: boolean[] = [];
      for (const folder of [member.user.id, 'shared', 'foreign']) {
        read.push((await from.download(`${folder}/stored.txt`)).error === null);
        added.push((await from.upload(`${folder}/added.txt`, Buffer.from('y'))).error === null);
      }
      expect([id, verdict(id, 'select'), verdict(id, 'insert')]).toEqual([id, summary(read), summary(added)]);
    }
  });

  /** Returns the verdict that attempts in different folders show. */
  const summary = (attempts: readonly boolean[]): RoleCell['verdict'] =>
    attempts.every(Boolean) ? 'always' : attempts.some(Boolean) ? 'when' : 'never';

  it('names only the policies that count in the bucket, and leaves the bucket out of the words', async () => {
    const cells = await call<RoleCell[]>('GET', '/access');
    const found = cells.find(
      ({ entity, operation, role }) => entity === 'own' && operation === 'select' && role === 'authenticated',
    );
    expect(found).toMatchObject({
      words: 'the first folder of name is the member’s id',
      policies: ['own folder', 'but closed'],
    });
  });

  it('lets the service role do everything', async () => {
    const cells = await call<RoleCell[]>('GET', '/access');
    const verdicts = new Set(cells.filter(({ role }) => role === 'service_role').map(({ verdict }) => verdict));
    expect([...verdicts]).toEqual(['always']);
  });
});
