import type { TestProject } from 'vitest/node';
import { build } from './build-setup.ts';
import { superuserUrl } from './database.ts';
import { type NodeAddress, startNode } from './node.ts';
import { withoutUpkeep } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The node that all tests of a project share. Each test creates its own apps on it. */
    node: NodeAddress;
  }
}

/** Starts one node for a project. Its tests get the node with `inject('node')`. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await build('server');
  const node = await startNode();
  await withoutUpkeep(await superuserUrl(node, 'postgres'));
  const { url, setupUrl, home, operatorToken } = node;
  project.provide('node', { url, setupUrl, home, operatorToken });
  return async () => {
    await node.stop().catch((error: unknown) => {
      // Vitest only prints an error of this function.
      process.exitCode = 1;
      throw error;
    });
  };
}
