import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppConnection, consoleHeader } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { builder, type Cookie, makeBuilder } from '../support/builder.ts';
import { freePort } from '../support/free-port.ts';
import { type NodeAddress, startNode, type TestNode } from '../support/node.ts';
import { browse, type Console } from './console.ts';

/**
 * An app with a hostile owner, opened in the browser in which a builder is signed in. The console and the apps are
 * below one domain, so browsers treat them as one site. The node itself must therefore refuse the requests; `SameSite`
 * does not.
 */
let node: TestNode;
/** The address of the same node for requests from Node.js. */
let local: NodeAddress;
let site: Console;
let evil: AppConnection;
let victim: AppConnection;
let cookie: Cookie;

const domain = 'nine.localhost';
const name = `console.${domain}`;

const files = {
  page: `<!doctype html><title>harmless</title><script>document.title = 'ran'</script><script src="script"></script>
<body onload="document.title = 'ran'"><img src="data:," onerror="document.title = 'ran'"><iframe srcdoc="<script>top.document.title = 'ran'</script>"></iframe>
<form id="f" method="post" action="/admin/v1/session"></form><a id="link" href="javascript:document.title='ran'">open</a>`,
  script: `document.title = 'ran'; globalThis.taken = true`,
  picture: `<svg xmlns="http://www.w3.org/2000/svg" onload="document.title = 'ran'"><title>harmless</title><script>document.title = 'ran'</script></svg>`,
  worker: `addEventListener('fetch', (event) => event.respondWith(new Response('taken over')))`,
};
const types = { page: 'text/html', script: 'text/javascript', picture: 'image/svg+xml', worker: 'text/javascript' };

beforeAll(async () => {
  const port = await freePort();
  const env = { NINEFOLD_URL: `http://${name}:${port}`, NINEFOLD_DOMAIN: domain, NINEFOLD_PORT: String(port) };
  node = await startNode({ env });
  local = { ...node, url: `http://127.0.0.1:${port}` };
  cookie = { ...(await makeBuilder(local)), domain: name };
  [evil, victim] = await Promise.all([createApp(local), createApp(local)]);
  const says = (file: keyof typeof files, more = '') =>
    `create function public.${file}() returns "*/*" language sql stable as $f$
       select set_config('response.headers', '[{"Content-Type":"${types[file]}"},{"Service-Worker-Allowed":"/"},{"Set-Cookie":"taken=1; Path=/"},{"Content-Security-Policy":"script-src * ''unsafe-inline''"}${more}]', true);
       select convert_to($text$${files[file]}$text$, 'utf8')::"*/*" $f$;`;
  await runSql(
    local,
    evil.ref,
    `create domain public."*/*" as bytea;
     ${says('page')} ${says('script')} ${says('picture')} ${says('worker')}
     create function public.download() returns "*/*" language sql stable as $f$
       select set_config('response.headers', '[{"Content-Type":"text/html"},{"Content-Disposition":"attachment; filename=\\"page.html\\""}]', true);
       select convert_to($text$${files.page}$text$, 'utf8')::"*/*" $f$;`,
  );
  await runSql(
    local,
    victim.ref,
    `create table public.notes (id int primary key, text text); insert into public.notes values (1, 'mine');
     create function public.forget() returns void language sql as 'delete from public.notes';`,
  );
  site = await browse(node, cookie);
});
afterAll(async () => {
  await site?.close();
  await node?.stop();
});

const path = (file: string) => `/apps/${evil.ref}/rest/v1/rpc/${file}`;
const notes = async () => (await runSql(local, victim.ref, 'select text from public.notes')).results.at(-1)?.rows;

