import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CallDetail } from '../../../../../contract/call-detail.ts';
import { defaultAuthSettings } from '../../../../../contract/settings-auth.ts';
import type { CallEntry } from '../../../../../contract/specification-calls.ts';
import { type AppDatabase, startAppDatabase } from '../../../../../test/support/app-database.ts';
import { makeTestFolder } from '../../../../../test/support/test-folder.ts';
import { loadFacts } from '../../../../catalog/facts.ts';
import { idOf } from '../../../../catalog/names.ts';
import { fieldExamples, typeExamples } from '../../../render/types/examples.ts';
import { deriveSpecification } from '../../specification.ts';
import { allowsCall, callExample } from './call-example.ts';
import type { CallExpression } from './call-expression.ts';
import { snippets } from './snippets.ts';

/** The parts of a request that must be the same in all three forms of a snippet: supabase-js, curl and fetch. */
interface Request {
  method: string;
  path: string;
  query: string[];
  body: unknown;
  schema: string | undefined;
}

let server: Server;
let database: AppDatabase;
let folder: string;
let calls: { call: CallEntry; example: CallExpression; made: CallDetail['snippets'] }[];
let withOtherFirst: CallExpression[];
const received: Request[] = [];

const read = (method: string, address: string, body: string, headers: Record<string, string | undefined>): Request => {
  const url = new URL(address, 'http://server');
  return {
    method,
    path: decodeURIComponent(url.pathname),
    query: [...url.searchParams].map(([name, value]) => `${name}=${value}`).sort(),
    body: body === '' ? null : JSON.parse(body),
    schema: [headers['accept-profile'], headers['content-profile']].find(
      (name) => name !== undefined && name !== 'public',
    ),
  };
};

beforeAll(async () => {
  // Browsers have a global WebSocket, which supabase-js needs for its realtime client.
  Object.assign(globalThis, { WebSocket });
  folder = await makeTestFolder('snippets');
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const headers = request.headers as Record<string, string | undefined>;
    received.push(read(request.method ?? '', request.url ?? '', body, headers));
    const session = {
      access_token: 'a.b.c',
      refresh_token: 'r',
      token_type: 'bearer',
      expires_in: 3600,
      user: { id: '1' },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url?.startsWith('/auth/v1/token') ? session : []));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  database = await startAppDatabase('snippets');
  await database.as('app_owner').script(`
    create schema other; grant usage on schema other, public to anon, authenticated, service_role;
    create table public.notes (id bigint generated always as identity primary key, title text not null, done boolean default false);
    create table public."it's | \`a\`\n""b"" \\ $HOME" ("key, 1" uuid, "it's" jsonb not null, primary key ("key, 1"));
    create table other.things (a int, b int, c int, primary key (a, b));
    create table public.hidden (id int primary key, word text);
    create type public.mood as enum ('calm', 'cross'); create domain public.code as char(3) check (value like 'A%');
    create type public.place as (street text, zip int);
    create table public.teams (id int primary key);
    create table public.ruled (
      id int generated always as identity primary key, team int references public.teams, stage text not null check (stage in ('new', 'old')),
      url text not null check (url like 'https://%'), email text not null check (email ~ '@.+[.]'), title text not null check (char_length(title) between 8 and 20),
      short varchar(3) not null, size int not null check (size >= 10), country char(2) not null check (country ~ '^[A-Z]{2}$'),
      slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'), phone text not null check (phone ~ '^\\+[1-9]\\d{5,14}$'),
      color text not null check (color ~ '^#[0-9a-f]{6}$'), reply text not null check (reply ~ '^[^@ ]+@[^@ ]+[.][a-z]{2,}$'), mood public.mood not null, code public.code not null, place public.place not null,
      tags text[] not null check (tags <@ array['a', 'b'] and cardinality(tags) > 0), sizes int[] not null check (array_length(sizes, 1) between 2 and 3),
      loud text not null check (loud = upper(loud)), list jsonb not null check (jsonb_typeof(list) = 'array'), bits bit(4) not null,
      begins timestamptz not null, ends timestamptz not null check (ends > begins), of int not null references public.teams);
    create view public.shown as select id, title from public.notes; grant all on public.ruled, public.shown to anon;
    create function public.feel(mood public.mood, code public.code, at public.ruled) returns text language sql as 'select mood::text';
    create function public.add(a int, b int default 1) returns int language sql immutable as 'select a + b';
    create function public.place_of(place public.place, team public.teams) returns text language sql stable as 'select place.street';
    create function public.sum_of(variadic numbers int[]) returns int language sql stable as 'select 1';
    create function public.most(numbers int[]) returns int language sql stable as 'select max(n) from unnest(numbers) n';
    create function public.log(entry jsonb) returns void language sql as 'select 1';
    create function public.whole(json) returns json language sql as 'select $1';
    grant all on public.notes to anon; grant all on public."it's | \`a\`\n""b"" \\ $HOME" to authenticated;
    grant all on other.things to anon; grant select (word) on public.hidden to authenticated;`);
  const facts = await loadFacts(database.as('app_owner'), {
    exposedSchemas: ['public', 'other'],
    authenticator: 'app_authenticator',
  });
  const { port } = server.address() as AddressInfo;
  const { chapters } = deriveSpecification(facts, {
    ref: 'x',
    name: 'X',
    authSettings: defaultAuthSettings,
  });
  withOtherFirst = [];
  const app = { url: `http://127.0.0.1:${port}`, publishableKey: 'sb_publishable_x' };
  calls = (chapters.calls?.calls ?? [])
    .filter(({ area }) => area === 'rest' || area === 'rpc')
    .map((call) => {
      const entities = chapters.entities?.entities ?? [];
      const rules = chapters.rules?.rules ?? [];
      const entity = entities.find(({ id }) => id === call.entity);
      const types = call.parameters?.map(({ type }) => type) ?? [];
      const reach = {
        entity,
        cells: chapters.roles?.cells.filter((cell) => allowsCall(cell, call)) ?? [],
        examples: new Map(
          entity
            ? fieldExamples(
                entity,
                rules.filter((rule) => rule.entity === entity.id),
              )
            : typeExamples(types, entities, rules),
        ),
        routine: facts.routines.find((routine) => idOf(routine) === call.entity),
      };
      const example = callExample(call, { ...reach, defaultSchema: 'public' });
      if (entity) withOtherFirst.push(callExample(call, { ...reach, defaultSchema: 'other' }));
      return { call, example, made: snippets(app, call, example) };
    });
}, 60_000);

