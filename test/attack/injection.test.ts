import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith, runSql } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { expectNoFault } from '../support/refusal.ts';

/**
 * SQL in every name and value of a data request. A sequence detects execution, because a rollback does not undo
 * nextval. If the server runs one injected statement, even in a failed transaction, the sequence shows it at the end.
 */
const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `insert into ninefold.settings (key, value) values ('db_tx_end', '"commit-allow-override"');
     create sequence public.trap;
     grant all on public.trap to public;
     create table public.canary (id int primary key, word text);
     insert into public.canary values (1, 'untouched');
     create table public.things (id serial primary key, parent int references public.things (id), name text, n int,
       data jsonb, tags text[], words tsvector, day date);
     insert into public.things (name, n, data, tags, words)
       values ('a', 1, '{"a": 1}', '{x,y}', 'fat cats'), ('b', 2, '{"b": [1]}', '{}', 'rats');
     create function public.echo(a text, b int default 0) returns text language sql stable return a;
     create function public.take(jsonb) returns jsonb language sql stable return $1;`,
  );
});

const call = 'nextval($$public.trap$$)';
const hostile = [
  `'; select ${call}; --`,
  `' or ${call} > 0 or '1'='1`,
  `"; select ${call}; --`,
  `" union select ${call}, "`,
  `1; select ${call}`,
  `1) or (${call}`,
  `1 union select ${call}`,
  `(select ${call})`,
  `${call}`,
  `${call}::text`,
  `id::text; select ${call}`,
  `\\'; select ${call}; --`,
  `\\"; select ${call}; --`,
  `%' or ${call} --`,
  `$$; select ${call}; $$`,
  `$1; select ${call}`,
  `*/ select ${call} /*`,
  `-- \n select ${call}`,
  `\0'; select ${call}`,
  `ʼ; select ${call}`,
  `＇; select ${call}`,
  `{"a":"'; select ${call}"}`,
  `{'; select ${call}}`,
  `("'); select ${call}--")`,
  `name,${call}`,
  `name.desc,${call}`,
  `things(${call})`,
  `...things(${call})`,
  `id.${call}()`,
  `x:${call}`,
  `data->>${call}`,
  `data->'${call}'`,
  `eq.1); select ${call}; --`,
  `in.(1),${call})`,
  `fts(${call}).x`,
  `is.null; select ${call}`,
  `public.things; select ${call}`,
  'pg_catalog.nextval',
  `id=1;select ${call}`,
];

const at = (path: string, options: Parameters<typeof send>[2] = {}) =>
  send(node.url, `/apps/${app.ref}/rest/v1${path}`, {
    ...options,
    headers: {
      apikey: app.service_role_key,
      prefer: 'tx=rollback',
      'content-type': 'application/json',
      ...options.headers,
    },
  });

const reads: [string, (text: string) => string][] = [
  ['a table', (x) => `/${x}`],
  ['select', (x) => `/things?select=${x}`],
  ['an alias', (x) => `/things?select=${x}:name`],
  ['a cast', (x) => `/things?select=name::${x}`],
  ['a JSON path', (x) => `/things?select=data->${x}`],
  ['a JSON path as text', (x) => `/things?select=data->>${x}`],
  ['an embedded relation', (x) => `/things?select=id,${x}(id)`],
  ['the hint of an embedded relation', (x) => `/things?select=id,things!${x}(id)`],
  ['the columns of an embedded relation', (x) => `/things?select=id,things!parent(${x})`],
  ['the name of a filter', (x) => `/things?${x}=eq.1`],
  ['the operator of a filter', (x) => `/things?id=${x}`],
  ['a number in a filter', (x) => `/things?id=eq.${x}`],
  ['a string in a filter', (x) => `/things?name=eq.${x}`],
  ['a date in a filter', (x) => `/things?day=gt.${x}`],
  ['a pattern', (x) => `/things?name=ilike.${x}`],
  ['a regular expression', (x) => `/things?name=match.${x}`],
  ['a list in a filter', (x) => `/things?name=in.(${x})`],
  ['a quoted list', (x) => `/things?name=in.("${x}")`],
  ['an array in a filter', (x) => `/things?tags=cs.${x}`],
  ['an any-list', (x) => `/things?name=like(any).${x}`],
  ['the language of a text search', (x) => `/things?words=fts(${x}).cats`],
  ['a text search', (x) => `/things?words=wfts.${x}`],
  ['is', (x) => `/things?name=is.${x}`],
  ['a filter on a JSON path', (x) => `/things?data->>${x}=eq.1`],
  ['or', (x) => `/things?or=(${x})`],
  ['a logic tree', (x) => `/things?and=(id.eq.1,not.or(name.eq.${x}))`],
  ['order', (x) => `/things?order=${x}`],
  ['the direction of order', (x) => `/things?order=id.${x}`],
  ['limit', (x) => `/things?limit=${x}`],
  ['offset', (x) => `/things?offset=${x}`],
  ['the order of an embedded relation', (x) => `/things?select=id,things!parent(id)&things.order=${x}`],
  ['a filter of an embedded relation', (x) => `/things?select=id,things!parent(id)&things.${x}=eq.1`],
  ['the name of a function', (x) => `/rpc/${x}`],
  ['the name of an argument', (x) => `/rpc/echo?${x}=1`],
  ['an argument', (x) => `/rpc/echo?a=${x}`],
  ['a number as argument', (x) => `/rpc/echo?a=1&b=${x}`],
];

