import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../test/support/postgres.ts';
import { makeRestApp, type RestApp } from '../../test/support/rest-app.ts';
import { filmLibrary } from '../../test/support/rest-fixture.ts';

let postgres: TestPostgres;
let app: RestApp;

const functions = `
  create function add(a int, b int default 10) returns int immutable language sql as $$ select a + b $$;
  create function joined(variadic words text[]) returns text immutable language sql as $$ select array_to_string(words, '-') $$;
  create function films_of(director int) returns setof films stable language sql as
    $$ select * from films where director_id = director $$;
  create function first_film() returns films stable language sql as $$ select * from films where id = 1 $$;
  create function years() returns setof int stable language sql as $$ select year from films where year < 1980 order by 1 $$;
  create function stats(out films bigint, out latest int) stable language sql as $$ select count(*), max(year) from films $$;
  create function rows_of(n int) returns table (i int, square int) immutable language sql as
    $$ select i, i * i from generate_series(1, n) i $$;
  create function nothing() returns void language sql as $$ $$;
  create function sized(text) returns int immutable language sql as $$ select length($1) $$;
  create function keys_of(json) returns setof text immutable language sql as $$ select json_object_keys($1) $$;
  create function bytes_of(bytea) returns int immutable language sql as $$ select octet_length($1) $$;
  create function over(x int) returns text immutable language sql as $$ select 'one' $$;
  create function over(x int, y int) returns text immutable language sql as $$ select 'two' $$;
  create function same(x int) returns text immutable language sql as $$ select 'int' $$;
  create function same(x text) returns text immutable language sql as $$ select 'text' $$;
  create function claims() returns json stable language sql as $$
    select json_build_object('claims', current_setting('request.jwt.claims')::json, 'method', current_setting('request.method'),
      'path', current_setting('request.path'), 'agent', current_setting('request.headers')::json ->> 'user-agent',
      'cookie', current_setting('request.cookies')::json ->> 'theme', 'role', current_user,
      'app', current_setting('app.colour', true), 'zone', current_setting('timezone')) $$;
  create function greet() returns text language plpgsql as $$ begin
    perform set_config('response.headers', '[{"X-Greeting": "hello"}, {"cache-control": "no-store"}]', true);
    perform set_config('response.status', '418', true);
    return 'tea'; end $$;
  create function bad_headers() returns text language sql as $$ select set_config('response.headers', '{"a": 1}', true) $$;
  create function split_headers() returns text language sql as
    $$ select set_config('response.headers', '[{"a": "b\\r\\nSet-Cookie: x=y"}]', true) $$;
  create function pay() returns void language plpgsql as
    $$ begin raise sqlstate 'PT402' using message = 'Payment Required', detail = 'Quota exceeded', hint = 'Upgrade'; end $$;
  create function refuse() returns void language plpgsql as $$ begin raise sqlstate 'PGRST' using
    message = '{"code": "F00", "message": "no", "details": "because", "hint": "ask"}',
    detail = '{"status": 332, "headers": {"X-Why": "so"}}'; end $$;
  create function refuse_badly() returns void language plpgsql as
    $$ begin raise sqlstate 'PGRST' using message = 'no json', detail = '{}'; end $$;
  create function fail() returns void language plpgsql as $$ begin raise 'broken' using hint = 'mend it'; end $$;
  create function slow() returns void language sql set statement_timeout = '20ms' as $$ select pg_sleep(5) $$;
  create function level() returns text language sql set default_transaction_isolation = 'serializable' as
    $$ select current_setting('transaction_isolation') $$;
  create function rename_all() returns setof films language sql as $$ update films set title = title || '!' returning * $$;
  create domain "text/plain" as text;
  create domain "application/vnd.films" as bytea;
  create function page() returns "text/plain" stable language sql as $$ select 'plain ' || count(*) from films $$;
  create function film_bytes_step(state "application/vnd.films", film films) returns "application/vnd.films" immutable
    language sql as $$ select (state || convert_to(film.id::text || ';', 'UTF8'))::"application/vnd.films" $$;
  create aggregate film_bytes(films) (initcond = '', stype = "application/vnd.films", sfunc = film_bytes_step);
  create function check_request() returns void language plpgsql as $$ begin
    if current_setting('request.headers')::json ->> 'x-blocked' is not null then
      raise insufficient_privilege using message = 'blocked'; end if; end $$;
`;

