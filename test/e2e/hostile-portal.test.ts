import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { admin, createAppWith, runSql } from '../support/apps.ts';
import { clientOf, signUpMember } from '../support/clients.ts';
import { send } from '../support/http.ts';
import { type Console, openConsole } from './console.ts';

/** Markup in every form that a page could take for HTML, a link or a picture. */
const markup = [
  `"><img src=x onerror="document.title='ran'"><script>document.title='ran'</script>`,
  `<svg onload="document.title='ran'"></svg><a href="javascript:document.title='ran'">open</a>`,
  `[open](javascript:document.title='ran') [data](data:text/html,<script>1</script>) ![x](https://evil.example/x.png)`,
  '<style>* { display: none }</style><base href="https://evil.example/"><meta http-equiv="refresh" content="0">',
].join(' ');
const text = `$text$${markup}$text$`;
const short = `$text$<img src=x onerror="document.title='ran'">$text$`;
const picture = `data:image/svg+xml;base64,${Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title='ran'"><script>document.title='ran'</script></svg>`,
).toString('base64')}`;

let site: Console;
let app: AppConnection;
let other: AppConnection;
/** A server of another origin. Its page loads the URL of the query into an iframe. */
let framing: Server;

beforeAll(async () => {
  site = await openConsole();
  [app, other] = await Promise.all([
    createAppWith(
      site.node,
      `select ninefold.describe_app(name => ${short}, purpose => ${text}, audience => ${text});
       select ninefold.set_look(logo => '${picture}');
       create type public.kind as enum ($text$<img src=x onerror="document.title='ran'">$text$);
       create table public.notes (
         id int generated always as identity primary key,
         name text not null check (name <> ''),
         body text,
         kind public.kind default $text$<img src=x onerror="document.title='ran'">$text$,
         status text not null default 'open',
         begins_at timestamptz default now(),
         data jsonb default '{"<script>document.title=1</script>": "<img src=x onerror=1>"}',
         starts_at timestamptz default now(), ends_at timestamptz default now());
       comment on table public.notes is ${text};
       comment on column public.notes.name is ${text};
       comment on column public.notes.body is ${text};
       comment on constraint notes_name_check on public.notes is ${text};
       alter table public.notes enable row level security;
       create policy all_rows on public.notes to authenticated using (true) with check (true);
       grant all on public.notes to authenticated;
       insert into public.notes (name, body) values (${text}, ${text});
       select ninefold.define_machine('public.notes', 'status', 'open', '[
         {"name": "<img src=x onerror=document.title=1>", "from": ["open"], "to": "<b>closed</b>"}]');
       create function public.shout(words text) returns text language sql as 'select ${'$'}1';
       comment on function public.shout is ${text};
       grant execute on function public.shout to authenticated;
       select ninefold.define_screen('/notes', ${short}, 'list', 'public.notes', actions => array['public.shout'], home => true);
       select ninefold.label('en', ${short}, entity => 'public.notes', field => 'body', help => ${text});`,
    ),
    createAppWith(
      site.node,
      `create table public.secrets (id int primary key, name text); insert into public.secrets values (1, 'Secret of the other app');
       revoke all on public.secrets from anon;`,
    ),
  ]);
  framing = createServer((request, response) => {
    const address = new URL(request.url ?? '', 'http://localhost').searchParams.get('frame') ?? '';
    response.setHeader('content-type', 'text/html').end(`<title>thief</title><iframe src="${address}"></iframe>`);
  });
  await new Promise<void>((resolve) => framing.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await site?.close();
  await new Promise((resolve) => (framing ? framing.close(resolve) : resolve(null)));
});

/** Opens a page of an app as a member, whose session is stored as the pages store it. */
async function visitAs(of: AppConnection, path: string, session: object) {
  const visit = await site.visit(`${of.origin}/account/sign-in`, { signedIn: false });
  await visit.page.getByRole('textbox', { name: 'E-mail' }).waitFor();
  const key = `sb-${new URL(of.origin ?? '').hostname.split('.')[0]}-auth-token`;
  await visit.page.evaluate(
    ([name, value]) => localStorage.setItem(name ?? '', value ?? ''),
    [key, JSON.stringify(session)],
  );
  await visit.page.goto(`${of.origin}${path}`);
  return visit;
}

/** Checks that a page has shown its content and that nothing of it ran, leads to code, or loads from elsewhere. */
async function expectHarmless(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  await expectNothingRan(page);
}

/** Checks that nothing of the content of a page ran, leads to code, or loads from elsewhere. */
async function expectNothingRan(page: Page): Promise<void> {
  expect(await page.title()).not.toMatch(/^(?:ran|1)$/);
  const found = await page.evaluate(() => ({
    scripts: [...document.querySelectorAll('script')]
      .map((one) => one.src)
      .filter((src) => !src.startsWith(location.origin)),
    // A text may link to another site, and only a click opens it.
    targets: [...document.querySelectorAll('[href], [src], [action]')]
      .flatMap((one) => ['href', 'src', 'action'].map((name) => `${name}=${one.getAttribute(name) ?? ''}`))
      .filter((one) => /=\s*(?:javascript:|data:(?!image\/|,$))|^(?:src|action)=\s*(?:https?:)?\/\/evil/i.test(one)),
    handlers: [...document.querySelectorAll('*')].filter((one) =>
      one.getAttributeNames().some((name) => /^on/.test(name)),
    ).length,
    bases: document.querySelectorAll('base, meta[http-equiv="refresh"], main style').length,
  }));
  expect(found).toEqual({ scripts: [], targets: [], handlers: 0, bases: 0 });
}

/** A name of an object, which is shorter than the other texts. */
const objectName = `<img src=x onerror="document.title='ran'">`;

/** Creates what only the console shows: objects without a privilege, requests, a mail and sessions. */
async function fillConsole(): Promise<string> {
  await runSql(
    site.node,
    app.ref,
    `create table public."${objectName.replaceAll('"', '""')}" ("${objectName.replaceAll('"', '""')}" text);
     create policy "${objectName.replaceAll('"', '""')}" on public.notes for select to anon using (body = ${short});
     create function public."${objectName.replaceAll('"', '""')}"() returns text language plpgsql as $f$ begin raise exception ${short}; end $f$;
     comment on function public."${objectName.replaceAll('"', '""')}"() is ${text};
     select ninefold.define_role('reader', ${text});`,
  );
  const { client, user, email, password } = await signUpMember(app);
  const renamed = await client.auth.updateUser({ data: { name: markup } });
  expect(renamed.error).toBeNull();
  const headers = { apikey: app.publishable_key, 'content-type': 'application/json', 'user-agent': markup };
  const { origin, pathname } = new URL(app.url);
  const ask = async (path: string, body?: object) =>
    (await send(origin, `${pathname}${path}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }))
      .status;
  const content = {
    value: `<script>document.title='ran'</script><a href="javascript:document.title='ran'">{{ .Token }}</a>${markup}`,
  };
  await admin(site.node, 'PUT', `/apps/${app.ref}/settings/mailer_templates_recovery`, content);
  expect(await ask('/auth/v1/token?grant_type=password', { email, password })).toBe(200);
  expect(await ask('/auth/v1/recover', { email })).toBe(200);
  expect(await ask(`/rest/v1/<img/src=x/onerror="document.title='ran'">?<svg/onload=1>=eq.1`)).toBe(404);
  return user.id;
}

