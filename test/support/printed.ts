import { expect } from 'vitest';
import { cli, type NodeAddress } from './node.ts';

/** Returns the output of a command of the CLI; fails if the exit code differs from `code`. */
export async function printed(node: NodeAddress, args: string[], code = 0): Promise<string> {
  const result = await cli(node, args);
  expect([result.code, result.stderr], args.join(' ')).toEqual([code, code === 2 ? expect.anything() : '']);
  return result.stdout;
}