const writes: [string, (text: string) => Promise<Awaited<ReturnType<typeof send>>>][] = [
  ['columns', (x) => at(`/things?columns=${encodeURIComponent(x)}`, { method: 'POST', body: '{"name":"x"}' })],
  [
    'on_conflict',
    (x) =>
      at(`/things?on_conflict=${encodeURIComponent(x)}`, {
        method: 'POST',
        headers: { prefer: 'resolution=merge-duplicates, tx=rollback' },
        body: '{"name":"x"}',
      }),
  ],
  ['a key of the body', (x) => at('/things', { method: 'POST', body: JSON.stringify({ [x]: 1 }) })],
  [
    'a value of the body',
    (x) => at('/things', { method: 'POST', body: JSON.stringify({ name: x, data: { [x]: x }, tags: [x] }) }),
  ],
  ['a number of the body', (x) => at('/things', { method: 'POST', body: JSON.stringify({ n: x }) })],
  ['the body', (x) => at('/things', { method: 'POST', body: x })],
  ['an update', (x) => at('/things?id=eq.1', { method: 'PATCH', body: JSON.stringify({ name: x, [x]: x }) })],
  ['a deletion', (x) => at(`/things?name=eq.${encodeURIComponent(x)}`, { method: 'DELETE' })],
  [
    'an upsert',
    (x) => at(`/canary?id=eq.${encodeURIComponent(x)}`, { method: 'PUT', body: JSON.stringify({ id: x, word: x }) }),
  ],
  [
    'the header line of CSV',
    (x) => at('/things', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: `${x},name\n1,x\n` }),
  ],
  [
    'a value of CSV',
    (x) => at('/things', { method: 'POST', headers: { 'content-type': 'text/csv' }, body: `name,n\n${x},1\n` }),
  ],
  [
    'a field of a form',
    (x) =>
      at('/rpc/echo', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `a=${encodeURIComponent(x)}&${encodeURIComponent(x)}=1`,
      }),
  ],
  ['arguments', (x) => at('/rpc/echo', { method: 'POST', body: JSON.stringify({ a: x, b: x }) })],
  ['names of arguments', (x) => at('/rpc/echo', { method: 'POST', body: JSON.stringify({ [x]: x }) })],
  ['a single unnamed argument', (x) => at('/rpc/take', { method: 'POST', body: JSON.stringify({ [x]: [x] }) })],
];

const headers = ['accept', 'accept-profile', 'prefer', 'range', 'cookie', 'user-agent'] as const;
const inHeader = (text: string) => Buffer.from(text.replaceAll(/[\0\n]/g, ' '), 'utf8').toString('latin1');

describe('SQL injection', () => {
  it.each(reads)('has no effect in %s of a read', async (what, path) => {
    for (const text of hostile) {
      expectNoFault(await at(path(encodeURIComponent(text))), `${what}: ${text}`);
    }
    await expectUntouched();
  });

  it.each(writes)('has no effect in %s of a write', async (what, write) => {
    for (const text of hostile) expectNoFault(await write(text), `${what}: ${text}`);
    await expectUntouched();
  });

  it.each(headers)('has no effect in the header %s', async (name) => {
    for (const text of hostile) {
      for (const value of [inHeader(text), `timezone=${inHeader(text)}`, `handling=strict, return=${inHeader(text)}`]) {
        expectNoFault(await at('/things?limit=1', { headers: { [name]: value } }), `${name}: ${value}`);
      }
    }
    await expectUntouched();
  });

  it('has no effect in calls of the management API', async () => {
    const headers = { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' };
    for (const text of hostile) {
      const x = encodeURIComponent(text);
      for (const response of [
        await send(node.url, `/admin/v1/apps/${x}`, { headers }),
        await send(node.url, `/admin/v1/apps/${app.ref}/sessions?user_id=${x}`, { headers }),
        await send(node.url, `/admin/v1/apps/${app.ref}/sessions/${x}`, { headers, method: 'DELETE' }),
        await send(node.url, `/admin/v1/apps/${app.ref}/specification?format=${x}`, { headers }),
        await send(node.url, '/admin/v1/apps', { headers, method: 'POST', body: JSON.stringify({ ref: text }) }),
        await send(node.url, `/admin/v1/apps/${app.ref}`, {
          headers,
          method: 'DELETE',
          body: JSON.stringify({ confirm: text }),
        }),
        await send(node.url, `/admin/v1/apps/${app.ref}/rest/v1/things`, {
          headers: { ...headers, 'x-ninefold-as': inHeader(text) },
        }),
        await send(node.url, `/apps/${app.ref}/auth/v1/admin/users?filter=${x}&page=1`, {
          headers: { apikey: app.secret_key },
        }),
      ]) {
        expectNoFault(response, text);
      }
    }
    await expectUntouched();
  });
});

async function expectUntouched(): Promise<void> {
  const { results } = await runSql(
    node,
    app.ref,
    'select is_called from public.trap; select id, word from public.canary; select count(*) from public.things',
  );
  expect(results.map(({ rows }) => rows)).toEqual([[['f']], [['1', 'untouched']], [['2']]]);
}
