import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CallDetail } from '../../contract/call-detail.ts';
import { defaultAuthSettings } from '../../contract/settings-auth.ts';
import type { CallEntry } from '../../contract/specification-calls.ts';
import { type AppDatabase, startAppDatabase } from '../../test/support/app-database.ts';
import { makeTestFolder } from '../../test/support/test-folder.ts';
import { callExample, letsMake } from './call-example.ts';
import { loadFacts } from './facts.ts';
import { idOf } from './names.ts';
import { snippets } from './snippets.ts';
import { deriveSpecification } from './specification.ts';

/** What reached the server, as far as the three forms of a call must agree on it. */
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
let calls: { call: CallEntry; made: CallDetail['snippets'] }[];
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
  // As in a browser: supabase-js wants one for its realtime client.
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
    create function public.add(a int, b int default 1) returns int language sql immutable as 'select a + b';
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
  const app = { url: `http://127.0.0.1:${port}`, publishableKey: 'sb_publishable_x' };
  calls = (chapters.calls?.calls ?? [])
    .filter((call) => call.area !== 'auth')
    .map((call) => {
      const example = callExample(call, {
        entity: chapters.entities?.entities.find((entity) => entity.id === call.entity),
        cells: chapters.roles?.cells.filter((cell) => letsMake(cell, call)) ?? [],
        routine: facts.routines.find((routine) => idOf(routine) === call.entity),
        defaultSchema: 'public',
      });
      return { call, made: snippets(app, call, example) };
    });
}, 60_000);

afterAll(async () => {
  await database?.stop();
  server?.close();
  server?.closeAllConnections();
  await rm(folder, { recursive: true });
});

/** Runs a snippet as the program that it is, and returns the last request that it made. */
async function runProgram(name: string, source: string): Promise<Request | undefined> {
  const file = join(folder, `${name}.mjs`);
  await writeFile(file, source.replaceAll('console.log', 'void'));
  received.length = 0;
  await import(pathToFileURL(file).href);
  return received[received.length - 1];
}

/** Lets a shell read the command, and returns the request that curl would make of its words. */
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

it('a snippet does what it says, alike with supabase-js, fetch and curl, whatever the names are', async () => {
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
