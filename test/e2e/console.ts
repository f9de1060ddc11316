import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { inject } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, createTemplate, runSql } from '../support/apps.ts';
import { type Cookie, proveBuilder } from '../support/builder.ts';
import { launchChromium } from '../support/chromium.ts';
import { type Member, signUpMember } from '../support/clients.ts';
import type { NodeAddress } from '../support/node.ts';

export const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** A page of the console in a browser, with all problems that the browser reports. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the browser's console, uncaught exceptions, and violations of the CSP. */
  readonly problems: string[];
}

/**
 * Opens a page of the console. If the node has a builder, the browser is signed in as the builder, unless `signedIn` is
 * false.
 */
export type Visiting = (path: string, options?: BrowserContextOptions & { signedIn?: boolean }) => Promise<Visit>;

/** A browser with a function that opens pages of a node's console. */
export interface Console {
  readonly node: NodeAddress;
  readonly visit: Visiting;
  close(): Promise<void>;
}

/**
 * Opens the console of the shared node, which has a builder. The session counts as recently confirmed, even if other
 * test files ran long before.
 */
export async function openConsole(): Promise<Console> {
  const [node, cookie] = [inject('node'), inject('builderCookie')];
  await proveBuilder(node, cookie);
  return browse(node, cookie);
}

/** Opens the console of the shared node, and creates a template of apps with these statements. */
export async function openWithTemplate(sql: string): Promise<{ site: Console; template: string }> {
  const site = await openConsole();
  const { ref } = await createTemplate(site.node, sql);
  return { site, template: ref };
}

/** Opens the console of the shared node, and creates an app with these statements and a member. */
export async function openWithMember(sql: string): Promise<{ site: Console; app: AppConnection; member: Member }> {
  const site = await openConsole();
  const app = await createApp(site.node);
  await runSql(site.node, app.ref, sql);
  return { site, app, member: await signUpMember(app) };
}

/** Opens the console of a node, signed in only if `cookie` is the cookie of a session. */
export async function browse(node: NodeAddress, cookie: Cookie | null = null): Promise<Console> {
  const browser = await launchChromium();
  return {
    node,
    visit: async (path, { signedIn = true, ...options } = {}) => {
      const storageState = { cookies: cookie && signedIn ? [cookie] : [], origins: [] };
      const visit = await open(browser, { viewport: sizes.wide, reducedMotion: 'reduce', storageState, ...options });
      await visit.page.goto(new URL(path, node.url).href);
      return visit;
    },
    close: () => browser.close(),
  };
}

async function open(browser: Browser, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  const problems: string[] = [];
  await context.addInitScript(() => {
    // Chromium 148 and later return promises from these functions. An effect of React must not return such a promise.
    for (const name of ['scroll', 'scrollBy', 'scrollIntoView', 'scrollTo'] as const) {
      const scroll = Reflect.get(Element.prototype, name) as (...args: unknown[]) => unknown;
      Reflect.set(Element.prototype, name, function (this: Element, ...args: unknown[]) {
        return Promise.resolve(scroll.apply(this, args));
      });
    }
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      reportError(new Error(`CSP ${violatedDirective} ${blockedURI}`));
    });
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // Chromium says this when the reader leaves a page whose live rows are still connecting.
    if (message.text().includes('WebSocket is closed before the connection is established')) return;
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  return { page, context, problems };
}

/**
 * Reads the clipboard on another origin of the node, because the console's own pages may only write to the clipboard.
 */
export async function readClipboard(context: BrowserContext, node: NodeAddress): Promise<string> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  try {
    await page.goto(`http://reader.localhost:${new URL(node.url).port}/`);
    return await page.evaluate(() => navigator.clipboard.readText());
  } finally {
    await page.close();
  }
}

/** Presses Tab until the focused element has the name `name`. Fails if no such element gets the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      const label =
        element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element.labels?.[0] : null;
      return (element?.getAttribute('aria-label') ?? label?.textContent ?? element?.textContent ?? '').trim();
    });
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if ((await focused()) === name) return;
  }
  throw new Error(`Tab never reached “${name}”.`);
}
