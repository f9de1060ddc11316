import { afterAll, beforeAll } from 'vitest';
import { deleteHome, makeUsedHome, startNode, type TestNode } from './node.ts';

/** A node of one test file, which ends and starts again in the same home: its members are those of the node that runs now. */
export interface OwnNode extends TestNode {
  /** Starts it after it has ended. `env` is added to its environment. */
  startAgain(env?: Record<string, string>): Promise<void>;
}

/**
 * Starts a node before all tests of the file that calls it; stops it after them, and deletes its home.
 *
 * @param name The home's.
 * @param firstEnv Returns what its first start adds to its environment; called after each `beforeAll` that comes before.
 */
export function ownNode(name: string, firstEnv: () => Record<string, string> = () => ({})): OwnNode {
  const node = {} as OwnNode;
  let home: string;
  node.startAgain = async (env = {}) => {
    Object.assign(node, await startNode({ home, env }));
  };
  beforeAll(async () => {
    home = await makeUsedHome(name);
    await node.startAgain(firstEnv());
  });
  afterAll(async () => {
    await node.stop?.();
    await deleteHome(home);
  });
  return node;
}