afterAll(async () => {
  await database?.stop();
  server?.close();
  server?.closeAllConnections();
  await rm(folder, { recursive: true });
});

/** Runs a snippet as a program and returns the last request that it sends. */
async function runProgram(name: string, source: string): Promise<Request | undefined> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, source.replaceAll('console.log', 'void'));
  received.length = 0;
  await import(pathToFileURL(file).href);
  return received[received.length - 1];
}

/** Lets a shell parse the command, and returns the request that curl would send. */
async function runShell(command: string): Promise<Request> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`]);
  const words = stdout.split('\0').slice(0, -1);
  const after = (flag: string) => words.flatMap((word, i) => (word === flag ? [words[i + 1] ?? ''] : []));
  const headers = Object.fromEntries(
    after('-H').map((line) => [line.split(': ')[0]?.toLowerCase(), line.split(': ')[1]]),
  );
  const address = words.find((word) => word.startsWith('http://')) ?? '';
  return read(after('-X')[0] ?? 'GET', address, after('--data-binary')[0] ?? '', headers);
}

/** Returns the body that the snippet of a call sends. */
const bodyOf = (id: string) => JSON.parse(calls.find(({ call }) => call.id === id)?.example.body?.text ?? 'null');

it('the query passes rows and lists of any length to functions in the notation of PostgreSQL', async () => {
  const queries = calls.flatMap(({ call, example }) =>
    /place_of|sum_of/.test(call.id) && call.method === 'GET' ? [example.query] : [],
  );
  expect(queries.map(decodeURIComponent)).toEqual(['place=(,)&team=()', 'numbers=1']);
  await database.as('app_owner').script("select public.place_of('(,)', '()'), public.sum_of(1)");
});

it('a comment above the call names the row that a value references', () => {
  const made = calls.find(({ call }) => call.id === 'rest.public.ruled.insert')?.made;
  expect(made?.curl).toMatch(/^# of: the id of a row in public\.teams\ncurl /);
  expect(made?.fetch).toMatch(/^\/\/ of: the id of a row in public\.teams\nconst response/);
  expect(made?.supabase_js).toContain('// of: the id of a row in public.teams\nconst { data, error }');
});

it('an example has values that satisfy the rules of fields and arguments', async () => {
  const row = bodyOf('rest.public.ruled.insert');
  const columns = Object.keys(row).join(', ');
  await database.as('app_owner').script(`insert into public.teams values (${row.of})`);
  await database
    .as('app_owner')
    .script(
      `insert into public.ruled (${columns}) select ${columns} from json_populate_record(null::public.ruled, '${JSON.stringify(row)}')`,
    );
  const given = bodyOf('rpc.public.feel(public.mood, public.code, public.ruled)');
  expect(given).toEqual({
    mood: 'calm',
    code: row.code,
    at: Object.fromEntries(Object.keys(given.at).map((name) => [name, null])),
  });
  expect(Object.keys(given.at)).toEqual(expect.arrayContaining(Object.keys(row)));
  // The example omits the key, because the base table generates it. It also omits references, because the referenced
  // rows may not exist.
  expect(Object.keys(bodyOf('rest.public.shown.insert'))).toEqual(['title']);
  expect(bodyOf('rest.public.ruled.update')).toEqual({ stage: 'new' });
});

it('the snippet for supabase-js sets the schema unless it is public, wherever public is in the list of exposed schemas', () => {
  const reported = withOtherFirst.map(({ expression, headers }) => [
    /\.schema\('(\w+)'\)/.exec(expression ?? '')?.[1],
    Object.values(headers)[0],
  ]);
  expect(new Set(reported.map(String))).toEqual(new Set(['other,', ',public']));
});

it('supabase-js, fetch and curl send the same request, whatever the names of the objects are', async () => {
  expect(calls.length).toBeGreaterThanOrEqual(17);
  for (const [index, { call, made }] of calls.entries()) {
    const fetched = await runProgram(`fetch-${index}`, made.fetch);
    expect(fetched, made.fetch).toMatchObject({
      method: call.method,
      path: decodeURIComponent(call.path),
    });
    expect(await runShell(made.curl), made.curl).toEqual(fetched);
    expect(await runProgram(`supabase-${index}`, made.supabase_js), made.supabase_js).toEqual(fetched);
  }
}, 60_000);