beforeAll(async () => {
  postgres = await startPostgres('rest-call');
  app = await makeRestApp(postgres.url, filmLibrary + functions);
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

const post = (name: string, body: unknown = {}, headers: Record<string, string> = {}) =>
  app.call('POST', `/rpc/${name}`, { body, headers });
const get = (path: string, headers: Record<string, string> = {}) => app.call('GET', `/rpc/${path}`, { headers });

describe('/rpc: arguments', () => {
  it.each([
    ['add?a=1&b=2', 3],
    ['add?a=1', 11],
    ['joined?words=a&words=b&words=c', 'a-b-c'],
    ['over?x=1', 'one'],
    ['over?x=1&y=2', 'two'],
  ])('GET passes the arguments of %s', async (path, expected) => {
    expect(await get(path)).toMatchObject({ status: 200, json: expected });
  });

  it.each([
    ['add', { a: 1, b: 2 }, 3],
    ['add', { a: 1 }, 11],
    ['joined', { words: ['a', 'b'] }, 'a-b'],
    ['keys_of', { p: 1, q: 2 }, ['p', 'q']],
  ])('POST passes the arguments of %s %o', async (name, body, expected) => {
    expect(await post(name, body)).toMatchObject({ status: 200, json: expected });
  });

  it('accepts arguments as a form', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post('add', 'a=4&b=5', form)).json).toBe(9);
    expect((await post('joined', 'words=x&words=y', form)).json).toBe('x-y');
  });

  it('passes the complete body as the argument of a single unnamed parameter', async () => {
    expect((await post('sized', 'four', { 'content-type': 'text/plain' })).json).toBe(4);
    expect((await post('bytes_of', 'a\u0000b', { 'content-type': 'application/octet-stream' })).json).toBe(3);
  });

  it.each([
    ['add', { a: 1, c: 2 }, 404, 'PGRST202'],
    ['sum', {}, 404, 'PGRST202'],
    ['same', { x: 1 }, 300, 'PGRST203'],
    ['add', { a: 'one' }, 400, '22P02'],
  ])('POST %s %o returns %i %s', async (name, body, status, code) => {
    expect(await post(name, body)).toMatchObject({ status, json: { code } });
  });

  it('names the closest function and parameters in the hint', async () => {
    expect((await post('ad', { a: 1 })).json).toMatchObject({ hint: null });
    expect((await post('joind', { words: [] })).json).toMatchObject({
      hint: 'Perhaps you meant to call the function public.joined',
    });
    expect((await post('add', { a: 1, bb: 2 })).json).toMatchObject({
      message: 'Could not find the function public.add(a, bb) in the schema cache',
      hint: 'Perhaps you meant to call the function public.add(a, b)',
    });
  });

  it('accepts only GET, HEAD, POST and OPTIONS', async () => {
    expect(await app.call('DELETE', '/rpc/add')).toMatchObject({ status: 405, json: { code: 'PGRST101' } });
    expect((await app.call('OPTIONS', '/rpc/add?a=1')).headers.allow).toBe('OPTIONS,GET,HEAD,POST');
    expect((await app.call('OPTIONS', '/rpc/add')).headers.allow).toBe('OPTIONS,GET,HEAD,POST');
    expect((await app.call('OPTIONS', '/rpc/nothing')).headers.allow).toBe('OPTIONS,POST');
  });
});