/** Waits until a page has had time to run its scripts. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
}

const visitOwn = async (context: BrowserContext, file: string): Promise<Page> => {
  const page = await context.newPage();
  await page.goto(`${evil.origin}/rest/v1/rpc/${file}`);
  await settle(page);
  return page;
};

describe('replies on the node’s origin', () => {
  it.each(['page', 'picture'])(
    'a %s of the app is shown on the node’s origin without its scripts, which run only on the app’s own origin',
    async (file) => {
      const { page, context } = await site.visit('/');
      await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
      const reported: string[] = [];
      page.on('console', (message) => reported.push(message.text()));
      await page.goto(new URL(path(file), node.url).href);
      await settle(page);
      expect(await page.title()).toBe('harmless');
      expect(reported.join('\n')).toContain('sandboxed');
      expect((await context.cookies()).map((each) => each.name)).toEqual([cookie.name]);
      const own = await visitOwn(context, file);
      expect(await own.title()).toBe('ran');
      await context.close();
    },
  );

  it('gives a page of the app an opaque origin, without access to the console’s session and storage', async () => {
    const { page, context } = await site.visit('/sign-in', { signedIn: false });
    await page.goto(new URL(path('page'), node.url).href);
    const { origin, storage } = await page.evaluate(() => {
      try {
        return { origin: self.origin, storage: String(localStorage.length) };
      } catch (error) {
        return { origin: self.origin, storage: (error as Error).name };
      }
    });
    expect([origin, storage]).toEqual(['null', 'SecurityError']);
    await page.locator('#link').click();
    await settle(page);
    expect(await page.title()).toBe('harmless');
    await context.close();
  });

  it('runs no script of the app in the console, even without the console’s Content-Security-Policy', async () => {
    for (const bypassCSP of [false, true]) {
      const { page, problems, context } = await site.visit('/', { bypassCSP });
      await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
      const outcome = await page.evaluate(
        (src) =>
          new Promise((resolve) => {
            const script = document.createElement('script');
            script.onload = () => resolve('loaded');
            script.onerror = () => resolve('refused');
            script.src = src;
            document.body.append(script);
          }),
        path('script'),
      );
      expect([bypassCSP, outcome, await page.evaluate(() => 'taken' in globalThis)]).toEqual([
        bypassCSP,
        'refused',
        false,
      ]);
      if (!bypassCSP) expect(problems).toContainEqual(expect.stringMatching(/^uncaught: CSP script-src/));
      await context.close();
    }
  });

  it('starts no worker of the app and registers no service worker', async () => {
    for (const bypassCSP of [false, true]) {
      const { page, context } = await site.visit('/', { bypassCSP });
      await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
      const outcomes = await page.evaluate(async (url) => {
        const registered = (scope?: string) =>
          navigator.serviceWorker.register(url, scope === undefined ? {} : { scope }).then(
            () => 'registered',
            () => 'refused',
          );
        const started = (make: () => Worker | SharedWorker) =>
          new Promise<string>((resolve) => {
            try {
              make().onerror = () => resolve('refused');
            } catch {
              resolve('refused');
            }
          });
        return [
          await registered('/'),
          await registered(),
          await started(() => new Worker(url)),
          await started(() => new SharedWorker(url)),
          (await navigator.serviceWorker.getRegistrations()).length,
        ];
      }, path('worker'));
      expect([bypassCSP, ...outcomes]).toEqual([bypassCSP, 'refused', 'refused', 'refused', 'refused', 0]);
      await context.close();
    }
    const { context } = await site.visit('/');
    const own = await visitOwn(context, 'page');
    const registered = await own.evaluate(async () => {
      await navigator.serviceWorker.register('/rest/v1/rpc/worker', { scope: '/' });
      return (await navigator.serviceWorker.getRegistrations()).length;
    });
    expect(registered).toBe(1);
    await context.close();
  });

  it('saves a download of the app as a file, and runs nothing of it', async () => {
    const { page, context } = await site.visit('/');
    await page.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
    const title = await page.title();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.evaluate((url) => {
        location.href = url;
      }, path('download')),
    ]);
    expect(download.suggestedFilename()).toBe('page.html');
    expect(await page.title()).toBe(title);
    await context.close();
  });
});

describe('requests from the app’s own origin to the node', () => {
  it('lets a page of the app read and change nothing with the builder’s credentials', async () => {
    const { context } = await site.visit('/');
    const page = await visitOwn(context, 'page');
    const calls = await page.evaluate(
      async ({ admin, ref, header }) => {
        const outcome = async (url: string, init: RequestInit) => {
          try {
            const answer = await fetch(url, { credentials: 'include', ...init });
            return answer.type === 'opaque' ? 'unreadable' : await answer.text();
          } catch {
            return 'refused';
          }
        };
        const sql = JSON.stringify({ sql: 'delete from public.notes' });
        const asText = { 'content-type': 'text/plain' };
        return [
          await outcome(`${admin}/apps`, {}),
          await outcome(`${admin}/apps`, { headers: { [header]: '1' } }),
          await outcome(`${admin}/apps/${ref}/connection`, { mode: 'no-cors' }),
          await outcome(`${admin}/apps/${ref}/sql`, { method: 'POST', body: sql, mode: 'no-cors', headers: asText }),
          await outcome(`${admin}/apps/${ref}/sql`, {
            method: 'POST',
            body: sql,
            headers: { ...asText, [header]: '1' },
          }),
          await outcome(`${admin}/apps/${ref}/rest/v1/notes`, {}),
          await outcome(`${admin}/apps/${ref}/rest/v1/notes?id=eq.1`, { method: 'DELETE', headers: { [header]: '1' } }),
          await outcome(`${admin}/apps/${ref}/rest/v1/rpc/forget`, { method: 'POST', mode: 'no-cors' }),
          await outcome(`${admin}/session`, { method: 'DELETE', headers: { [header]: '1' } }),
        ];
      },
      { admin: `${node.url}/admin/v1`, ref: victim.ref, header: consoleHeader },
    );
    expect([...new Set(calls)].sort()).toEqual(['refused', 'unreadable'].filter((each) => calls.includes(each)));
    expect(await notes()).toEqual([['mine']]);
    await context.close();
  });

  it('refuses forms to the management API although the browser sends the cookie, and shows no image of the console', async () => {
    const { page: seen, context } = await site.visit('/');
    await seen.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
    const page = await visitOwn(context, 'page');
    const answers: [string, number, boolean][] = [];
    page.on('response', async (response) => {
      const { pathname } = new URL(response.url());
      if (!pathname.startsWith('/admin/')) return;
      const sent = (await response.request().allHeaders()).cookie ?? '';
      answers.push([
        `${response.request().method()} ${pathname}`,
        response.status(),
        sent.includes('ninefold_builder'),
      ]);
    });
    const adminPath = `/admin/v1/apps/${victim.ref}`;
    const submit = async (method: string, to: string, name: string, value: string) => {
      await page.goto(`${evil.origin}/rest/v1/rpc/page`);
      await Promise.all([
        page.waitForURL(`${node.url}/**`),
        page.evaluate(
          (form) => {
            const element = Object.assign(document.createElement('form'), { method: form.method, action: form.action });
            element.enctype = 'text/plain';
            element.append(Object.assign(document.createElement('input'), { name: form.name, value: form.value }));
            document.body.append(element);
            element.submit();
          },
          { method, action: `${node.url}${to}`, name, value },
        ),
      ]);
    };
    await submit('post', `${adminPath}/sql`, '{"sql":"delete from public.notes","x":"', '"}');
    await submit('post', `${adminPath}/rest/v1/rpc/forget`, '{"x":"', '"}');
    await submit('get', `${adminPath}/rest/v1/notes`, 'id', 'eq.1');
    await submit('get', `${adminPath}/connection`, 'x', '1');
    await submit('post', '/admin/v1/session', '{"email":"evil@example.com","password":"', '"}');
    await page.goto(`${evil.origin}/rest/v1/rpc/page`);
    const picture = await page.evaluate(
      (src) =>
        new Promise((resolve) => {
          const image = new Image();
          image.onload = () => resolve('shown');
          image.onerror = () => resolve('refused');
          image.src = src;
        }),
      `${node.url}/assets/mark.svg`,
    );
    expect(picture).toBe('refused');
    await expect
      .poll(() => answers)
      .toEqual([
        [`POST ${adminPath}/sql`, 403, true],
        [`POST ${adminPath}/rest/v1/rpc/forget`, 403, true],
        [`GET ${adminPath}/rest/v1/notes`, 403, true],
        [`GET ${adminPath}/connection`, 403, true],
        ['POST /admin/v1/session', 403, true],
      ]);
    expect(await notes()).toEqual([['mine']]);
    await context.close();
  });

  it('lets no page frame, open or read a page of the console', async () => {
    const { context } = await site.visit('/');
    const page = await visitOwn(context, 'page');
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((url) => {
        Object.assign(globalThis, { held: open(url) });
      }, node.url),
    ]);
    await opened.getByRole('heading', { name: 'Which apps run here?' }).waitFor();
    expect(await page.evaluate(() => (globalThis as unknown as { held: Window }).held.closed)).toBe(true);
    const framed = await page.evaluate(
      (src) =>
        new Promise<string>((resolve) => {
          const frame = document.createElement('iframe');
          frame.onload = () => {
            try {
              resolve(String(frame.contentDocument?.title));
            } catch (error) {
              resolve((error as Error).name);
            }
          };
          frame.src = src;
          document.body.append(frame);
        }),
      node.url,
    );
    expect(framed).not.toContain('Ninefold');
    await context.close();
  });

  it('ignores a session cookie that the app sets for the whole domain', async () => {
    const { page: console_, context } = await site.visit('/');
    await console_.getByRole('button', { name: `Signed in as ${builder.name}` }).waitFor();
    const page = await visitOwn(context, 'page');
    await page.evaluate((set) => cookieStore.set(set), {
      ...{ name: cookie.name, value: 'of-the-attacker', domain, path: '/admin' },
    });
    expect(await context.cookies(`${node.url}/admin/`)).toHaveLength(2);
    const answer = console_.waitForResponse((response) => response.url().endsWith('/admin/v1/session'));
    await console_.reload();
    expect(await (await answer).json()).toMatchObject({ code: 'session_ambiguous' });
    await console_.getByText('The browser sent two different cookies of a builder’s session.').waitFor();
    await context.close();
  });
});
