import type { AppConnection } from '../contract/admin.ts';
import { Connection } from '../src/database/connection.ts';
import { parseConnectionUrl } from '../src/database/connection-config.ts';
import { databaseUrl, EMAIL, makeApp, PASSWORD } from './app.ts';
import { median, number, table, WORKERS } from './figures.ts';
import { removeHome, startNode } from './node.ts';

const MEMBERS = 1_000_000;
const PER_PAGE = 50;
const CALLS = 15;

/**
 * Measures the requests of the console's page of members, and sign-ins, in an app with a million accounts. All requests
 * are sent over HTTP.
 */
export async function measureMembers(): Promise<void> {
  const node = await startNode({ workers: WORKERS });
  try {
    const { app } = await makeApp(node);
    const started = performance.now();
    await fill(await databaseUrl(node, app));
    process.stdout.write(`${number(MEMBERS)} accounts in ${number((performance.now() - started) / 1000)} s\n\n`);
    const list = (query: string) => () => call(`${app.url}/auth/v1/admin/users?per_page=${PER_PAGE}&${query}`, app);
    const last = Math.floor(MEMBERS / PER_PAGE);
    const rows: [name: string, run: (turn: number) => Promise<unknown>][] = [
      ['sign-in, with its hash', (turn) => signIn(app, turn)],
      ['first page of 50', list('page=1')],
      ['last page', list(`page=${last}`)],
      ['a page in the middle', list(`page=${Math.floor(last / 2)}`)],
      ['search by 8 characters of an address', (turn) => list(`filter=r-${100_000 + turn * 7919}`)()],
      ['search by 3 characters of an address', (turn) => list(`filter=${100 + turn}`)()],
      ['search by a domain that a third of the accounts has', list('filter=example.org')],
      ['search by a name', (turn) => list(`filter=Person ${5000 + turn * 37}`)()],
      ['sign-up, with its hash', (turn) => signUp(app, turn)],
    ];
    const lines: string[][] = [];
    for (const [name, run] of rows) {
      const times: number[] = [];
      for (let turn = 0; turn < CALLS; turn++) {
        const at = performance.now();
        await run(turn);
        times.push(performance.now() - at);
      }
      lines.push([name, `${number(median(times))} ms`, `${number(Math.max(...times))} ms`]);
    }
    table(['Call', 'Median', 'Slowest'], lines);
  } finally {
    await node.stop();
    removeHome(node.home);
  }
}

async function call(url: string, app: AppConnection, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      apikey: app.secret_key,
      authorization: `Bearer ${app.secret_key}`,
      'content-type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.json();
}

const signIn = (app: AppConnection, turn: number): Promise<unknown> =>
  call(`${app.url}/auth/v1/token?grant_type=password`, app, {
    email: `member-${500_000 + 3 * turn}@example.org`,
    password: PASSWORD,
  });

const signUp = (app: AppConnection, turn: number): Promise<unknown> =>
  call(`${app.url}/auth/v1/signup`, app, { email: `new-${turn}@example.org`, password: PASSWORD });

/**
 * Inserts the accounts, all with the hash of the first member's password. The indexes that enforce no constraint are
 * created only after that, because this takes a fraction of the time.
 */
async function fill(url: string): Promise<void> {
  const connection = await Connection.open(parseConnectionUrl(url, 'bench'), 5000);
  const run = (text: string) => connection.script(text);
  const rows = await run(`select indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index i
    where indrelid in ('auth.users'::regclass, 'auth.identities'::regclass)
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`);
  const indexes = (rows[0]?.rows ?? []).map((row) => row.map(String) as [name: string, definition: string]);
  await run(`set maintenance_work_mem = '512MB'; set max_parallel_maintenance_workers = 2`);
  await run(`drop index ${indexes.map(([name]) => name).join(', ')}`);
  await run(ACCOUNTS);
  for (const [, definition] of indexes) await run(definition);
  await run('vacuum (analyze) auth.users');
  await run('vacuum (analyze) auth.identities');
  connection.close();
}

const ACCOUNTS = `
  insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data,
    raw_user_meta_data, created_at, updated_at)
  select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
    'member-' || g || case g % 3 when 0 then '@example.com' when 1 then '@example.net' else '@example.org' end,
    m.encrypted_password, now(), '{"provider": "email", "providers": ["email"]}',
    jsonb_build_object('full_name', 'Person ' || g % 50000, 'email_verified', true),
    now() - make_interval(secs => ${MEMBERS} - g), now()
  from generate_series(1, ${MEMBERS}) g, auth.users m where m.email = '${EMAIL}';
  insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
  select u.id::text, u.id, jsonb_build_object('sub', u.id, 'email', u.email, 'email_verified', true), 'email', now(), now()
  from auth.users u where u.email like 'member-%';
`;