describe('/rpc: results', () => {
  it.each([
    ['years', [1962, 1975]],
    ['stats', { films: 5, latest: 1999 }],
    ['rows_of?n=3&i=gt.1&select=square&order=square.desc', [{ square: 9 }, { square: 4 }]],
    ['first_film?select=id,title', { id: 1, title: 'Jeanne Dielman' }],
    ['films_of?director=2&select=title,actors(name)&year=lt.1980', [{ title: 'Cleo', actors: [{ name: 'Marchand' }] }]],
    ['films_of?director=2&select=id&order=year.desc&limit=1', [{ id: 3 }]],
  ])('returns the result of %s', async (path, expected) => {
    expect(await get(path)).toMatchObject({ status: 200, json: expected });
  });

  it('returns 204 for void', async () => {
    expect(await post('nothing')).toMatchObject({ status: 204, text: '' });
  });

  it('counts and pages rows as for a table', async () => {
    const response = await get('rows_of?n=10&limit=3&offset=2', { prefer: 'count=exact' });
    expect([response.status, response.headers['content-range']]).toEqual([206, '2-4/10']);
  });

  it('returns one row as a single object on request', async () => {
    const accept = 'application/vnd.pgrst.object+json';
    expect((await get('films_of?director=1&select=id', { accept })).json).toEqual({ id: 1 });
    expect(await get('films_of?director=2', { accept })).toMatchObject({ status: 406, json: { code: 'PGRST116' } });
  });

  it('writes nothing if the function returns more rows than max-affected', async () => {
    const prefer = 'handling=strict,max-affected=2';
    expect(await post('rename_all', {}, { prefer })).toMatchObject({ status: 400, json: { code: 'PGRST124' } });
    expect((await get('first_film?select=title')).json).toEqual({ title: 'Jeanne Dielman' });
    expect(await post('add', { a: 1 }, { prefer })).toMatchObject({ status: 400, json: { code: 'PGRST128' } });
    expect(await get('rows_of?n=3', { prefer })).toMatchObject({ status: 400, json: { code: 'PGRST124' } });
  });
});

describe('/rpc: media types', () => {
  it('returns rows as CSV, also if only some columns are selected', async () => {
    const { text, headers } = await app.call('GET', '/films?select=id,title&id=lt.3&order=id', {
      headers: { accept: 'text/csv' },
    });
    expect([headers['content-type'], text]).toEqual([
      'text/csv; charset=utf-8',
      'id,title\n1,"Jeanne Dielman"\n2,Cleo',
    ]);
    expect((await get('films_of?director=1&select=year', { accept: 'text/csv' })).text).toBe('year\n1975');
  });

  it("uses the domain of a function's result as its media type", async () => {
    const { text, headers } = await get('page', { accept: 'text/plain' });
    expect([headers['content-type'], text]).toEqual(['text/plain; charset=utf-8', 'plain 5']);
  });

  it('builds a media type from rows with an aggregate, byte by byte', async () => {
    const { text, headers } = await app.call('GET', '/films?id=lt.4&order=id', {
      headers: { accept: 'application/vnd.films' },
    });
    expect([headers['content-type'], text]).toEqual(['application/vnd.films', '1;2;3;']);
  });

  it('omits columns with null values on request', async () => {
    const headers = { accept: 'application/vnd.pgrst.array+json;nulls=stripped' };
    const { json } = await app.call('GET', '/films?select=id,year,plot&id=eq.5', { headers });
    expect(json).toEqual([{ id: 5 }]);
  });

  it('returns 406 with the requested media types if none is available', async () => {
    expect(await app.call('GET', '/films', { headers: { accept: 'image/png, text/html' } })).toMatchObject({
      status: 406,
      json: { code: 'PGRST107', message: 'None of these media types are available: image/png, text/html' },
    });
  });

  it('chooses the available media type to which Accept gives the highest weight', async () => {
    const headers = { accept: 'text/csv;q=0.5, application/json;q=0.9, image/png' };
    expect((await app.call('GET', '/films', { headers })).headers['content-type']).toMatch('application/json');
  });

  it('prefers the more specific of media types with equal weights: one with parameters, then one without, then any', async () => {
    const of = async (accept: string) =>
      (await app.call('GET', '/films?id=eq.1', { headers: { accept } })).headers['content-type'];
    const stripped = 'application/vnd.pgrst.object+json;nulls=stripped';
    expect(await of(`application/json, ${stripped}`)).toBe(`${stripped}; charset=utf-8`);
    expect(await of('*/*, text/csv')).toBe('text/csv; charset=utf-8');
  });

  it('returns the execution plan only if db_plan_enabled is set', async () => {
    const headers = { accept: 'application/vnd.pgrst.plan+json' };
    expect((await app.call('GET', '/films', { headers })).status).toBe(406);
    const open = await app.with({ db_plan_enabled: true });
    expect((await open.call('GET', '/films', { headers })).json).toMatchObject([
      { Plan: { 'Node Type': 'Aggregate' } },
    ]);
  });
});

