import { expect, inject, it } from 'vitest';
import type { CallDetail } from '../../contract/call-detail.ts';
import { admin, createApp, runSql } from '../support/apps.ts';

const node = inject('node');

const schema = `create table public.notes (id int primary key, title text not null);
  create function public.add(a int, b int) returns int language sql immutable as 'select a + b';`;

const detail = (ref: string, id: string) =>
  admin<CallDetail>(node, 'GET', `/apps/${ref}/specification/call?${new URLSearchParams({ id })}`);

it('the detail of a call contains code in several languages, an example request that the call accepts, and its possible errors', async () => {
  const app = await createApp(node);
  await runSql(node, app.ref, schema);
  const insert = await detail(app.ref, 'rest.public.notes.insert');
  expect(insert.example).toEqual({
    query: '',
    headers: {},
    body: { content_type: 'application/json', text: '{"id":1,"title":"text"}' },
  });
  expect(insert.snippets.curl).toContain(`${app.url}/rest/v1/notes`);
  expect(insert.errors.own).toContain('rule.public.notes.notes_pkey');
  expect(insert.errors.common).toContain('code.23505');
  expect((await detail(app.ref, 'rpc.public.add(integer, integer).get')).example.query).toBe('a=1&b=1');
  expect((await detail(app.ref, 'auth.token.password')).snippets.supabase_js).toContain('signInWithPassword');
  await expect(detail(app.ref, 'rest.public.gone.select')).rejects.toThrow('404');
  await expect(admin(node, 'GET', `/apps/${app.ref}/specification/call`)).rejects.toThrow('validation_invalid');
});

it('the node applies tx=rollback always for builders, and for other callers only if a setting allows it', async () => {
  const app = await createApp(node);
  await runSql(node, app.ref, schema);
  const insert = async (url: string, id: number, headers: Record<string, string>) => {
    const answer = await fetch(`${url}/rest/v1/notes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'return=representation, tx=rollback', ...headers },
      body: JSON.stringify({ id, title: 'tried' }),
    });
    expect(answer.status).toBe(201);
  };
  const proxy = `${node.url}/admin/v1/apps/${app.ref}`;
  await insert(proxy, 1, { authorization: `Bearer ${node.operatorToken}` });
  await insert(app.url, 2, { apikey: app.secret_key });
  await insert(proxy, 3, { authorization: `Bearer ${node.operatorToken}` });
  const { results } = await runSql(node, app.ref, 'select id from public.notes');
  expect(results[0]?.rows).toEqual([['2']]);
});
