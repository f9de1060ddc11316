import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clientOf, type Member, signUpMember } from '../support/clients.ts';
import { cli, deleteHome, startNode, type TestNode } from '../support/node.ts';
import { environmentWithVector, hasVector } from '../support/pgvector.ts';
import { makeTestHome } from '../support/test-folder.ts';

/** As Supabase's guides to vector search write it. */
const documents = `
  create extension vector with schema extensions;
  create table public.documents (id int primary key, title text not null, owner uuid default auth.uid(),
    embedding extensions.vector(3));
  create index documents_embedding_idx on public.documents using hnsw (embedding extensions.vector_cosine_ops);
  alter table public.documents enable row level security;
  create policy "own documents" on public.documents for all to authenticated
    using (owner = (select auth.uid())) with check (owner = (select auth.uid()));
  grant select, insert on public.documents to authenticated;
  create table public.notes as select 1 as id;
  grant select on public.notes to authenticated;
  create function public.match_documents(query_embedding extensions.vector(3), match_count int)
    returns setof public.documents language sql stable
    set search_path = public, extensions
    as 'select * from documents order by embedding <=> query_embedding limit match_count';
  create function public.similarity(document public.documents) returns float language sql stable
    set search_path = public, extensions
    as 'select 1 - (document.embedding <=> ''[1,0,0]'')';`;

describe.runIf(hasVector)('vector search with the files of pgvector', () => {
  let home: string;
  let node: TestNode;
  let app: AppConnection;
  let ada: Member;

  beforeAll(async () => {
    home = await makeTestHome('vector');
    node = await startNode({ home, env: { ...(await environmentWithVector()), NINEFOLD_WORKERS: '1' } });
    app = await createApp(node);
    await runSql(node, app.ref, documents);
    ada = await signUpMember(app);
    const rows = [
      { id: 1, title: 'north', embedding: '[1,0,0]' },
      { id: 2, title: 'north-east', embedding: [0.8, 0.6, 0] },
      { id: 3, title: 'up', embedding: [0, 0, 1] },
    ];
    expect((await ada.client.from('documents').insert(rows)).error).toBeNull();
  });
  afterAll(async () => {
    await node?.stop();
    await deleteHome(home);
  });

  it('finds the nearest rows that the member may read, by a function and by a computed field', async () => {
    const nearest = await ada.client.rpc('match_documents', { query_embedding: '[1,0.1,0]', match_count: 2 });
    expect(nearest.data).toMatchObject([
      { id: 1, embedding: '[1,0,0]' },
      { id: 2, embedding: '[0.8,0.6,0]' },
    ]);
    const listed = await ada.client
      .rpc('match_documents', { query_embedding: [0, 0, 1], match_count: 1 })
      .select('title');
    expect(listed.data).toEqual([{ title: 'up' }]);
    const ordered = await ada.client
      .from('documents')
      .select('id, similarity')
      .order('similarity', { ascending: false });
    expect(ordered.data?.map(({ id }) => id)).toEqual([1, 2, 3]);
    const other = await signUpMember(app);
    expect((await other.client.rpc('match_documents', { query_embedding: '[1,0,0]', match_count: 3 })).data).toEqual(
      [],
    );
  });

  it('refuses a vector with another number of dimensions with 400', async () => {
    const { error, status } = await ada.client.from('documents').insert({ id: 4, title: 'flat', embedding: '[1,2]' });
    expect([status, error?.code, error?.message]).toEqual([400, '22000', 'expected 3 dimensions, not 2']);
  });

  it('is in the chapters with type and index, and in the types as a string', async () => {
    const specification = (await cli(node, ['spec', app.ref])).stdout;
    expect(specification).toContain(
      'Index `documents_embedding_idx` (hnsw) finds the nearest rows by `embedding <=>`.',
    );
    expect(specification).toMatch(/`embedding` \| .*vector\(3\)/);
    const { calls, rules } = JSON.parse((await cli(node, ['spec', app.ref, '--format', 'json'])).stdout).chapters;
    expect(rules.rules).toContainEqual(
      expect.objectContaining({ words: 'embedding has 3 dimensions', sqlstate: '22000', fields: ['embedding'] }),
    );
    expect(JSON.stringify(calls)).toMatch(/"name":"query_embedding","in":"body","type":"extensions.vector"/);
    const types = (await cli(node, ['types', app.ref])).stdout;
    expect(types).toContain('embedding: string | null');
    expect(types).toContain('query_embedding: string');
  });

  it('refuses the extension in a schema where the owner has defined one of its functions', async () => {
    const { ref } = await createApp(node);
    await runSql(node, ref, "create function public.vector_avg(float[]) returns int language sql as 'select 1'");
    await expect(runSql(node, ref, 'create extension vector with schema public')).rejects.toThrow('already exists');
    const created = runSql(node, ref, "select 1 / count(*) from pg_extension where extname = 'vector'");
    await expect(created).rejects.toThrow('division by zero');
  });

  it('says what is missing if a PostgreSQL without the extension runs the data, and serves everything else', async () => {
    await node.stop();
    node = await startNode({ home, env: { NINEFOLD_WORKERS: '1' } });
    const moved = { ...app, url: app.url.replace(/^http:\/\/[^/]+/, node.url) };
    const client = clientOf(moved);
    const { email, password } = ada;
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull();
    expect((await client.from('notes').select('id')).data).toEqual([{ id: 1 }]);
    const calls = [
      client.from('documents').select('title'),
      client.rpc('match_documents', { query_embedding: '[1,0,0]', match_count: 2 }),
    ];
    for (const { status, error } of await Promise.all(calls)) {
      expect([status, error?.code, error?.hint]).toEqual([
        500,
        '58P01',
        expect.stringMatching(/^PostgreSQL lacks the library of an extension .* Ask the operator/),
      ]);
    }
  });
});
