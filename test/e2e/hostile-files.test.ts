import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createAppWith } from '../support/apps.ts';
import { launchChromium } from '../support/chromium.ts';
import { clientOf } from '../support/clients.ts';

/** A browser opens files that members uploaded. Each file tries to run a script and says so on the console of the browser. */
const node = inject('node');

const script = `console.log('RAN ' + self.origin); try { localStorage.setItem('ran', 'yes'); document.title = 'ran'; } catch {}`;
const html = `<!doctype html><script>${script}</script><img src=x onerror="${script.replaceAll('"', "'")}"><meta http-equiv="refresh" content="0;url=javascript:${encodeURIComponent(script)}">`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${script.replaceAll('"', "'")}"><script>${script}</script></svg>`;
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from(`=1;${script}`)]);
const jpeg = Buffer.concat([Buffer.from('ffd8ffe000104a4649460001', 'hex'), Buffer.from(html)]);

const uploads: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  'page.html': ['text/html', html],
  'charset.html': ['text/html; charset=utf-7', html],
  'upper.html': ['TEXT/HTML', html],
  'odd.html': ['text/html;', html],
  'none.html': ['', html],
  'plain.html': ['text/plain', html],
  'image.html': ['image/png', html],
  'two.html': ['image/png, text/html', html],
  'page.xhtml': [
    'application/xhtml+xml',
    `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script}</script></html>`,
  ],
  'data.xml': ['text/xml', `<x><script xmlns="http://www.w3.org/1999/xhtml">${script}</script></x>`],
  'picture.svg': ['image/svg+xml', svg],
  'paper.pdf': [
    'application/pdf',
    `%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(${script})>>>>endobj`,
  ],
  'polyglot.gif': ['image/gif', gif],
  'polyglot.jpg': ['image/jpeg', jpeg],
  'script.js': ['text/javascript', script],
  'script.mjs': ['application/javascript', script],
  'script.txt': ['text/plain', script],
  mixed: ['multipart/x-mixed-replace; boundary=b', `--b\r\ncontent-type: text/html\r\n\r\n${html}\r\n--b--`],
};

let app: AppConnection;
let context: BrowserContext;
const ran: string[] = [];
const urls: string[] = [];
let origin: string;
let close: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  app = await createAppWith(node, `insert into storage.buckets (id, name, public) values ('open', 'open', true)`);
  const files = clientOf(app, app.secret_key ?? '').storage.from('open');
  origin = `http://${app.ref}.localhost:${new URL(node.url).port}`;
  for (const [name, [contentType, body]] of Object.entries(uploads)) {
    expect((await files.upload(name, body, { contentType })).error).toBeNull();
    const signed = (await files.createSignedUrl(name, 600)).data?.signedUrl ?? '';
    const shown = files.getPublicUrl(name).data.publicUrl;
    for (const url of [shown, signed]) urls.push(url, url.replace(app.url, origin));
  }
  const browser = await launchChromium();
  close = () => browser.close();
  context = await browser.newContext();
  context.on('console', (message) => {
    if (message.text().startsWith('RAN')) ran.push(message.text());
  });
  // Pages without any policy, so that only the response of the file protects the origin.
  for (const site of [origin, node.url]) {
    await context.route(`${site}/blank`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>blank</title>' }),
    );
    await context.route(`${site}/control.js`, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    );
  }
});
afterAll(() => close());

/** Opens a page of a site without scripts. */
async function blankPage(site: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${site}/blank`);
  return page;
}

/**
 * The code of a page that loads addresses in each way in which a page can load a script or a document. It is a text, because
 * Vitest replaces `import()` in functions.
 */
const embedding = `(async (all) => {
  const loaded = (name, attributes) => new Promise((resolve) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.onload = element.onerror = resolve;
    setTimeout(resolve, 1500);
    document.documentElement.append(element);
  });
  await Promise.all(all.flatMap((address) => [
    ...['script', 'img', 'iframe', 'embed'].map((name) => loaded(name, { src: address })),
    loaded('script', { src: address, type: 'module' }),
    loaded('object', { data: address }),
    import(address).catch(() => undefined),
    new Promise((resolve) => {
      new Worker(address).onerror = resolve;
      setTimeout(resolve, 1500);
    }),
    navigator.serviceWorker?.register(address).catch(() => undefined),
  ]));
})`;

/** Lets a page embed files. Resolves when all have loaded or failed. */
const embed = (page: Page, addresses: string[]) => page.evaluate(`${embedding}(${JSON.stringify(addresses)})`);

/** Removes the service workers of a page's origin. Returns the addresses of their scripts. */
const serviceWorkersOf = (page: Page) =>
  page.evaluate(async () => {
    const registrations = (await navigator.serviceWorker?.getRegistrations()) ?? [];
    await Promise.all(registrations.map((registration) => registration.unregister()));
    return registrations.map(({ installing, waiting, active }) => (installing ?? waiting ?? active)?.scriptURL);
  });

const storageOf = (page: Page) => page.evaluate(() => localStorage.getItem('ran'));

describe('a file that a member uploaded', () => {
  it('is found out if it runs, which a script of the page itself shows', async () => {
    const page = await blankPage(origin);
    await embed(page, ['/control.js']);
    expect(ran).toContain(`RAN ${origin}`);
    await page.evaluate(() => localStorage.clear());
    expect(await serviceWorkersOf(page)).toEqual([`${origin}/control.js`]);
    ran.length = 0;
    await page.close();
  });

  it('runs nothing if a browser opens its public or signed address', async () => {
    const page = await context.newPage();
    for (const url of urls) {
      // A download rejects.
      await page.goto(url, { waitUntil: 'load', timeout: 10_000 }).catch(() => undefined);
      expect([url, await page.title().catch(() => '')]).not.toEqual([url, 'ran']);
    }
    await page.close();
    expect(ran).toEqual([]);
  });

  it.each(['the app', 'the node'])('runs nothing in a page of %s that embeds it', async (which) => {
    const site = which === 'the app' ? origin : node.url;
    const page = await blankPage(site);
    for (let first = 0; first < urls.length; first += 12) {
      await embed(page, urls.filter((url) => url.startsWith(site)).slice(first, first + 12));
    }
    expect([ran, await storageOf(page), await page.title()]).toEqual([[], null, 'blank']);
    expect(await serviceWorkersOf(page)).toEqual([]);
    await page.close();
  });
});