describe('/rpc: request settings and responses of functions', () => {
  it('passes claims, request data and settings to the function', async () => {
    const with_ = await app.with({ app_settings: { 'app.colour': 'green' } });
    const { json } = await with_.call('POST', '/rpc/claims', {
      role: 'authenticated',
      claims: { sub: 'ada', nested: { a: [1] } },
      headers: { 'user-agent': 'test', cookie: 'theme=dark; other=1', prefer: 'timezone=Europe/Berlin' },
    });
    expect(json).toEqual({
      claims: { role: 'authenticated', sub: 'ada', nested: { a: [1] } },
      method: 'POST',
      path: '/rpc/claims',
      agent: 'test',
      cookie: 'dark',
      role: 'authenticated',
      app: 'green',
      zone: 'Europe/Berlin',
    });
  });

  it('uses the status and headers that the function sets', async () => {
    expect(await post('greet')).toMatchObject({
      status: 418,
      json: 'tea',
      headers: { 'x-greeting': 'hello', 'cache-control': 'no-store' },
    });
  });

  it('sends several values of one header as a list, and cookies as separate headers', async () => {
    await app.script(`create or replace function many_headers() returns void language sql as $$ select set_config('response.headers',
      '[{"Cache-Control": "public"}, {"Cache-Control": "max-age=9"}, {"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}]', true) $$`);
    const { headers, cookies } = await post('many_headers');
    expect([headers['cache-control'], cookies]).toEqual(['public, max-age=9', ['a=1', 'b=2']]);
  });

  it('rejects invalid headers of a function', async () => {
    expect(await post('bad_headers')).toMatchObject({ status: 500, json: { code: 'PGRST111' } });
    expect(await post('split_headers')).toMatchObject({ status: 500, json: { code: 'PGRST111' } });
  });

  it('returns the errors that the function raises', async () => {
    expect(await post('pay')).toMatchObject({
      status: 402,
      json: { code: 'PT402', message: 'Payment Required', details: 'Quota exceeded', hint: 'Upgrade' },
    });
    expect(await post('refuse')).toMatchObject({
      status: 332,
      headers: { 'x-why': 'so' },
      json: { code: 'F00', message: 'no', details: 'because', hint: 'ask' },
    });
    expect(await post('refuse_badly')).toMatchObject({ status: 500, json: { code: 'PGRST121' } });
    expect(await post('fail')).toMatchObject({
      status: 400,
      json: { code: 'P0001', message: 'broken', details: null, hint: 'mend it' },
    });
  });

  it("applies the function's timeout and isolation level to the complete transaction", async () => {
    expect(await post('slow')).toMatchObject({ status: 500, json: { code: '57014' } });
    expect((await post('level')).json).toBe('serializable');
    expect((await post('add', { a: 1 })).json).toBe(11);
  });

  it('cancels a statement that runs too long', async () => {
    await app.script('create or replace function nap() returns void language sql as $$ select pg_sleep(5) $$');
    const strict = await app.with({ db_statement_timeout: 30 });
    expect(await strict.call('POST', '/rpc/nap')).toMatchObject({ status: 500, json: { code: '57014' } });
  });

  it('lets db_pre_request reject a request', async () => {
    const guarded = await app.with({ db_pre_request: 'public.check_request' });
    expect((await guarded.call('GET', '/films?select=id')).status).toBe(200);
    expect(await guarded.call('GET', '/films', { headers: { 'x-blocked': '1' } })).toMatchObject({
      status: 401,
      json: { message: 'blocked' },
    });
  });
});

