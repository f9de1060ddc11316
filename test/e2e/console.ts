import { createClient } from '@supabase/supabase-js';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import ws from 'ws';
import type { SetupState } from '../../contract/admin.ts';
import { launchChromium } from '../support/chromium.ts';
import { startNode, type TestNode } from '../support/node.ts';

export const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

/** The first builder of every node here. */
export const builder = { name: 'Ines Okafor', email: 'ines@northwind.example', password: 'a horse, a battery' };

/** A browser's view of a console, and everything that went wrong in it. */
export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors and warnings of the browser's console, exceptions nobody caught, and breaches of the CSP. */
  readonly problems: string[];
}

/** A node with its console, in a browser of its own. */
export interface ConsoleUnderTest {
  readonly node: TestNode;
  /** Opens a page of the console. Signed in as the builder, unless `signedIn` is false. */
  visit(path: string, options?: BrowserContextOptions & { signedIn?: boolean }): Promise<Visit>;
  stop(): Promise<void>;
}

/** Starts a node and a browser; with `fresh`, without a builder, so that the one-time link still works. */
export async function startConsole({ fresh = false } = {}): Promise<ConsoleUnderTest> {
  const [node, browser] = await Promise.all([startNode(), launchChromium()]);
  const session = fresh ? null : await makeBuilder(node);
  return {
    node,
    visit: async (path, { signedIn = true, ...options } = {}) => {
      const localStorage = session && signedIn ? [{ name: 'ninefold-console', value: session }] : [];
      const storageState = { cookies: [], origins: [{ origin: node.url, localStorage }] };
      const visit = await open(browser, { viewport: sizes.wide, reducedMotion: 'reduce', storageState, ...options });
      await visit.page.goto(new URL(path, node.url).href);
      return visit;
    },
    stop: async () => {
      await browser.close();
      await node.stop();
    },
  };
}

async function open(browser: Browser, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(15_000);
  const problems: string[] = [];
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      reportError(new Error(`CSP ${violatedDirective} ${blockedURI}`));
    });
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.type()}: ${message.text()}`);
  });
  return { page, context, problems };
}

/** Makes the builder as the page of the one-time link does, and answers the session as supabase-js keeps it. */
async function makeBuilder(node: TestNode): Promise<string> {
  const token = new URL(node.setupUrl ?? '').hash.replace('#token=', '');
  const setup = `${node.url}/admin/v1/setup`;
  const made = await fetch(setup, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...builder, token }),
  });
  if (!made.ok) throw new Error(`The builder was not made: ${made.status} ${await made.text()}`);
  const state: SetupState = await (await fetch(setup)).json();
  const client = createClient(`${node.url}/apps/console`, state.publishable_key, {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: ws as never },
  });
  const { data, error } = await client.auth.signInWithPassword(builder);
  if (error) throw error;
  return JSON.stringify(data.session);
}
