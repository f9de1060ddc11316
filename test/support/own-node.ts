import { afterAll, beforeAll } from 'vitest';
import { deleteHome, makeUsedHome, startNode, type TestNode } from './node.ts';

/** A node for one test file. It can stop, and start again in the same home. Its properties are always those of the running node. */
export interface OwnNode extends TestNode {
  /** Starts the node again after it has ended. `env` is added to its environment. */
  startAgain(env?: Record<string, string>): Promise<void>;
}

/**
 * Starts a node before all tests of the calling file. After them, stops it and deletes its home.
 *
 * @param name Name of the home.
 * @param firstEnv Returns additional environment variables for the first start. It is called after all `beforeAll`
 * functions that were registered before.
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
