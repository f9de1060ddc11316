import { beforeAll, describe, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, createTemplate, runSql } from '../support/apps.ts';
import { send } from '../support/http.ts';
import { probeOf } from '../support/probe.ts';
import { uniqueEmail } from '../support/unique.ts';

/** A trigger of the app runs within sign-up, sign-in and a probe. Each error must name a reason. */
const node = inject('node');
/** The apps that no test uses: one for each test that Vitest runs at the same time. */
const free: AppConnection[] = [];
/** Vitest's `maxConcurrency`. */
const AT_THE_SAME_TIME = 5;

const bites = (body: string) =>
  `create or replace function public.bite() returns trigger language plpgsql as $$ begin ${body}; return new; end $$;`;

beforeAll(async () => {
  const { ref } = await createTemplate(
    node,
    `create table public.notes (id int primary key, owner uuid default auth.uid());
     alter table public.notes enable row level security;
     create policy own on public.notes to authenticated using (owner = auth.uid());
     create function public.again(n int) returns int language plpgsql as $$ begin return public.again(n + 1); end $$;
     ${bites('null')}
     create trigger bite before insert or update on auth.users for each row execute function public.bite();
     create trigger bite before insert or update on public.notes for each row execute function public.bite()`,
  );
  for (let i = 0; i < AT_THE_SAME_TIME; i++) free.push(await createApp(node, { from: ref }));
});

const states = [
  'P0001',
  '00000',
  '40001',
  '40P01',
  '53300',
  '54001',
  '55P03',
  '57014',
  '57P01',
  '08006',
  'XX000',
  'XX001',
  '25006',
];
const bodies: [string, string][] = [
  ...states.map((state): [string, string] => [
    `raises ${state}`,
    state === '00000'
      ? `raise exception 'x' using errcode = 'successful_completion'`
      : `raise exception 'said by the app' using errcode = '${state}'`,
  ]),
  ['raises an SQLSTATE that no standard defines', `raise exception 'said by the app' using errcode = 'ZZZZZ'`],
  ['raises without a message', `raise exception using errcode = 'P0001', message = ''`],
  ['raises a message of a megabyte', `raise exception '%', repeat('x', 1000000)`],
  ['divides by zero', 'perform 1 / 0'],
  ['calls itself endlessly', 'perform public.again(1)'],
  ['reads a missing table', 'perform 1 from public.nowhere'],
  ['changes the role', `perform set_config('role', 'anon', true)`],
  ['changes the role to the login role', `perform set_config('role', 'none', true)`],
  ['empties the search path', `perform set_config('search_path', 'pg_temp', true)`],
  ['makes the transaction read only', `perform set_config('transaction_read_only', 'on', true)`],
  ['switches row security off', `perform set_config('row_security', 'off', true)`],
  [
    'changes the format of dates',
    `perform set_config('datestyle', 'SQL, DMY', true), set_config('intervalstyle', 'iso_8601', true), set_config('bytea_output', 'escape', true)`,
  ],
  ['changes the encoding', `perform set_config('client_encoding', 'LATIN1', true)`],
  ['sets a statement timeout', `perform set_config('statement_timeout', '1', true); perform pg_sleep(0.05)`],
  [
    'nests metadata deeply',
    `if tg_table_name = 'users' then new.raw_user_meta_data := ('{"x":' || repeat('[', 5500) || repeat(']', 5500) || '}')::jsonb; end if`,
  ],
  ['sets the row to null', 'new := null'],
  ['ends the connection', 'perform pg_terminate_backend(pg_backend_pid())'],
];

const post = (app: AppConnection, path: string, body: object) =>
  send(node.url, `/apps/${app.ref}${path}`, {
    method: 'POST',
    headers: { apikey: app.anon_key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Runs work with an app that no other test uses meanwhile. */
async function withApp(work: (app: AppConnection) => Promise<void>): Promise<void> {
  const app = free.pop();
  if (!app) throw new Error('more tests run at the same time than there are apps');
  await work(app).finally(() => free.push(app));
}

describe.concurrent.each(bodies)('a trigger that %s', (what, body) => {
  it('causes no server error in sign-up, sign-in and a probe', ({ expect }) =>
    withApp(async (app) => {
      await runSql(node, app.ref, bites('null'));
      const before = { email: uniqueEmail(), password: 'correct horse battery' };
      expect((await post(app, '/auth/v1/signup', before)).status).toBe(200);
      await runSql(node, app.ref, bites(body));
      for (const [path, sent] of [
        ['/auth/v1/signup', { email: uniqueEmail(), password: 'correct horse battery' }],
        ['/auth/v1/token?grant_type=password', before],
        ['/auth/v1/signup', {}],
      ] as const) {
        const response = await post(app, path, sent);
        const code =
          response.status < 400 ? 'done' : (JSON.parse(response.body).error_code ?? JSON.parse(response.body).code);
        expect([what, path, response.status, code, response.body], response.body).not.toContain('internal');
      }
      const { cells } = await probeOf(node, app.ref);
      expect(cells.length).toBeGreaterThan(0);
    }));
});