describe('markup in every name, comment, label and row', () => {
  it('is text in the console, even without its Content-Security-Policy', async () => {
    const user = await fillConsole();
    const { page, context } = await site.visit('/', { bypassCSP: true });
    for (const path of [
      ...['', '/purpose', '/screens?screen=/notes', '/entities?entity=public.notes', '/roles', '/calls', '/rules'],
      ...[`/users/${user}`, '/logs', '/data?table=public.notes', '/audit?kind=builders'],
    ]) {
      await page.goto(new URL(`/app/${app.ref}${path}`, site.node.url).href);
      await page
        .getByText(/document\.title=/)
        .first()
        .waitFor({ state: 'attached' });
      await expectNothingRan(page);
    }
    for (const path of ['/errors', '/settings', `/sessions?user=${user}`, '/mail?view=templates']) {
      await page.goto(new URL(`/app/${app.ref}${path}`, site.node.url).href);
      await expectHarmless(page);
    }
    await page.goto(new URL(`/app/${app.ref}/mail`, site.node.url).href);
    await page
      .getByRole('row', { name: /Reset password/ })
      .first()
      .click();
    await page.frameLocator('iframe').getByText('open', { exact: true }).first().waitFor({ state: 'attached' });
    await expectHarmless(page);
    await context.close();
  });

  it('is text on the pages before the sign-in', async () => {
    const { page, problems, context } = await site.visit(`${app.origin}/account/sign-in`, { signedIn: false });
    await expectHarmless(page);
    expect(await page.getByText("document.title='ran'").count()).toBeGreaterThan(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('is text on every screen', async () => {
    const { client, session } = await signUpMember(app);
    const { error } = await client.auth.updateUser({ data: { name: markup } });
    expect(error).toBeNull();
    const { page, problems, context } = await visitAs(app, '/notes', session);
    await page.getByRole('link', { name: '"><img src=x' }).first().waitFor();
    for (const path of [
      '/notes',
      '/notes/1',
      '/notes/new',
      '/notes/1/edit',
      '/notes/board',
      '/notes/calendar',
      '/account',
    ]) {
      await page.goto(`${app.origin}${path}`);
      await expectHarmless(page);
    }
    await page.goto(`${app.origin}/notes?search=${encodeURIComponent(markup)}`);
    await expectHarmless(page);
    expect(problems).toEqual([]);
    await context.close();
  });
});

it('a member of one app sees nothing at the pages of another', async () => {
  const { session } = await signUpMember(app);
  const { page, context } = await visitAs(other, '/secrets', session);
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
  const screens = (token: string) =>
    fetch(`${other.url}/portal/v1/screens`, { headers: { authorization: `Bearer ${token}` } });
  expect((await screens(session.access_token)).status).toBe(401);
  const { data, error } = await clientOf(other, session.access_token).from('secrets').select();
  expect([data, error?.code]).toEqual([null, expect.stringMatching(/./)]);
  expect(await page.content()).not.toContain('Secret of the other app');
  await context.close();
});

it('no other origin can frame a page', async () => {
  const { port } = framing.address() as AddressInfo;
  const { page, context } = await site.visit(`http://localhost:${port}/`, { signedIn: false });
  for (const path of ['/', '/account/sign-in', '/account/consent', '/account/continue', '/notes']) {
    await page.goto(`http://localhost:${port}/?frame=${encodeURIComponent(`${app.origin}${path}`)}`);
    await page.waitForLoadState('networkidle');
    const [, framed] = page.frames();
    expect(await framed?.evaluate(() => document.body.innerText)).not.toContain('Sign in');
  }
  await context.close();
});

describe('a member who signs in for a front end at another address', () => {
  const destination = (redirect: string) => `/account/continue?redirect_to=${encodeURIComponent(redirect)}`;

  it('returns to an allowed address with a new session for it', async () => {
    const { port } = framing.address() as AddressInfo;
    const member = await signUpMember(app);
    const client = clientOf(app);
    const { data } = await client.auth.signInWithOAuth({
      provider: 'custom:ninefold',
      options: { redirectTo: `http://localhost:${port}/welcome`, skipBrowserRedirect: true },
    });
    const { page, context } = await site.visit(data.url ?? '', { signedIn: false });
    await page.getByRole('textbox', { name: 'E-mail' }).fill(member.email);
    await page.getByRole('textbox', { name: 'Password', exact: true }).fill(member.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(/localhost:\d+\/welcome#access_token=/);
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    const [access_token, refresh_token] = ['access_token', 'refresh_token'].map((name) => fields.get(name) ?? '');
    const session = await client.auth.setSession({
      access_token: access_token ?? '',
      refresh_token: refresh_token ?? '',
    });
    expect(session.data.user?.id).toBe(member.user.id);

    // The pages are signed in too. After some time the member confirms the address.
    await runSql(
      site.node,
      app.ref,
      `update auth.users set last_sign_in_at = now() - interval '1 hour' where id = '${member.user.id}'`,
    );
    await page.goto(`${app.origin}/account`);
    await page.evaluate(() => {
      for (const [key, value] of Object.entries(localStorage)) {
        if (key.endsWith('-auth-token'))
          localStorage.setItem(key, value.replace(/"last_sign_in_at":"\d{4}/g, '"last_sign_in_at":"2020'));
      }
    });
    await page.goto(`${app.origin}${destination(`http://localhost:${port}/welcome`)}`);
    await page.getByText(`You go on to localhost:${port}`).waitFor();
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.waitForURL(/localhost:\d+\/welcome#access_token=/);
    await context.close();
  });

  it('is sent to no other address', async () => {
    const { session } = await signUpMember(app);
    const { page, context } = await visitAs(app, '/account', session);
    for (const redirect of [
      'https://evil.example/',
      '//evil.example',
      'javascript:document.title="ran"',
      'data:text/html,<script>document.title="ran"</script>',
      'http://localhost@evil.example/',
      'http://other.localhost.evil.example/',
    ]) {
      await page.goto(`${app.origin}${destination(redirect)}`);
      await page.getByText('You cannot be sent back to this address.').waitFor();
      expect(new URL(page.url()).origin).toBe(app.origin);
      expect(await page.title()).not.toBe('ran');
    }
    await context.close();
  });
});
