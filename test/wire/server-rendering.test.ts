import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { startSite } from '../../examples/server-rendering/server.ts';
import { createAppWith } from '../support/apps.ts';
import { clientOf } from '../support/clients.ts';
import { uniqueEmail } from '../support/unique.ts';

/** Runs the example of docs/server-rendering.md: a site that renders pages on a server, with the session in cookies. */
const node = inject('node');
const password = 'correct horse battery';
const email = uniqueEmail();
let app: AppConnection;

/** The stock client needs a WebSocket class although the site opens none; Node.js provides one from version 22 on. */
globalThis.WebSocket ??= class {} as unknown as typeof globalThis.WebSocket;

let server: Server;
let site: string;

beforeAll(async () => {
  app = await createAppWith(
    node,
    `create table public.notes (id int primary key, body text, owner uuid default auth.uid());
     alter table public.notes enable row level security;
     create policy own on public.notes to authenticated using (owner = (select auth.uid()));`,
  );
  const member = clientOf(app);
  expect((await member.auth.signUp({ email, password })).error).toBeNull();
  expect((await member.from('notes').insert({ id: 1, body: 'Buy bread' })).error).toBeNull();
  await member.auth.signOut();
  server = await startSite({ url: app.url, key: app.publishable_key ?? '' }, 0);
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server?.close());

/** Returns the cookies of a browser after a response. */
function after(cookies: ReadonlyMap<string, string>, response: Response): Map<string, string> {
  const next = new Map(cookies);
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '' || /max-age=0/i.test(line)) next.delete(name);
    else next.set(name, value);
  }
  return next;
}

/** Returns the cookies with an expired access token: the client reads the expiry time from the cookie. */
function expired(cookies: ReadonlyMap<string, string>): Map<string, string> {
  const parts = [...cookies].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  const value = parts.map(([, part]) => decodeURIComponent(part)).join('');
  const session = JSON.parse(Buffer.from(value.replace('base64-', ''), 'base64url').toString());
  const text = JSON.stringify({ ...session, expires_at: 1 });
  const name = parts[0]?.[0].replace(/\.0$/, '') ?? '';
  return new Map([[name, `base64-${Buffer.from(text).toString('base64url')}`]]);
}

const headerOf = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

const get = (cookies: ReadonlyMap<string, string>): Promise<Response> =>
  fetch(site, { headers: { cookie: headerOf(cookies) } });

const post = (path: string, cookies: ReadonlyMap<string, string>, form: Record<string, string> = {}) =>
  fetch(site + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: headerOf(cookies) },
    body: new URLSearchParams(form),
  });

const sessions = async (): Promise<number> => {
  const { data } = await clientOf(app).auth.signInWithPassword({ email, password });
  const response = await fetch(`${app.url}/auth/v1/sessions`, {
    headers: { apikey: app.publishable_key ?? '', authorization: `Bearer ${data.session?.access_token}` },
  });
  const { sessions: all } = (await response.json()) as { sessions: unknown[] };
  await fetch(`${app.url}/auth/v1/logout?scope=local`, {
    method: 'POST',
    headers: { apikey: app.publishable_key ?? '', authorization: `Bearer ${data.session?.access_token}` },
  });
  return all.length - 1;
};

it('a browser keeps one session if concurrent requests all refresh it, whichever response the browser keeps', async () => {
  const none = new Map<string, string>();
  expect(await (await get(none)).text()).toContain('Please sign in.');
  const signedIn = await post('/sign-in', none, { email, password });
  expect(signedIn.status).toBe(303);
  const cookies = expired(after(none, signedIn));
  const responses = await Promise.all(Array.from({ length: 12 }, () => get(cookies)));
  for (const response of responses) expect(await response.clone().text()).toContain('Buy bread');
  const kept = responses.map((response) => after(cookies, response));
  expect(kept.every((one) => headerOf(one) !== headerOf(cookies))).toBe(true);
  for (const later of kept) expect(await (await get(later)).text()).toContain('Buy bread');
  expect(await (await get(expired(kept[3] ?? none))).text()).toContain('Buy bread');
  expect(await sessions()).toBe(1);

  const out = await post('/sign-out', kept.at(-1) ?? none);
  expect(await (await get(after(kept.at(-1) ?? none, out))).text()).toContain('Please sign in.');
  expect(await sessions()).toBe(0);
});

it('responses that set cookies are marked as private', async () => {
  const signedIn = await post('/sign-in', new Map(), { email, password });
  const response = await get(expired(after(new Map(), signedIn)));
  expect(response.headers.getSetCookie().length).toBeGreaterThan(0);
  expect(response.headers.get('cache-control')).toMatch(/private|no-store/);
});
