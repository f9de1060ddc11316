import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { type Console, openConsole } from './console.ts';

let site: Console;
let few: AppConnection;
let many: AppConnection;
beforeAll(async () => {
  site = await openConsole();
  [few, many] = await Promise.all([appOf(3), appOf(30)]);
});
afterAll(() => site.close());

/** Creates an app with `size` members, rows, sessions, successful and failed requests, each of another member. */
async function appOf(size: number): Promise<AppConnection> {
  const id = (n: string) => `('00000000-0000-0000-0000-' || lpad(${n}::text, 12, '0'))::uuid`;
  const app = await createAppWith(
    site.node,
    `insert into auth.users (id, aud, role, email, created_at, updated_at)
       select ${id('n')}, 'authenticated', 'authenticated', 'member' || n || '@example.com', now(), now() from generate_series(1, ${size}) n;
     insert into auth.sessions (id, user_id, created_at, updated_at)
       select gen_random_uuid(), id, now(), now() from auth.users;
     create table public.projects (id int primary key, name text);
     create table public.notes (id int primary key, owner uuid references auth.users (id), project int references public.projects (id));
     insert into public.projects select n, 'project ' || n from generate_series(1, ${size}) n;
     insert into public.notes select n, ${id('n')}, n from generate_series(1, ${size}) n;
     grant all on public.notes, public.projects to authenticated;`,
  );
  const call = (path: string, member: number) =>
    fetch(`${app.url}/rest/v1${path}`, {
      headers: { apikey: app.publishable_key, authorization: `Bearer ${tokenOf(app, member)}` },
    });
  for (let member = 1; member <= size; member++) {
    expect((await call(`/notes?id=eq.${member}`, member)).status).toBe(200);
    expect((await call('/nowhere', member)).status).toBe(404);
  }
  return app;
}

function tokenOf({ jwt_secret }: AppConnection, member: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sub = `00000000-0000-0000-0000-${String(member).padStart(12, '0')}`;
  const input = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role: 'authenticated', sub })}`;
  return `${input}.${createHmac('sha256', jwt_secret).update(input).digest('base64url')}`;
}

const pages = [
  ['', 'Publishable key'],
  ['/entities', 'notes'],
  ['/roles', 'authenticated'],
  ['/calls', '/notes'],
  ['/errors', '@example.com'],
  ['/data?table=public.notes', 'project 1'],
  ['/users', '@example.com'],
  ['/sessions', '@example.com'],
  ['/logs', '@example.com'],
] as const;

/** Returns for each page the URLs that it requests until it is complete, without the app's ref. */
async function asked(app: AppConnection): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const { page, context } = await site.visit('/');
  // Requests of the list of apps must not count for the first page.
  await page.waitForLoadState('networkidle');
  let addresses = new Set<string>();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/^\/(admin|apps)\//.test(pathname)) addresses.add(`${pathname}${search}`.replaceAll(app.ref, 'REF'));
  });
  for (const [path, shows] of pages) {
    addresses = new Set();
    await page.goto(new URL(`/app/${app.ref}${path}`, site.node.url).href);
    await page.getByText(shows).first().waitFor();
    await page.waitForLoadState('networkidle');
    found.set(path, [...addresses]);
  }
  await context.close();
  return found;
}

it('no page sends more requests for 30 members and rows than for 3', async () => {
  const [ofFew, ofMany] = await Promise.all([asked(few), asked(many)]);
  for (const [path] of pages) {
    const more = ofMany.get(path) ?? [];
    expect(more.length, `${path}:\n${more.join('\n')}`).toBeLessThanOrEqual(ofFew.get(path)?.length ?? 0);
  }
});
