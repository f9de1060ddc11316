import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { limits } from '../../contract/limits.ts';
import { createAppWith, runSql } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { expectNoFault, expectRefusal } from '../support/refusal.ts';
import { uniqueEmail } from '../support/unique.ts';

/**
 * One request must not use more than its share of the server. Requests that are too deep, too wide or too long are
 * rejected quickly.
 */
const node = inject('node');
let app: AppConnection;
beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.things (id int primary key, parent int references public.things (id), name text, data jsonb, n int);
     insert into public.things select g, null, repeat('a', 30) || '!', '{}', g from generate_series(1, 50) g;
     create function public.take(a jsonb) returns void language sql stable as '';
     create function public.sleep() returns void language sql volatile as 'select pg_sleep(600)';`,
  );
});

const rest = (path: string, options: Parameters<typeof send>[2] = {}) =>
  send(node.url, `/apps/${app.ref}/rest/v1${path}`, {
    ...options,
    headers: { apikey: app.service_role_key, 'content-type': 'application/json', ...options.headers },
  });
const insert = (body: string | Uint8Array) =>
  rest('/things', { method: 'POST', headers: { prefer: 'tx=rollback' }, body });

const nested = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth);

describe('a request with a hostile body', () => {
  const bodies: [string, string | Uint8Array][] = [
    ['of lists in lists', nested(1_000_000, '[', '', ']')],
    ['of objects in objects', nested(100_000, '{"data":', '1', '}')],
    ['that nests deeply in one column', `{"id":1000,"data":${nested(100_000, '[', '', ']')}}`],
    [
      'with very many keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, i]))),
    ],
    ['of mixed things', '[1,"a",null,[],{}]'],
    ['whose rows differ', '[{"id":1000},{"name":"a"}]'],
    ['of null rows', '[null]'],
    ['with a number beyond every type', '{"id":1e999}'],
    ['with a fraction for a whole number', '{"n":1.5}'],
    ['with an endless exponent', '{"id":1000,"data":1e999999999}'],
    ['with NaN', '{"n":NaN}'],
    ['with NUL', '{"id":1000,"name":"\\u0000"}'],
    ['with NUL in JSON', '{"id":1000,"data":{"a":"\\u0000"}}'],
    ['with half a surrogate pair', '{"id":1000,"name":"\\ud800"}'],
    ['encoded in invalid UTF-8', Buffer.from('{"id":1000,"name":"\xff\xfe"}', 'latin1')],
    ['encoded in UTF-16', Buffer.from('{"id":1000}', 'utf16le')],
    ['behind a byte order mark', '\ufeff{"id":1000}'],
    ['that is truncated', '{"id":1000,'],
    ['that is empty', ''],
    ['of a key without a name', '{"":1}'],
    ['of an unknown key', '{"__proto__":1}'],
  ];
  it.each(bodies)('is rejected if it has a body %s', async (what, body) => {
    expectRefusal(await insert(body), what);
  });

  it('is rejected above the size limit by every API', async () => {
    const body = `{"name":"${'x'.repeat(limits.bodyBytes.default)}"}`;
    for (const path of [
      '/rest/v1/things',
      '/rest/v1/rpc/take',
      '/auth/v1/signup',
      '/auth/v1/token?grant_type=password',
    ]) {
      const response = await send(node.url, `/apps/${app.ref}${path}`, {
        method: 'POST',
        headers: { apikey: app.anon_key, 'content-type': 'application/json' },
        body,
        ownConnection: true,
      }).catch((error: Error) => error.message);
      if (typeof response === 'string') expect(response).toMatch(/EPIPE|ECONNRESET|socket hang up/);
      else expect(expectRefusal(response)).toMatch(/too_large/);
    }
  });

  it('is rejected by the management API if the body is malformed or invalid', async () => {
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '1',
      '{"ref":5}',
      '{"ref":"fine-ref","name":"\\u0000"}',
      '{"ref":"fine-ref","name":"\\ud800"}',
      '{"ref":"fine-ref","name":"a\\nb"}',
      '{"ref":"fine-ref","jwt_secret":"short"}',
      '{"ref":"fine-ref","extra":1}',
      '{"__proto__":{"ref":"fine-ref"}}',
      nested(200_000, '[', '', ']'),
    ]) {
      const response = await send(node.url, '/admin/v1/apps', {
        method: 'POST',
        headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
        body,
      });
      expectRefusal(response, body.slice(0, 80));
    }
  });
});

describe('a request with a hostile query', () => {
  const queries: [string, string][] = [
    ['of nested logic trees', `and=(${nested(3000, 'and(', 'id.eq.1', ')')})`],
    ['of nested negated logic trees', `and=(${nested(2000, 'not.and(', 'id.eq.1', ')')})`],
    ['of nested embedded relations', `select=${nested(1500, 'things!parent(id,', 'id', ')')}`],
    ['of nested spread relations', `select=${nested(700, '...things!parent(', 'id', ')')}`],
    ['with a very long JSON path', `select=data${'->a'.repeat(8000)}`],
    [
      'with a regular expression of nested repetitions',
      `name=match.${encodeURIComponent(nested(6, '(', 'a{0,200}', '){0,200}'))}`,
    ],
    ['with a regular expression of too many repetitions', `name=match.${encodeURIComponent('a{1,99999}')}`],
    ['with a regular expression of open brackets', `name=match.${encodeURIComponent('('.repeat(5000))}`],
    ['with a pattern that ends in an escape character', `name=like.${encodeURIComponent('\\')}`],
    ['with the largest possible offset', 'offset=9223372036854775808'],
    ['with a negative limit', 'limit=-1'],
    ['with a malformed array', 'id=eq(any).{1,2'],
  ];
  it.each(queries)('is rejected if it has a query %s', async (what, query) => {
    expectRefusal(await rest(`/things?${query}`), what);
  });

  const bounded: [string, string][] = [
    ['of thousands of filters', Array.from({ length: 3000 }, () => 'id=eq.1').join('&')],
    ['with a long list', `id=in.(${Array.from({ length: 6000 }, (_, i) => i).join(',')})`],
    ['with the largest possible limit', 'limit=9223372036854775807'],
    ['with a regular expression that backtracks', `name=match.${encodeURIComponent('(a+)+$')}`],
    ['with a pattern of many wildcards', `name=like.${encodeURIComponent('*a'.repeat(2000))}`],
    ['of quotes', `name=in.(${encodeURIComponent('"'.repeat(3001))})`],
    ['of empty parts', `${'&'.repeat(5000)}=&=&==&select=`],
    ['with one parameter many times', Array.from({ length: 500 }, () => 'select=id&order=id&limit=1').join('&')],
  ];
  it.each(bounded)(
    'is answered or rejected if it has a query %s, and the next request succeeds',
    async (what, query) => {
      expectNoFault(await rest(`/things?${query}`), what);
      expect((await rest('/things?id=eq.1&select=id')).body).toBe('[{"id":1}]');
    },
  );

  it('ends within the statement timeout if the query embeds 600 relations side by side', async () => {
    const wide = Array.from({ length: 600 }, (_, i) => `e${i}:things!parent(id)`).join(',');
    const started = performance.now();
    await rest(`/things?select=id,${wide}`);
    expect(performance.now() - started).toBeLessThan(limits.statementMilliseconds.default * 2);
  });
});

it('the node stops a call that would never end, and other calls do not wait for it', async () => {
  await runSql(node, app.ref, `insert into ninefold.settings (key, value) values ('db_statement_timeout', '300')`);
  await expect
    .poll(async () => (await rest('/rpc/sleep', { method: 'POST', body: '{}' })).body, { timeout: 20_000 })
    .toContain('57014');
  const slow = Array.from({ length: 20 }, () =>
    rest('/rpc/sleep', { method: 'POST', body: '{}', ownConnection: true }),
  );
  expect((await rest('/things?id=eq.1&select=id')).body).toBe('[{"id":1}]');
  await Promise.all(slow);
});

it('the node stops a sign-up whose trigger would never end, and names the limit', async () => {
  const other = await createAppWith(
    node,
    `create function public.wait() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$;
     create trigger wait before insert on auth.users for each row execute function public.wait()`,
  );
  const { status, body } = await send(node.url, `/apps/${other.ref}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: other.anon_key, 'content-type': 'application/json' },
    body: JSON.stringify({ email: uniqueEmail(), password: 'correct horse battery' }),
    ownConnection: true,
  });
  expect([status, JSON.parse(body).error_code]).toEqual([504, 'database_refused']);
  const users = await runSql(node, other.ref, 'select count(*) from auth.users');
  expect(users.results[0]?.rows).toEqual([['0']]);
});
