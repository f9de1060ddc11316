import type { TestProject } from 'vitest/node';
import { build } from './build-setup.ts';
import { type Cookie, makeBuilder } from './builder.ts';
import { unpackChromium } from './chromium.ts';
import { superuserUrl } from './database.ts';
import { startNode } from './node.ts';
import { withoutUpkeep } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Cookie of the session of a builder on the shared node. */
    builderCookie: Cookie;
  }
}

/**
 * Builds the server and the console, unpacks the browser, and starts a node with a builder for all tests of a project.
 * Tests get the node with `inject('node')`, and each test creates its own apps on it. The node has one worker, because a
 * second one opens each app again, which took a fifth of the time of these tests. The tests of `wire` have several workers.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await build('server', 'web');
  const [node] = await Promise.all([startNode({ env: { NINEFOLD_WORKERS: '1' } }), unpackChromium()]);
  await withoutUpkeep(await superuserUrl(node, 'postgres'));
  const { url, setupUrl, home, operatorToken } = node;
  project.provide('node', { url, setupUrl, home, operatorToken });
  project.provide('builderCookie', await makeBuilder(node));
  return () => node.stop();
}