describe('GET /', () => {
  it('describes the objects that the role may use', async () => {
    const { status, headers, json } = await app.call('GET', '/');
    expect([status, headers['content-type']]).toEqual([200, 'application/openapi+json; charset=utf-8']);
    const document = json as { swagger: string; basePath: string; paths: object; definitions: Record<string, object> };
    expect(document).toMatchObject({ swagger: '2.0', host: 'localhost:9009', basePath: '/apps/test/rest/v1' });
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/films', '/rpc/add']));
    expect(document.definitions.films).toMatchObject({
      required: ['id', 'title', 'details', 'tags'],
      properties: {
        id: { type: 'integer', format: 'int32', description: 'Note:\nThis is a Primary Key.<pk/>' },
        title: { description: 'As on the poster' },
        tags: { type: 'array', items: { type: 'string' } },
        director_id: { description: expect.stringContaining("<fk table='directors' column='id'/>") },
      },
    });
    expect(document.definitions).not.toHaveProperty('specifications');
    const everything = await app.with({ openapi_mode: 'ignore-privileges' });
    expect((await everything.call('GET', '/')).json).toHaveProperty('definitions.specifications');
    const closed = await app.with({ openapi_mode: 'disabled' });
    expect(await closed.call('GET', '/')).toMatchObject({ status: 404, json: { code: 'PGRST126' } });
  });

  it('names the type of a parameter without its schema if the search path of the request finds the type', async () => {
    await app.script(`create schema if not exists kinds; grant usage on schema kinds to anon; drop type if exists public.color, kinds.size cascade;
      create type public.color as enum ('red'); create type kinds.size as enum ('small');
      create or replace function paint(c public.color, many public.color[], s kinds.size, n int) returns text
        language sql stable as $$ select c::text $$`);
    const formats = async (settings: object) => {
      const { json } = await (await app.with(settings)).call('GET', '/');
      const { paths } = json as { paths: Record<string, { get: { parameters: { format: string }[] } }> };
      return paths['/rpc/paint']?.get.parameters.map(({ format }) => format);
    };
    expect(await formats({})).toEqual(['color', 'color[]', 'kinds.size', 'int32']);
    expect(await formats({ db_extra_search_path: ['public', 'kinds'] })).toEqual(['color', 'color[]', 'size', 'int32']);
    expect(await formats({ openapi_mode: 'ignore-privileges' })).toEqual([
      'public.color',
      'public.color[]',
      'kinds.size',
      'int32',
    ]);
  });

  it('returns the allowed methods of a table for OPTIONS', async () => {
    expect((await app.call('OPTIONS', '/films')).headers.allow).toBe('OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE');
    expect(await app.call('POST', '/')).toMatchObject({ status: 405, json: { code: 'PGRST117' } });
  });
});

describe('Accept-Profile and Content-Profile', () => {
  it('choose the schema, and the response names it', async () => {
    await app.script(`create schema if not exists archive; create table if not exists archive.films (id int, note text);
      grant usage on schema archive to anon; grant select, insert on archive.films to anon;`);
    const both = await app.with({ db_schemas: ['public', 'archive'] });
    const { json, headers } = await both.call('GET', '/films', { headers: { 'accept-profile': 'archive' } });
    expect([json, headers['content-profile']]).toEqual([[], 'archive']);
    expect((await both.call('GET', '/films?limit=1')).headers['content-profile']).toBe('public');
    const written = { body: { id: 1 }, headers: { 'content-profile': 'archive' } };
    expect((await both.call('POST', '/films', written)).status).toBe(201);
    expect(await both.call('GET', '/films', { headers: { 'accept-profile': 'secret' } })).toMatchObject({
      status: 406,
      json: { code: 'PGRST106', message: 'Invalid schema: secret' },
    });
  });
});
